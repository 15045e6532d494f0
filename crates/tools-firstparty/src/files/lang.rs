//! The language of a file by its extension, for highlighting in a user interface.

/// Extensions, lower case, of each language.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("c", &["c", "h"]),
    ("cpp", &["cc", "cpp", "cxx", "hh", "hpp", "hxx"]),
    ("csharp", &["cs"]),
    ("css", &["css"]),
    ("go", &["go"]),
    ("html", &["htm", "html"]),
    ("ini", &["ini"]),
    ("java", &["java"]),
    ("javascript", &["cjs", "js", "mjs"]),
    ("json", &["json"]),
    ("jsx", &["jsx"]),
    ("kotlin", &["kt", "kts"]),
    ("less", &["less"]),
    ("lua", &["lua"]),
    ("markdown", &["markdown", "md", "mdx"]),
    ("php", &["php"]),
    ("python", &["py", "pyi"]),
    ("ruby", &["rb"]),
    ("rust", &["rs"]),
    ("scss", &["sass", "scss"]),
    ("shell", &["bash", "sh", "zsh"]),
    ("sql", &["sql"]),
    ("swift", &["swift"]),
    ("toml", &["toml"]),
    ("tsx", &["tsx"]),
    ("typescript", &["cts", "mts", "ts"]),
    ("xml", &["xml"]),
    ("yaml", &["yaml", "yml"]),
];

/// The language of the file at `path`, when its extension is a known one.
pub(super) fn of_path(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next()?;
    let (stem, extension) = name.rsplit_once('.')?;
    if stem.is_empty() {
        return None;
    }
    let extension = extension.to_ascii_lowercase();
    let known = LANGUAGES.iter().find(|(_, known)| known.contains(&extension.as_str()))?;
    Some(known.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_extensions_have_a_language() {
        assert_eq!(of_path("src/a.RS"), Some("rust"));
        assert_eq!(of_path("a.b/c.d.tsx"), Some("tsx"));
        for path in ["a", ".toml", "dir.rs/.json", "foo.constructor", "foo.", ""] {
            assert_eq!(of_path(path), None, "{path}");
        }
    }
}
