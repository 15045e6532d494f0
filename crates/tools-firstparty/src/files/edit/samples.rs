//! Example calls of `edit`.

use contract_registry::samples::{Sample, ToolSamples};
use serde_json::json;

use super::{Edit, EditValue};

impl ToolSamples for Edit {
    fn samples(&self) -> Vec<Sample<EditValue>> {
        vec![
            Sample {
                name: "one place",
                args: json!({
                    "file_path": "src/main.rs",
                    "old_string": "    run();\n",
                    "new_string": "    run(1);\n    stop();\n",
                }),
                value: value(
                    "src/main.rs",
                    "fn main() {\n    run();\n}\n",
                    "fn main() {\n    run(1);\n    stop();\n}\n",
                ),
            },
            Sample {
                name: "every place",
                args: json!({
                    "file_path": "a\tb.txt",
                    "old_string": "red",
                    "new_string": "$1 \\0",
                    "replace_all": true,
                }),
                value: value("a\tb.txt", "red\r\nblue\nred", "$1 \\0\r\nblue\n$1 \\0"),
            },
            Sample {
                name: "a line taken out",
                args: json!({
                    "file_path": "/etc/hosts",
                    "old_string": "two\n",
                    "new_string": "",
                    "replace_all": false,
                }),
                value: value("/etc/hosts", "\u{FEFF}one\ntwo\n", "\u{FEFF}one\n"),
            },
        ]
    }
}

fn value(path: &str, before: &str, after: &str) -> EditValue {
    EditValue { path: path.to_owned(), before: before.to_owned(), after: after.to_owned() }
}
