//! What changed, for a user interface: hunks with 3 lines around them (decisions DF8, DF9).

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};
use serde::Serialize;

use crate::config::ChangeCaps;
use crate::text::json_size::json_bytes;

/// Lines shown before and after a change.
const CONTEXT_LINES: usize = 3;

/// What changed in a file.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct DiffMeta<'a> {
    pub(super) diffs: Vec<Hunk<'a>>,
    /// Hunks were left out: the metadata would have been too large, or the texts were.
    pub(super) truncated: bool,
}

/// Some lines before and after.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Hunk<'a> {
    path: &'a str,
    /// `None` when there was no line.
    old_text: Option<String>,
    new_text: String,
}

impl<'a> DiffMeta<'a> {
    /// The hunks from `before` to `after`; none for a new file, or when it is not known what was there.
    pub(super) fn of(caps: &ChangeCaps, path: &'a str, before: Option<&str>, after: &str) -> Self {
        let mut meta = Self { diffs: Vec::new(), truncated: false };
        let Some(before) = before.filter(|before| *before != after) else { return meta };
        let sides = Sides::of(before, after, caps.diff_max_lines);
        meta.truncated = sides.is_cut;
        meta.fill(path, &sides, caps.meta_max_bytes);
        meta
    }

    fn fill(&mut self, path: &'a str, sides: &Sides<'_>, max_bytes: usize) {
        // As if it were truncated, which takes no less.
        let mut room = max_bytes.saturating_sub(json_bytes(&*self));
        for (old, new) in sides.hunks() {
            // Joined only when it can fit.
            let least: usize = [(&sides.old, &old), (&sides.new, &new)]
                .iter()
                .flat_map(|(lines, range)| lines.get((*range).clone()).unwrap_or_default())
                .map(|line| line.text.len() + 1)
                .sum();
            if least > room {
                self.truncated = true;
                return;
            }
            let old_text = (!old.is_empty()).then(|| join(&sides.old, old));
            let hunk = Hunk { path, old_text, new_text: join(&sides.new, new) };
            let size = json_bytes(&hunk) + 1;
            if size > room {
                self.truncated = true;
                return;
            }
            room -= size;
            self.diffs.push(hunk);
        }
    }
}

fn join(lines: &[Line<'_>], range: Range<usize>) -> String {
    let texts: Vec<&str> =
        lines.get(range).unwrap_or_default().iter().map(|line| line.text).collect();
    texts.join("\n")
}

/// One line; how it ends is whether, not with what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Line<'a> {
    text: &'a str,
    is_ended: bool,
}

impl<'a> Line<'a> {
    fn of(raw: &'a str) -> Self {
        match raw.strip_suffix('\n') {
            None => Self { text: raw, is_ended: false },
            Some(text) => Self { text: text.strip_suffix('\r').unwrap_or(text), is_ended: true },
        }
    }
}

/// The lines of both texts without those that are the same at both ends, but for a few around.
#[derive(Debug)]
struct Sides<'a> {
    old: Vec<Line<'a>>,
    new: Vec<Line<'a>>,
    /// There were more.
    is_cut: bool,
}

impl<'a> Sides<'a> {
    /// Of more than `max_lines` to compare, the first.
    fn of(before: &'a str, after: &'a str, max_lines: usize) -> Self {
        let (mut old, mut new) = (lines(before), lines(after));
        let mut ahead = (old.clone(), new.clone());
        let same_start = count_same(|| Some((ahead.0.next()?, ahead.1.next()?)));
        let skip = same_start.saturating_sub(CONTEXT_LINES);
        pass(&mut old, skip);
        pass(&mut new, skip);
        // What is the same at the start does not count again at the end.
        let mut rest = (old.clone(), new.clone());
        pass(&mut rest.0, same_start - skip);
        pass(&mut rest.1, same_start - skip);
        let same_end = count_same(|| Some((rest.0.next_back()?, rest.1.next_back()?)));
        let drop = same_end.saturating_sub(CONTEXT_LINES);
        let max = (max_lines / 2).saturating_add(2 * CONTEXT_LINES);
        let ((old, old_is_cut), (new, new_is_cut)) =
            (without_last(old, drop, max), without_last(new, drop, max));
        Self { old, new, is_cut: old_is_cut || new_is_cut }
    }

    /// Ranges of lines of the hunks, of both sides.
    fn hunks(&self) -> impl Iterator<Item = (Range<usize>, Range<usize>)> + use<'_> {
        let mut input = InternedInput::default();
        input.update_before(self.old.iter().copied());
        input.update_after(self.new.iter().copied());
        let mut diff = Diff::compute(Algorithm::Myers, &input);
        diff.postprocess_no_heuristic(&input);
        let changes: Vec<_> =
            diff.hunks().map(|hunk| (wide(hunk.before), wide(hunk.after))).collect();
        let mut groups: Vec<(Range<usize>, Range<usize>)> = Vec::new();
        for (old, new) in changes {
            match groups.last_mut() {
                Some(last) if old.start - last.0.end <= 2 * CONTEXT_LINES => {
                    (last.0.end, last.1.end) = (old.end, new.end);
                }
                _ => groups.push((old, new)),
            }
        }
        groups
            .into_iter()
            .map(|(old, new)| (around(&old, self.old.len()), around(&new, self.new.len())))
            // Where it was cut it is not known how a change goes on.
            .filter(|(old, new)| {
                !self.is_cut || (old.end < self.old.len() && new.end < self.new.len())
            })
    }
}

fn lines(text: &str) -> impl DoubleEndedIterator<Item = Line<'_>> + Clone {
    text.split_inclusive('\n').map(Line::of)
}

fn pass<'a>(lines: &mut impl Iterator<Item = Line<'a>>, count: usize) {
    lines.take(count).for_each(drop);
}

fn count_same<'a>(pair: impl FnMut() -> Option<(Line<'a>, Line<'a>)>) -> usize {
    std::iter::from_fn(pair).take_while(|(a, b)| a == b).count()
}

/// All but the last `count`, at most `max`, and whether there were more.
fn without_last<'a>(
    mut lines: impl DoubleEndedIterator<Item = Line<'a>>,
    count: usize,
    max: usize,
) -> (Vec<Line<'a>>, bool) {
    if count > 0 {
        lines.nth_back(count - 1);
    }
    let kept = lines.by_ref().take(max).collect();
    (kept, lines.next().is_some())
}

fn wide(range: Range<u32>) -> Range<usize> {
    let wide = |at| usize::try_from(at).unwrap_or(usize::MAX);
    wide(range.start)..wide(range.end)
}

fn around(range: &Range<usize>, length: usize) -> Range<usize> {
    range.start.saturating_sub(CONTEXT_LINES)..(range.end + CONTEXT_LINES).min(length)
}

#[cfg(test)]
mod tests;
