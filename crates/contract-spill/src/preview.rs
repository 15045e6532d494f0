//! The preview of a text that is too long: its head and its tail, and between them one row that counts
//! exactly what is left out.

use crate::text::{SpillText, length, line_feeds};

/// Most bytes of a character. Either end of a preview has room for one.
const CHAR_BYTES: usize = 4;

/// Line feeds around the gap row.
const ROW_ENDS: usize = 2;

/// Head, gap row and tail of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// What is shown.
    pub text: String,
    /// Bytes of the text that are not shown.
    pub omitted_bytes: u64,
    /// Lines of the text that are not shown; `None` where the gap begins or ends inside a line.
    pub omitted_lines: Option<u64>,
}

/// A preview of `text` of at most `max_bytes` bytes, the gap row included (contract S1).
///
/// Cuts fall between lines. Only where that would give up more than half of an end's share, a line is cut,
/// at a character boundary. A text that fits is its own preview. `None` when there is no room for
/// both ends and the row.
#[must_use]
pub fn preview(text: &SpillText<'_>, max_bytes: usize) -> Option<Preview> {
    let total = text.bytes();
    if usize::try_from(total).is_ok_and(|total| total <= max_bytes) {
        return Some(Preview { text: text.to_string(), omitted_bytes: 0, omitted_lines: Some(0) });
    }
    let lines = text.line_feeds();
    // No count is greater than that of the whole text, so no row is longer.
    let longest_row = row(total, Some(lines)).len().max(row(total, None).len());
    let room = max_bytes.checked_sub(longest_row + ROW_ENDS)?;
    if room < 2 * CHAR_BYTES {
        return None;
    }
    let head = head(text, room.div_ceil(2));
    let tail = tail(text, room - head.text.len());
    let omitted_bytes = total - length(&head.text) - length(&tail.text);
    let omitted_lines = (head.between_lines && tail.between_lines)
        .then(|| lines - line_feeds(&head.text) - line_feeds(&tail.text));
    let mut shown = head.text;
    if !shown.ends_with('\n') {
        shown.push('\n');
    }
    shown.push_str(&row(omitted_bytes, omitted_lines));
    shown.push('\n');
    shown.push_str(&tail.text);
    Some(Preview { text: shown, omitted_bytes, omitted_lines })
}

/// One end of the text.
struct End {
    text: String,
    between_lines: bool,
}

fn head(text: &SpillText<'_>, share: usize) -> End {
    let mut head = text.head(share);
    let whole_lines = head.rfind('\n').map_or(0, |last| last + 1);
    let between_lines = is_enough(whole_lines, share);
    if between_lines {
        head.truncate(whole_lines);
    }
    End { text: head, between_lines }
}

fn tail(text: &SpillText<'_>, share: usize) -> End {
    // One byte more: the line feed before a tail that fills its share.
    let mut window = text.tail(share.saturating_add(1));
    let after_line_feed = window.find('\n').map_or(window.len(), |first| first + 1);
    if is_enough(window.len() - after_line_feed, share) {
        return End { text: window.split_off(after_line_feed), between_lines: true };
    }
    End { text: text.tail(share), between_lines: false }
}

/// Whether whole lines make enough of a share.
fn is_enough(whole_lines: usize, share: usize) -> bool {
    whole_lines >= share.div_ceil(2)
}

fn row(bytes: u64, lines: Option<u64>) -> String {
    let bytes = plural(bytes, "byte");
    match lines {
        Some(lines) => format!("[… {} left out ({bytes}) …]", plural(lines, "line")),
        None => format!("[… {bytes} left out …]"),
    }
}

fn plural(count: u64, unit: &str) -> String {
    if count == 1 { format!("1 {unit}") } else { format!("{count} {unit}s") }
}
