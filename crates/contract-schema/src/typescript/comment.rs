//! Doc comments that nothing inside them can close.

use serde_json::Value;

/// Longest `default` shown, in bytes.
const MAX_DEFAULT_BYTES: usize = 120;
/// Stands for what was cut off a line.
pub(super) const CUT: &str = "…";

/// The doc comment of a schema, one entry a line; empty when there is nothing to say.
pub(super) type Doc = Vec<String>;

/// What a schema's annotations say.
pub(super) fn doc(schema: &Value) -> Doc {
    let mut lines = Doc::new();
    if let Some(text) = schema.get("description").and_then(Value::as_str) {
        lines.extend(self::lines(text));
    }
    if let Some(value) = schema.get("default") {
        let text = value.to_string();
        if text.len() <= MAX_DEFAULT_BYTES {
            lines.extend(safe_lines(&format!("@default {text}")));
        }
    }
    if schema.get("deprecated") == Some(&Value::Bool(true)) {
        lines.push("@deprecated".to_owned());
    }
    lines
}

/// A text as the lines of a comment; none when it is blank.
pub(super) fn lines(text: &str) -> Doc {
    let text = text.trim();
    if text.is_empty() { Doc::new() } else { safe_lines(text) }
}

/// Splits at everything that ends a line in TypeScript or in a terminal, and defuses the rest.
fn safe_lines(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n").replace("*/", "*\\/").replace("@ts-", "@ ts-");
    let is_break =
        |c| matches!(c, '\n' | '\r' | '\u{0b}' | '\u{0c}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    text.split(is_break).map(|line| line.trim_end().chars().flat_map(visible).collect()).collect()
}

/// A character as its escape when it controls, or reorders what is shown.
fn visible(c: char) -> Vec<char> {
    let reorders = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    if (c.is_control() && c != '\t') || reorders { c.escape_unicode().collect() } else { vec![c] }
}

/// Appends the comment, every line after `indent`.
pub(super) fn write(text: &mut String, doc: &Doc, indent: &str) {
    match doc.as_slice() {
        [] => {}
        [only] => {
            text.push_str(&format!("{indent}/** {only} */\n"));
        }
        lines => {
            text.push_str(&format!("{indent}/**\n"));
            for line in lines {
                let gap = if line.is_empty() { "" } else { " " };
                text.push_str(&format!("{indent} *{gap}{line}\n"));
            }
            text.push_str(&format!("{indent} */\n"));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_description_closes_its_comment_or_breaks_a_line_unseen() {
        let schema = json!({
            "description": "one */ type X = 1; /*\r\ntwo\u{2028}three\u{0}",
            "default": "*/",
            "deprecated": true,
        });
        let mut text = String::new();
        write(&mut text, &doc(&schema), "  ");
        let expected = "  /**\n   * one *\\/ type X = 1; /*\n   * two\n   * three\\u{0}\n   \
                        * @default \"*\\/\"\n   * @deprecated\n   */\n";
        assert_eq!(text, expected);
    }
}
