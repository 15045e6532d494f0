//! Samples against the generated TypeScript.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use contract_registry::samples::SampledTool;
use contract_schema::Json;
use contract_schema::typescript::PRELUDE;
use serde_json::Value;

use crate::tsc;

/// A key that no tool declares.
const UNKNOWN_KEY: &str = "undeclaredKey";

/// Compiles the signature of every tool under `tsc --strict` and type-checks every sample against it: as
/// it is, and with an undeclared key, which must be refused. Works in `folder`.
///
/// Without a compiler it says so on stderr and passes; see [`tsc::find`].
///
/// # Errors
///
/// What the compiler says.
pub fn check_typescript(folder: &Path, tools: &[SampledTool]) -> Result<(), String> {
    let Some(compiler) = tsc::find()? else {
        // Nobody to tell when stderr is gone.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED TypeScript of the tools: no tsc; set TENON_TSC, or run .ci/run once"
        );
        return Ok(());
    };
    tsc::check(&compiler, folder, &source(tools))
}

/// Each tool in a namespace of its own: its signature, then its samples.
fn source(tools: &[SampledTool]) -> String {
    let mut source = format!("export {{}};\n{PRELUDE}\n");
    for (tool, number) in tools.iter().zip(0..) {
        let definition = tool.tool.definition();
        let member = format!("Tools[{:?}]", definition.name());
        let mut text = definition.typescript();
        for (sample, at) in tool.samples.iter().zip(0..) {
            let args = format!("Parameters<{member}>[0]");
            checks(&mut text, &format!("args{at}"), &args, &sample.args);
            let value = format!("Awaited<ReturnType<{member}>>");
            checks(&mut text, &format!("value{at}"), &value, &sample.value);
        }
        // Writing to a string does not fail.
        let _ = write!(source, "\nnamespace tool{number} {{\n{text}}}\n");
    }
    source
}

fn checks(text: &mut String, name: &str, of_type: &str, json: &Json) {
    let mut value = json.to_value();
    let _ = writeln!(text, "const {name}: {of_type} = {};", tsc::expression(&value));
    if let Value::Object(members) = &mut value {
        members.insert(UNKNOWN_KEY.to_owned(), Value::Null);
        let wrong = tsc::expression(&value);
        let _ = writeln!(text, "// @ts-expect-error\nconst {name}Wrong: {of_type} = {wrong};");
    }
}
