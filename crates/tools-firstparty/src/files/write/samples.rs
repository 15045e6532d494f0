//! Example calls of `write`.

use contract_registry::samples::{Sample, ToolSamples};
use serde_json::json;

use super::{Operation, Write, WriteValue};

impl ToolSamples for Write {
    fn samples(&self) -> Vec<Sample<WriteValue>> {
        vec![
            sample("new file", "src/main.rs", Operation::Create, None, "fn main() {}\n"),
            sample("replaced", "notes.md", Operation::Update, Some("one\ntwo\n"), "one\n2\n"),
            sample(
                "two hunks",
                "list",
                Operation::Update,
                Some("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n"),
                "A\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\n",
            ),
            sample(
                "other line breaks",
                "crlf.txt",
                Operation::Update,
                Some("a\r\nb\r\n"),
                "a\nc\n",
            ),
            sample("old content was no text", "logo.svg", Operation::Update, None, "<svg/>\n"),
            sample("the same again", "same", Operation::Update, Some("a\n"), "a\n"),
            sample("emptied", "/tmp/odd\nname", Operation::Update, Some("a\n"), ""),
            sample("was empty", "empty", Operation::Update, Some(""), "é 😀\tb \n"),
        ]
    }
}

fn sample(
    name: &'static str,
    path: &str,
    operation: Operation,
    before: Option<&str>,
    after: &str,
) -> Sample<WriteValue> {
    Sample {
        name,
        args: json!({ "file_path": path, "content": after }),
        value: WriteValue {
            path: path.to_owned(),
            operation,
            before: before.map(str::to_owned),
            after: after.to_owned(),
        },
    }
}
