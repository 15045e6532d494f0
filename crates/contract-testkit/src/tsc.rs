//! The TypeScript compiler, for tests of declarations.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

/// Names the compiler.
const VARIABLE: &str = "TENON_TSC";

/// Where the compiler is when the variable does not say, from the workspace's root.
const DEFAULT: &str = "target/tools/node_modules/.bin/tsc";

/// Where `tsc` is: what `TENON_TSC` names, else under `target/tools`, where `.ci/run` installs it.
///
/// # Errors
///
/// The variable names no file.
pub fn find() -> Result<Option<PathBuf>, String> {
    match std::env::var_os(VARIABLE).map(PathBuf::from) {
        Some(path) if path.is_file() => Ok(Some(path)),
        Some(path) => Err(format!("{VARIABLE} names no file: {}", path.display())),
        None => {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(DEFAULT);
            Ok(path.is_file().then_some(path))
        }
    }
}

/// Checks one source file under `--strict` in a folder made for it.
///
/// # Errors
///
/// What the compiler says, or why it did not run.
pub fn check(tsc: &Path, folder: &Path, source: &str) -> Result<(), String> {
    let options = json!({
        "compilerOptions": {
            "strict": true, "noEmit": true, "target": "es2022", "lib": ["es2022"], "types": [],
        },
        "files": ["declarations.ts"],
    });
    let written = fs::create_dir_all(folder)
        .and_then(|()| fs::write(folder.join("declarations.ts"), source))
        .and_then(|()| fs::write(folder.join("tsconfig.json"), options.to_string()));
    written.map_err(|error| format!("{}: {error}", folder.display()))?;
    let output = Command::new(tsc).arg("--project").arg(folder).output();
    let output = output.map_err(|error| format!("{}: {error}", tsc.display()))?;
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A JSON value as a TypeScript expression.
#[must_use]
pub fn expression(value: &Value) -> String {
    match value {
        Value::Array(elements) => {
            let elements: Vec<String> = elements.iter().map(expression).collect();
            format!("[{}]", elements.join(", "))
        }
        Value::Object(members) => {
            // Computed, because a plain `__proto__` would set the prototype.
            let member = |(key, value): (&String, &Value)| {
                format!("[{}]: {}", string(key), expression(value))
            };
            let members: Vec<String> = members.iter().map(member).collect();
            format!("{{ {} }}", members.join(", "))
        }
        Value::String(text) => string(text),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// JSON text is JavaScript but for two line ends.
fn string(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}
