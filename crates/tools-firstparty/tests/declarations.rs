//! Programs against the declarations of the tools: right ones type-check, each wrong one is refused.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use contract_registry::{Registry, declarations, declarations_within};
use contract_testkit::tsc;
use tools_firstparty::{Config, Seams, tools};

fn registry() -> Registry {
    let registry = Registry::new();
    for tool in tools(&Config::default(), &Seams::default()).unwrap().into_tools() {
        registry.register_dyn(tool).unwrap().keep();
    }
    registry
}

const RIGHT: &str = r#"
const found = await tools.grep({ pattern: "TODO", include: "*.rs" });
const paths = [...new Set(found.matches.map((match) => match.path))];
const pages = await Promise.all(
  paths.map(async (file_path) => {
    try {
      return await tools.read({ file_path, limit: 10 });
    } catch (error) {
      if (error instanceof ToolCallError) {
        console.warn(`${error.toolName}: ${error.message}`);
        return null;
      }
      throw error;
    }
  }),
);
await new Promise<void>((done) => void setTimeout(done, 10));
const ran = await tools.bash({ command: "make", description: "Build" });
const text: string = ran.kind === "foreground" ? ran.stdout.text : ran.jobId;
console.log(await tools.$describe("read"));
return { text, lines: pages.map((page) => page?.totalLines ?? 0), partial: found.incomplete?.reasons };
"#;

/// What is wrong, and the line that is.
const WRONG: [(&str, &str); 17] = [
    ("a key the tool does not take", r#"await tools.read({ file_path: "a", path: "b" });"#),
    ("a key of another spelling", r#"await tools.read({ filePath: "a" });"#),
    ("an argument that is missing", "await tools.read({});"),
    ("one of two that is missing", r#"await tools.bash({ command: "ls" });"#),
    ("no arguments", "await tools.glob();"),
    ("too many arguments", r#"await tools.glob({ pattern: "*" }, 1);"#),
    ("an argument of another type", "await tools.read({ file_path: 1 });"),
    ("null for what may be left out", r#"await tools.read({ file_path: "a", limit: null });"#),
    ("a value's member that is not there", r#"(await tools.read({ file_path: "a" })).content;"#),
    ("a member of a promise", r#"tools.read({ file_path: "a" }).lines;"#),
    (
        "a member that only one variant has",
        r#"(await tools.bash({ command: "ls", description: "List" })).stdout;"#,
    ),
    (
        "a value's member as another type",
        r#"const n: string = (await tools.read({ file_path: "a" })).totalLines;"#,
    ),
    ("a member that may be absent", r#"(await tools.glob({ pattern: "*" })).incomplete.reasons;"#),
    ("an unknown tool", r#"await tools.raed({ file_path: "a" });"#),
    ("an unknown tool by its name", r#"await tools["no-such"]({});"#),
    ("the tool that runs programs", r#"await tools.run_code({ code: "", description: "" });"#),
    ("an error of one's own making", r#"throw new ToolCallError("no");"#),
];

/// Each program as the body of a function; a wrong one must be refused at its line.
fn programs() -> String {
    let mut text = format!("async function right() {{{RIGHT}}}\n");
    for ((what, line), number) in WRONG.iter().zip(0..) {
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "// {what}\nasync function wrong{number}() {{\n// @ts-expect-error\n{line}\n}}"
        );
    }
    text
}

fn check(name: &str, source: &str) -> Option<Result<(), String>> {
    let Some(compiler) = tsc::find().unwrap() else {
        // Nobody to tell when stderr is gone.
        let _ = writeln!(std::io::stderr(), "SKIPPED {name}: no tsc; set TENON_TSC");
        return None;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    Some(tsc::check(&compiler, &folder, &format!("export {{}};\n{source}")))
}

#[test]
fn a_right_program_type_checks_and_each_wrong_one_is_refused() {
    let source = format!("{}\n{}", declarations(&registry().list()), programs());
    if let Some(Err(output)) = check("programs", &source) {
        panic!("{output}");
    }
}

#[test]
fn a_wrong_program_is_refused_with_its_line() {
    let text = declarations(&registry().list());
    let source = format!("{text}\nasync function wrong() {{\nawait tools.read({{}});\n}}");
    if let Some(checked) = check("programs-wrong", &source) {
        let output = checked.unwrap_err();
        assert!(output.contains("file_path") && output.contains("error TS2345"), "{output}");
    }
}

#[test]
fn within_any_size_the_text_type_checks() {
    let tools = registry().list();
    let least = declarations_within(&tools, 0).unwrap_err().needed_bytes;
    for size in [least, least + 600, 8_000] {
        let text = declarations_within(&tools, size).unwrap();
        assert!(text.len() <= size, "{} of {size}", text.len());
        let call =
            r#"async function f() { return (await tools.read({ file_path: "a" })) === null; }"#;
        let unknown = "// @ts-expect-error\ntools.raed;";
        if let Some(Err(output)) = check("programs-within", &format!("{text}\n{call}\n{unknown}")) {
            panic!("{size} bytes: {output}");
        }
    }
}
