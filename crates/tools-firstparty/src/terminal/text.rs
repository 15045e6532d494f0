//! Texts of the family, within one limit for the whole of each.

use contract_registry::Ended;
use contract_schema::ContentBlock;

use super::session::TerminalStatus;
use crate::text::cut;

/// The row that says that not all is shown.
pub(super) const CUT: &str = "[output truncated]";

/// Which end of a text is worth more.
#[derive(Clone, Copy, Debug)]
pub(super) enum Keep {
    Head,
    Tail,
}

/// `body`, or `nothing` where it is empty, and rows after it; in at most `max_bytes` all together. The rows
/// come first, then as much of the end of `body` as fits, and a row that says so. `cut` is the row about what
/// `body` lacks already.
pub(super) fn with_rows(
    body: &str,
    nothing: &str,
    rows: &[String],
    cut: Option<&str>,
    max_bytes: usize,
) -> String {
    let body = if body.is_empty() { nothing } else { body };
    let all = |cut: Option<&str>| {
        rows.iter().map(String::as_str).chain(cut).collect::<Vec<_>>().join("\n")
    };
    let whole = format!("{body}\n{}", all(cut));
    if whole.len() <= max_bytes {
        return whole;
    }
    let rows = all(Some(CUT));
    let end = cut::last_bytes(body, max_bytes.saturating_sub(rows.len() + 1));
    let text = if end.is_empty() { rows } else { format!("{end}\n{rows}") };
    cut::last_bytes(&text, max_bytes).to_owned()
}

/// The limit once more, for what policies and failures put in the place of a text. Several blocks are not
/// this family's, and stay.
pub(super) fn finalized(
    ended: &Ended<'_>,
    max_bytes: usize,
    keep: Keep,
) -> Option<Vec<ContentBlock>> {
    let [ContentBlock::Text { text, .. }] = ended.outcome().content() else { return None };
    if text.len() <= max_bytes {
        return None;
    }
    // A failure says first what it is.
    let keep = if ended.outcome().is_error() { Keep::Head } else { keep };
    let room = max_bytes.saturating_sub(CUT.len() + 1);
    let text = match keep {
        Keep::Head => format!("{}\n{CUT}", cut::to_bytes(text, room)),
        Keep::Tail => format!("{CUT}\n{}", cut::last_bytes(text, room)),
    };
    Some(vec![ContentBlock::text(text)])
}

/// How a terminal stands, in a few words.
pub(super) fn standing(status: &TerminalStatus) -> String {
    match status {
        TerminalStatus::Running {} => "running".to_owned(),
        TerminalStatus::Exited { exit_code: Some(code), .. } => {
            format!("ended with exit code {code}")
        }
        TerminalStatus::Exited { signal: Some(signal), .. } => format!("ended by {signal}"),
        TerminalStatus::Exited { .. } => "ended".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_before_the_body() {
        let rows = ["[a]".to_owned(), "[b]".to_owned()];
        assert_eq!(with_rows("body", "-", &rows, None, 99), "body\n[a]\n[b]");
        assert_eq!(with_rows("", "-", &rows, Some("[c]"), 99), "-\n[a]\n[b]\n[c]");
        let long = "é".repeat(50);
        let cut = with_rows(&long, "-", &rows, None, 64);
        assert!(cut.len() <= 64 && cut.ends_with("é\n[a]\n[b]\n[output truncated]"), "{cut}");
        assert_eq!(with_rows(&long, "-", &rows, None, 26), "[a]\n[b]\n[output truncated]");
    }
}
