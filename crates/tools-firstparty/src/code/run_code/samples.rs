//! Example calls of `run_code`.

use contract_registry::samples::{Sample, ToolSamples};
use contract_schema::Json;
use serde_json::{Value, json};

use super::{RunCode, RunCodeValue};

fn sample(
    name: &'static str,
    code: &str,
    logs: &[&str],
    result: Option<&Value>,
) -> Sample<RunCodeValue> {
    Sample {
        name,
        args: json!({ "code": code, "description": "Show what a program leaves" }),
        value: RunCodeValue {
            logs: logs.iter().map(|&line| line.to_owned()).collect(),
            result: result.and_then(|result| Json::snapshot(result).ok()),
        },
    }
}

impl ToolSamples for RunCode {
    fn samples(&self) -> Vec<Sample<RunCodeValue>> {
        let count = "const { matches } = await tools.grep({ pattern: \"TODO\" });\n\
                     const files = [...new Set(matches.map((match) => match.path))];\n\
                     console.log(`${files.length} files`);\nreturn { matches: matches.length, files };";
        let counted = json!({ "matches": 3, "files": ["a.rs", "src/b.rs"] });
        let deep =
            json!({ "a": { "b": { "c": { "d": { "e": { "f": [1, { "g": [] }] } } } }, "h": {} } });
        vec![
            sample("a log and an object", count, &["2 files"], Some(&counted)),
            sample("a string as it is", "return \"a\\nb\"", &[], Some(&json!("a\nb"))),
            sample("logs alone", "console.log(1); console.warn(\"two\")", &["1", "two"], None),
            sample("null is a result", "return null", &[], Some(&Value::Null)),
            sample("nothing", "await tools.glob({ pattern: \"*\" })", &[], None),
            sample("a deep result", "return deep()", &["deep"], Some(&deep)),
        ]
    }
}
