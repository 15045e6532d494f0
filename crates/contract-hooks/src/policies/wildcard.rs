//! Patterns in which `*` stands for any run of characters, `/` included.

/// Whether `text` matches `pattern`. Linear in the text for each star: no pattern is slow.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(middle) = last.replace(part) {
            let Some((_, after)) = rest.split_once(middle) else { return false };
            rest = after;
        }
    }
    last.map_or(rest.is_empty(), |last| rest.ends_with(last))
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_stands_for_any_run() {
        for (pattern, text) in [
            ("*", ""),
            ("read", "read"),
            ("job_*", "job_list"),
            ("*_list", "job_list"),
            ("a*b*c", "aXbYc"),
            ("a*b*c", "abbc"),
            ("a**", "a"),
            ("src/**", "src/a/b.rs"),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("read", "reader"),
            ("a.c", "abc"),
            ("a*b", "a"),
            ("*x", "xy"),
            ("aa*a", "aa"),
            ("", "a"),
        ] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }
}
