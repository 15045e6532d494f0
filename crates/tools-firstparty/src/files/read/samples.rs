//! Example calls of `read`.

use contract_registry::samples::{Sample, ToolSamples};
use serde_json::json;

use super::{Read, ReadLine, ReadValue};

impl ToolSamples for Read {
    fn samples(&self) -> Vec<Sample<ReadValue>> {
        vec![
            Sample {
                name: "whole file",
                args: json!({ "file_path": "src/main.rs" }),
                value: page("src/main.rs", 1, &["fn main() {", "    run();", "}"], 3),
            },
            Sample {
                name: "page in the middle",
                args: json!({ "file_path": "notes.md", "offset": 41, "limit": 2 }),
                value: page("notes.md", 41, &["forty-one", "forty-two"], 120),
            },
            Sample {
                name: "page full by size",
                args: json!({ "file_path": "data/rows.csv", "limit": 500 }),
                value: page("data/rows.csv", 1, &["id,name", "1,one"], 9_000),
            },
            Sample {
                name: "empty file",
                args: json!({ "file_path": "empty" }),
                value: page("empty", 1, &[], 0),
            },
            Sample {
                name: "one line",
                args: json!({ "file_path": "/etc/hostname" }),
                value: page("/etc/hostname", 1, &["box"], 1),
            },
            Sample {
                name: "long line",
                args: json!({ "file_path": "app.min.js" }),
                value: page("app.min.js", 1, &["!function(){… [line cut at 2000 characters]"], 1),
            },
            Sample {
                name: "text of all kinds",
                args: json!({ "file_path": "odd\nname.txt" }),
                value: page(
                    "odd\nname.txt",
                    1,
                    &["\ttab, trailing space ", "é 😀 \u{202E}", "a\rb", "</content>", "", "\0"],
                    6,
                ),
            },
        ]
    }
}

fn page(path: &str, offset: u64, texts: &[&str], total_lines: u64) -> ReadValue {
    let line = |(number, text): (u64, &&str)| ReadLine { number, text: (*text).to_owned() };
    let lines = (offset..).zip(texts).map(line).collect();
    ReadValue { path: path.to_owned(), offset, lines, total_lines }
}
