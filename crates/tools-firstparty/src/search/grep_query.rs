//! What `grep` is asked for: the regular expression and the files.

use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};

use super::error::SearchError;
use super::pattern::PathPattern;

/// Bytes that a compiled expression may take.
const REGEX_MAX_BYTES: usize = 16 * 1024 * 1024;

/// Longest text of an expression.
const REGEX_TEXT_MAX_BYTES: usize = 64 * 1024;

/// Compiles the regular expression.
pub(super) fn matcher(pattern: &str) -> Result<RegexMatcher, SearchError> {
    if pattern.is_empty() {
        return Err(SearchError::EmptyRegex);
    }
    if pattern.len() > REGEX_TEXT_MAX_BYTES {
        return Err(SearchError::RegexTooLong { max_bytes: REGEX_TEXT_MAX_BYTES });
    }
    // `crlf` lets `$` match before CR LF too, since the value shows lines without either. The line
    // terminator lets many lines be searched at once.
    RegexMatcherBuilder::new()
        .multi_line(true)
        .crlf(true)
        .line_terminator(Some(b'\n'))
        .size_limit(REGEX_MAX_BYTES)
        .dfa_size_limit(REGEX_MAX_BYTES)
        .build(pattern)
        .map_err(|error| {
            if matches!(error.kind(), ErrorKind::NotAllowed(_)) {
                return SearchError::LineBreak;
            }
            SearchError::Regex(reason(&error.to_string()))
        })
}

/// The last row of the library's message says what is wrong; the rows before it draw the place.
fn reason(message: &str) -> String {
    let last = message.lines().last().unwrap_or(message).trim();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

/// Compiles `include`; all files without one.
pub(super) fn parse_include(include: Option<&str>) -> Result<PathPattern, SearchError> {
    let Some(include) = include else { return Ok(PathPattern::everything()) };
    if include.trim_start().starts_with('!') {
        return Err(SearchError::NegatedInclude);
    }
    if has_list_comma(include) {
        return Err(SearchError::IncludeList);
    }
    PathPattern::parse(include).map_err(SearchError::Include)
}

/// A comma outside braces: several patterns where one is expected.
fn has_list_comma(include: &str) -> bool {
    let mut depth = 0_usize;
    crate::search::pattern::syntax(include).any(|(_, ch)| {
        match ch {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        ch == ',' && depth == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(pattern: &str) -> String {
        matcher(pattern).expect_err(pattern).to_string()
    }

    #[test]
    fn a_bad_expression_says_what_is_wrong_in_one_row() {
        assert_eq!(
            refusal("("),
            "pattern is not a valid regular expression: unclosed group; \
             put a backslash before characters meant as they are"
        );
        assert!(refusal("[z-a]").contains("range"), "{}", refusal("[z-a]"));
        assert!(refusal(r"a\nb").contains("line break"));
        assert!(refusal("").contains("empty"));
        assert!(refusal("(?:a{1000}){1000}").contains("size"), "{}", refusal("(?:a{1000}){1000}"));
        assert_eq!(refusal(&"a".repeat(65_537)), "pattern is longer than 65536 bytes");
        assert!(matcher(&"a".repeat(65_536)).is_ok());
        assert!(matcher(" ").is_ok());
    }

    #[test]
    fn include_is_one_positive_pattern() {
        assert_eq!(parse_include(Some("!*.rs")).err(), Some(SearchError::NegatedInclude));
        assert_eq!(parse_include(Some("*.rs,*.ts")).err(), Some(SearchError::IncludeList));
        assert!(matches!(parse_include(Some(" ")), Err(SearchError::Include(_))));
        assert!(matches!(parse_include(Some(&"?".repeat(4_097))), Err(SearchError::Include(_))));
        for include in ["*.{rs,ts}", "[,]x", r"a\,b", r"\!x", "-n"] {
            assert!(parse_include(Some(include)).is_ok(), "{include}");
        }
    }
}
