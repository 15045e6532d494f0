//! Text as a sheet shows it: nothing invisible, every byte recoverable.

use std::fmt::Write;

use serde_json::Value;

/// How wide a line of JSON may be.
const WIDTH: usize = 100;

/// By how much a container's members are set in.
const INDENTATION: usize = 2;

/// Stands for the line feed at the end of a shown line.
const LINE_FEED: char = '⏎';

/// Stands for the end of the text.
const END: char = '■';

/// Text line by line: `|` before each line, `⏎` for each line feed, `■` at the end of the text.
///
/// Backslash, tab, carriage return and whatever does not print are escaped as in Rust, and so are the
/// two marks: two texts that differ in any byte are shown differently.
#[must_use]
pub fn text(text: &str) -> String {
    let mut shown = String::from("|");
    for c in text.chars() {
        match c {
            '\n' => shown.extend([LINE_FEED, '\n', '|']),
            '"' | '\'' => shown.push(c),
            LINE_FEED | END => shown.extend(c.escape_unicode()),
            _ => shown.extend(c.escape_debug()),
        }
    }
    shown.extend([END, '\n']);
    shown
}

/// A value as JSON: a container that fits on a line stands on one. What does not print is escaped; the
/// text stays the same JSON.
#[must_use]
pub fn json(value: &Value) -> String {
    let mut shown = String::new();
    write_value(value, 0, &mut shown);
    shown.push('\n');
    shown
}

/// Writes a value that begins at the indentation, on one line if it fits. Values are at most 127 deep.
fn write_value(value: &Value, indentation: usize, shown: &mut String) {
    let line = one_line(value);
    if indentation + line.chars().count() <= WIDTH {
        shown.push_str(&line);
        return;
    }
    let inner = indentation + INDENTATION;
    match value {
        Value::Array(elements) => {
            let lines = elements.iter().map(|element| (String::new(), element));
            write_container(['[', ']'], lines, inner, shown);
        }
        Value::Object(members) => {
            let lines = members.iter().map(|(key, value)| (string(key) + ": ", value));
            write_container(['{', '}'], lines, inner, shown);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => shown.push_str(&line),
    }
}

fn write_container<'a>(
    [open, close]: [char; 2],
    lines: impl Iterator<Item = (String, &'a Value)>,
    inner: usize,
    shown: &mut String,
) {
    shown.push(open);
    for ((key, value), index) in lines.zip(0..) {
        shown.push_str(if index == 0 { "\n" } else { ",\n" });
        shown.extend(std::iter::repeat_n(' ', inner));
        shown.push_str(&key);
        write_value(value, inner, shown);
    }
    shown.push('\n');
    shown.extend(std::iter::repeat_n(' ', inner - INDENTATION));
    shown.push(close);
}

fn one_line(value: &Value) -> String {
    match value {
        Value::Array(elements) => {
            let elements: Vec<String> = elements.iter().map(one_line).collect();
            format!("[{}]", elements.join(", "))
        }
        Value::Object(members) if members.is_empty() => "{}".to_owned(),
        Value::Object(members) => {
            let member = |(key, value): (&String, &Value)| string(key) + ": " + &one_line(value);
            let members: Vec<String> = members.iter().map(member).collect();
            format!("{{ {} }}", members.join(", "))
        }
        Value::String(text) => string(text),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// A JSON string with what does not print as `\u` escapes.
fn string(text: &str) -> String {
    let mut shown = String::new();
    for c in Value::from(text).to_string().chars() {
        if c.is_ascii() || c.escape_debug().len() == 1 {
            shown.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string does not fail.
                let _ = write!(shown, "\\u{unit:04x}");
            }
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Value, text};

    #[test]
    fn every_line_ends_in_a_mark() {
        assert_eq!(text(""), "|■\n");
        assert_eq!(text("a \n\tb\r\n"), "|a ⏎\n|\\tb\\r⏎\n|■\n");
        assert_eq!(text("say \"é\" \\n"), "|say \"é\" \\\\n■\n");
    }

    #[test]
    fn what_does_not_print_is_escaped() {
        assert_eq!(text("a\u{a0}\u{200b}\u{feff}\0"), "|a\\u{a0}\\u{200b}\\u{feff}\\0■\n");
        assert_eq!(text("⏎■"), "|\\u{23ce}\\u{25a0}■\n");
    }

    #[test]
    fn texts_that_differ_are_shown_differently() {
        let texts = ["a", "a\n", "a ", "a\t", "a\r\n", "a\\n", "a⏎", "a■", " a", "|a", "\na", ""];
        let mut shown: Vec<String> = texts.iter().map(|t| text(t)).collect();
        shown.sort();
        shown.dedup();
        assert_eq!(shown.len(), texts.len());
    }

    #[test]
    fn json_keeps_its_meaning() {
        let value = json!({ "a": "\u{200b}é\u{e0001}\n", "b": [1, -2.5, null, {}, []] });
        let text = super::json(&value);
        let expected = r#"{ "a": "\u200bé\udb40\udc01\n", "b": [1, -2.5, null, {}, []] }"#;
        assert_eq!(text, format!("{expected}\n"));
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }

    #[test]
    fn a_container_that_is_too_wide_has_a_line_for_each_member() {
        let wide = "x".repeat(90);
        let value = json!([{ "key": wide, "b": 1 }, 2]);
        let text = super::json(&value);
        let expected = format!("[\n  {{\n    \"key\": \"{wide}\",\n    \"b\": 1\n  }},\n  2\n]\n");
        assert_eq!(text, expected);
    }
}
