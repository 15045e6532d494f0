//! The text of `grep`: matches by file, and what is not shown.

use std::fmt::Write as _;
use std::num::NonZeroU64;

use contract_schema::ContentBlock;

use super::grep::GrepValue;
use super::incomplete::{Incomplete, plural};
use super::matches::{GrepMatch, Matches};
use super::page;
use crate::config::GrepCaps;
use crate::text::cut;
use crate::text::escape::one_row;

/// The page, kept as text so that it can be completed later.
pub(super) struct Page {
    text: String,
    is_cut: bool,
    incomplete: Option<String>,
}

impl Page {
    pub(super) fn of(caps: &GrepCaps, value: &GrepValue) -> Self {
        let incomplete = value.incomplete.as_ref().map(Incomplete::row);
        let total = value.matches.len();
        let shown = total.min(caps.page_max_matches);
        let is_cut = shown < total;
        let head = match total {
            0 => "No line matches.\n".to_owned(),
            _ if is_cut => format!("{shown} of {total} matches\n"),
            _ => head(&value.matches),
        };
        Self { text: sections(caps, head, &value.matches, shown), is_cut, incomplete }
    }

    pub(super) fn render(&self, saved_at: Option<&str>) -> Vec<ContentBlock> {
        let mut text = self.text.clone();
        if self.is_cut {
            let narrow = "narrow the pattern, or use path or include";
            text.push_str(&format!("\n({})\n", page::recovery(saved_at, narrow)));
        }
        if let Some(incomplete) = &self.incomplete {
            text.push_str(&format!("\n{incomplete}\n"));
        }
        text.pop();
        vec![ContentBlock::text(text)]
    }
}

/// All matches, their lines cut as on the page.
pub(super) fn full_text(caps: &GrepCaps, value: &GrepValue) -> String {
    let mut text = sections(caps, head(&value.matches), &value.matches, usize::MAX);
    if let Some(incomplete) = &value.incomplete {
        text.push_str(&format!("\n{}\n", incomplete.row()));
    }
    text
}

/// The line as it is shown, and a mark when it is cut.
pub(super) fn preview<'v>(caps: &GrepCaps, found: &GrepMatch<'v>) -> (&'v str, Option<String>) {
    let start = cut::to_bytes(found.line, caps.line_max_bytes);
    if start.len() == found.line.len() && found.line_bytes.is_none() {
        return (start, None);
    }
    let whole = found.line_bytes.map_or_else(|| as_u64(found.line.len()), NonZeroU64::get);
    (start, Some(format!("… [line of {whole} bytes cut]")))
}

fn head(matches: &Matches) -> String {
    let files = as_u64(matches.files(usize::MAX).count());
    let count = plural(as_u64(matches.len()), "match", "matches");
    format!("{count} in {}\n", plural(files, "file", "files"))
}

fn sections(caps: &GrepCaps, head: String, matches: &Matches, max: usize) -> String {
    let mut text = head;
    for file in matches.files(max) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n{}", one_row(file.path));
        for found in file.matches() {
            let (line, mark) = preview(caps, &found);
            let _ = writeln!(text, "{}: {line}{}", found.line_number, mark.unwrap_or_default());
        }
    }
    text
}

fn as_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
