//! What a model reads of a run: the logs, then the result (contract C4).

use contract_schema::json::{JsonKind, JsonRef};

/// Spaces of one level of indentation.
const STEP: usize = 2;
/// Most spaces before a line. What is deeper stays on one line, so that the text grows with the value and
/// not with its depth.
const INDENT_MAX: usize = 10;

/// Logs and result, a line feed between them; a string as it is, any other value as indented JSON.
pub(super) fn text(logs: &[String], result: Option<JsonRef<'_>>) -> String {
    let mut text = logs.join("\n");
    let shown = result.map(|result| match result.as_str() {
        Some(string) => string.to_owned(),
        None => indented(result),
    });
    let shown = shown.unwrap_or_default();
    if !text.is_empty() && !shown.is_empty() {
        text.push('\n');
    }
    text.push_str(&shown);
    if text.is_empty() {
        return "(the program logged nothing and returned nothing)".to_owned();
    }
    text
}

fn indented(value: JsonRef<'_>) -> String {
    let mut out = String::new();
    write(&mut out, value, 0);
    out
}

/// No deeper than the indentation goes.
fn write(out: &mut String, value: JsonRef<'_>, indent: usize) {
    let inner = indent + STEP;
    if value.is_empty() || inner > INDENT_MAX {
        out.push_str(&value.to_string());
        return;
    }
    match value.kind() {
        JsonKind::Array => {
            let elements = value.elements().map(|element| (None, element));
            write_all(out, ('[', ']'), elements, indent);
        }
        JsonKind::Object => {
            let members = value.members().map(|(key, member)| (Some(key), member));
            write_all(out, ('{', '}'), members, indent);
        }
        JsonKind::Null
        | JsonKind::Bool
        | JsonKind::Integer
        | JsonKind::Number
        | JsonKind::String => out.push_str(&value.to_string()),
    }
}

fn write_all<'a>(
    out: &mut String,
    (open, close): (char, char),
    children: impl Iterator<Item = (Option<&'a str>, JsonRef<'a>)>,
    indent: usize,
) {
    out.push(open);
    for (number, (key, child)) in children.enumerate() {
        out.push_str(if number == 0 { "\n" } else { ",\n" });
        out.extend(std::iter::repeat_n(' ', indent + STEP));
        if let Some(key) = key {
            out.push_str(&serde_json::Value::from(key).to_string());
            out.push_str(": ");
        }
        write(out, child, indent + STEP);
    }
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent));
    out.push(close);
}

#[cfg(test)]
mod tests {
    use contract_schema::Json;

    use super::*;

    fn shown(json: &str) -> String {
        text(&[], Some(Json::parse(json).expect("JSON").root()))
    }

    #[test]
    fn strings_are_raw_and_other_values_indented() {
        assert_eq!(shown(r#""a\nb""#), "a\nb");
        for json in ["null", "true", "-1.5", "[]", "{}"] {
            assert_eq!(shown(json), json);
        }
        assert_eq!(
            shown(r#"{"a":[1,{}],"b\n":"x"}"#),
            "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\\n\": \"x\"\n}"
        );
    }

    #[test]
    fn indentation_is_bounded() {
        let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
        let text = shown(&deep);
        let widest = text.lines().map(|line| line.len() - line.trim_start().len()).max();
        assert_eq!(widest, Some(INDENT_MAX));
        assert_eq!(text.replace([' ', '\n'], ""), deep);
    }

    #[test]
    fn parts_that_are_empty_take_no_line() {
        let logs = ["a".to_owned(), "b".to_owned()];
        let empty = Json::parse("\"\"").expect("JSON");
        assert_eq!(text(&logs, None), "a\nb");
        assert_eq!(text(&logs, Some(empty.root())), "a\nb");
        assert!(text(&[], Some(empty.root())).starts_with('('));
    }
}
