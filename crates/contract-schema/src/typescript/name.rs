//! Names of types.

use std::collections::{HashMap, HashSet};

/// Names that a declaration must not take: words of the language and globals that programs use.
const TAKEN: [&str; 42] = [
    "Any",
    "Array",
    "ArrayBuffer",
    "BigInt",
    "Boolean",
    "Console",
    "DataView",
    "Date",
    "Error",
    "EvalError",
    "Exclude",
    "Extract",
    "Function",
    "Infinity",
    "Intl",
    "JSON",
    "JsonValue",
    "Map",
    "Math",
    "NaN",
    "Number",
    "Object",
    "Omit",
    "Partial",
    "Pick",
    "Promise",
    "Proxy",
    "RangeError",
    "Readonly",
    "Record",
    "Reflect",
    "RegExp",
    "Required",
    "Set",
    "String",
    "Symbol",
    "SyntaxError",
    "TypeError",
    "Uint8Array",
    "URIError",
    "WeakMap",
    "WeakSet",
];

/// An identifier in Pascal case: `read-file` becomes `ReadFile`.
pub(super) fn identifier(text: &str) -> String {
    let mut name = String::new();
    for word in text.split(|c: char| !c.is_ascii_alphanumeric()) {
        let mut letters = word.chars();
        if let Some(first) = letters.next() {
            name.push(first.to_ascii_uppercase());
            name.push_str(letters.as_str());
        }
    }
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert_str(0, "Type");
    }
    if TAKEN.contains(&name.as_str()) {
        name.push_str("Type");
    }
    name
}

/// Whether a type can be called this: ASCII, and nothing that [`identifier`] avoids.
pub(super) fn is_free_identifier(text: &str) -> bool {
    // Words of the language have neither a capital nor one of these signs.
    let is_apart = |c: char| c.is_ascii_uppercase() || c == '_' || c == '$';
    is_plain_property(text) && text.contains(is_apart) && !TAKEN.contains(&text)
}

/// The names of types that are taken.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    taken: HashSet<String>,
    /// By name, the number to try next: the ones below are taken, and names are never given back.
    next: HashMap<String, u32>,
}

impl Names {
    /// `name`, with a number when it is taken; taken from now on.
    pub(super) fn unique(&mut self, name: &str) -> String {
        if self.taken.insert(name.to_owned()) {
            return name.to_owned();
        }
        let number = self.next.entry(name.to_owned()).or_insert(2);
        loop {
            let candidate = format!("{name}{number}");
            *number += 1;
            if self.taken.insert(candidate.clone()) {
                return candidate;
            }
        }
    }
}

/// Whether a property can be written without quotes.
pub(super) fn is_plain_property(name: &str) -> bool {
    let mut letters = name.chars();
    let starts = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_' || c == '$');
    starts
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
        && name != "__proto__"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_becomes_an_identifier_that_shadows_nothing() {
        assert_eq!(identifier("GrepOutput"), "GrepOutput");
        assert_eq!(identifier("read-file v2"), "ReadFileV2");
        assert_eq!(identifier("2d"), "Type2d");
        assert_eq!(identifier("日本"), "Type");
        assert_eq!(identifier("promise"), "PromiseType");
        let mut names = Names::default();
        assert_eq!(names.unique("A"), "A");
        assert_eq!(names.unique("A3"), "A3");
        assert_eq!(names.unique("A"), "A2");
        assert_eq!(names.unique("A"), "A4");
    }
}
