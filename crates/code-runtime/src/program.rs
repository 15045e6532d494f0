//! What is run: a source and the functions it may call.

use crate::config::NAMES_BYTES;

/// Functions of the host, as members of one global object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bindings {
    /// The name of the object.
    pub global: String,
    /// The names of its functions. Any text is a name: `__proto__` is an ordinary one.
    pub functions: Vec<String>,
    /// What a failed call rejects with.
    pub error: ErrorClass,
}

/// A subclass of `Error`, global in the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorClass {
    /// Its name.
    pub name: String,
    /// The property that holds the name of the function that failed.
    pub function_property: String,
}

impl Bindings {
    /// Functions of the object `tools`, whose failures are `ToolCallError { toolName }` (contract C1).
    #[must_use]
    pub fn tools(functions: Vec<String>) -> Self {
        let error = ErrorClass {
            name: "ToolCallError".to_owned(),
            function_property: "toolName".to_owned(),
        };
        Self { global: "tools".to_owned(), functions, error }
    }
}

/// A program: the body of an async function, in JavaScript or in TypeScript that types alone make.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Program {
    /// The source as written.
    pub source: String,
    /// What it may call.
    pub bindings: Vec<Bindings>,
}

impl Program {
    /// A program without bindings.
    #[must_use]
    pub fn new(source: impl Into<String>) -> Self {
        Self { source: source.into(), bindings: Vec::new() }
    }

    /// The same with these functions, too.
    #[must_use]
    pub fn with(mut self, bindings: Bindings) -> Self {
        self.bindings.push(bindings);
        self
    }

    /// Why its names cannot be used, if they cannot.
    pub(crate) fn misnamed(&self) -> Option<String> {
        let mut taken = vec!["console"];
        for bindings in &self.bindings {
            for name in [&bindings.global, &bindings.error.name] {
                if !is_identifier(name) {
                    return Some(format!("{name:?} cannot be the name of a global"));
                }
                if taken.contains(&name.as_str()) {
                    return Some(format!("the global {name} is given twice"));
                }
                taken.push(name);
            }
            let property = bindings.error.function_property.as_str();
            if !is_identifier(property) || ["name", "message", "stack", "code"].contains(&property)
            {
                return Some(format!("{property:?} cannot be the property of an error"));
            }
            let mut functions: Vec<&String> = bindings.functions.iter().collect();
            functions.sort_unstable();
            if let Some([name, _]) = functions.array_windows().find(|[one, next]| one == next) {
                return Some(format!("{}.{name} is given twice", bindings.global));
            }
        }
        let names = self.bindings.iter().flat_map(|bindings| &bindings.functions);
        let bytes: usize = names.map(|name| name.len() + 8).sum();
        (bytes > NAMES_BYTES)
            .then(|| format!("the names of functions take {bytes} bytes, more than {NAMES_BYTES}"))
    }
}

fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|character| character.is_ascii_alphanumeric() || character == '_')
        && !RESERVED.contains(&name)
}

/// Words of the language, and globals that a program relies on.
const RESERVED: &[&str] = &[
    "Array",
    "Boolean",
    "Date",
    "Error",
    "Function",
    "Infinity",
    "JSON",
    "Map",
    "Math",
    "NaN",
    "Number",
    "Object",
    "Promise",
    "Proxy",
    "Reflect",
    "RegExp",
    "Set",
    "String",
    "Symbol",
    "arguments",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "globalThis",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "undefined",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_would_not_work_are_told() {
        let named = |global: &str, function: &str| {
            let mut bindings = Bindings::tools(vec![function.to_owned(), "b".to_owned()]);
            bindings.global = global.to_owned();
            Program::new("").with(bindings).misnamed()
        };
        for name in ["", "1a", "a b", "console", "class", "Object", "ToolCallError"] {
            assert!(named(name, "a").is_some(), "{name}");
        }
        assert!(named("tools", "b").is_some());
        for function in ["", "__proto__", "constructor", "a b", "\u{1f600}"] {
            assert_eq!(named("tools", function), None);
        }
    }
}
