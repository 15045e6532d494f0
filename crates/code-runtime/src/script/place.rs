//! Lines, columns and excerpts.

/// Most characters of a line that an excerpt shows.
const SHOWN_CHARS: usize = 120;

/// Line and column of a byte offset, both from 1, the column in characters.
pub(crate) fn line_and_column(source: &str, offset: usize) -> (u32, u32) {
    let before = source.get(..offset).unwrap_or(source);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
}

/// The line with a mark under the column; `None` when the program has no such line.
pub(crate) fn excerpt(source: &str, line: u32, column: u32) -> Option<String> {
    let index = usize::try_from(line).ok()?.checked_sub(1)?;
    let text = source.split('\n').nth(index)?.trim_end_matches('\r');
    let column = usize::try_from(column).ok()?.saturating_sub(1).min(text.chars().count());
    // A long line is shown around the column.
    let skipped = column.saturating_sub(SHOWN_CHARS / 2);
    let shown: String = text.chars().skip(skipped).take(SHOWN_CHARS).collect();
    let lead: String = shown
        .chars()
        .take(column - skipped)
        .map(|character| if character == '\t' { '\t' } else { ' ' })
        .collect();
    Some(format!("{line} | {shown}\n{} | {lead}^", " ".repeat(line.to_string().len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters() {
        let source = "a\n\u{e9}\u{1f600}b";
        assert_eq!(line_and_column(source, 0), (1, 1));
        assert_eq!(line_and_column(source, source.len() - 1), (2, 3));
        assert_eq!(line_and_column(source, source.len()), (2, 4));
    }

    #[test]
    fn an_excerpt_marks_the_column() {
        assert_eq!(excerpt("a\n\tb = ;\n", 2, 6).as_deref(), Some("2 | \tb = ;\n  | \t    ^"));
        assert_eq!(excerpt("a", 2, 1), None);
        assert_eq!(excerpt("a", 0, 1), None);
        let long = format!("{}!{}", "x".repeat(1000), "y".repeat(1000));
        assert!(excerpt(&long, 1, 1001).is_some_and(|text| text.len() < 300 && text.contains('!')));
    }
}
