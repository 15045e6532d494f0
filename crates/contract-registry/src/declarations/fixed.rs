//! What the text says whatever the tools are.

use contract_schema::typescript::PRELUDE;

const RULES: &str = r#"// What a program is written against.
//
// - A program is the body of an async function: `await` works anywhere in it, and what it returns is its
//   result. Result and arguments are JSON: no functions, dates, maps or cycles.
// - `await tools.NAME({ ... })` calls a tool and gives its value, a JSON value of exactly the declared type.
//   Names that are no identifiers go in brackets: `tools["NAME"]`.
// - A call that fails or is not allowed throws ToolCallError. Catch it to go on without that call.
// - Start independent calls together: `await Promise.all(items.map((item) => tools.NAME({ ... })))`.
// - Await every call: what still runs when the program ends is cancelled.
// - There are the language, the console, timers and the tools, and nothing else: no imports, files, network or
//   environment. Only `console` and the result are seen; values of calls are not.
// - Types are erased and not checked. What types alone do not make, such as enums, is refused.
"#;

const GLOBALS: &str = r#"/** Why a call failed. */
declare class ToolCallError extends Error {
  private constructor();
  /** Name of the tool. */
  toolName: string;
  /** What went wrong, in words. */
  message: string;
}

interface Console {
  log(...values: any[]): void;
  info(...values: any[]): void;
  warn(...values: any[]): void;
  error(...values: any[]): void;
  debug(...values: any[]): void;
}

declare var console: Console;
declare function setTimeout(run: (...args: any[]) => void, milliseconds?: number, ...args: any[]): number;
declare function setInterval(run: (...args: any[]) => void, milliseconds?: number, ...args: any[]): number;
declare function clearTimeout(timer?: number): void;
declare function clearInterval(timer?: number): void;

interface Tools {
  /** The full declaration of a tool, by its name. */
  $describe(name: string): Promise<string>;
}
"#;

/// The text's end.
pub(super) const TOOLS: &str = "declare const tools: Tools;\n";

/// What stands before the tools that have a line only.
pub(super) const INDEX: &str = r#"// The tools below have a line each and are not declared in full.
// Read `await tools.$describe("NAME")` before you call one: it gives the exact types.
type Undeclared = (args: { [key: string]: JsonValue | undefined }) => Promise<JsonValue>;

interface Tools {
"#;

/// What stands after them.
pub(super) const INDEX_END: &str = "}\n\n";

/// The text's beginning.
pub(super) fn head() -> String {
    format!("{RULES}\n{PRELUDE}\n{GLOBALS}\n")
}
