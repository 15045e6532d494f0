//! A line diff with a little context, for texts of a few hundred lines.

/// How many unchanged lines to show around a change.
const CONTEXT: usize = 3;

/// What happened to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Kept,
    Removed,
    Added,
}

/// The lines of both texts marked ` `, `-` or `+`; stretches without a change are left out.
pub(crate) fn lines(old: &str, new: &str) -> String {
    let old: Vec<&str> = old.lines().collect();
    let new: Vec<&str> = new.lines().collect();
    let marked = script(&old, &new);
    let near_change = |at: usize| {
        let around = at.saturating_sub(CONTEXT)..(at + CONTEXT + 1).min(marked.len());
        marked[around].iter().any(|(mark, _)| *mark != Mark::Kept)
    };
    let mut text = String::new();
    let mut skipped = false;
    for (at, (mark, line)) in marked.iter().enumerate() {
        if !near_change(at) {
            skipped = true;
            continue;
        }
        if std::mem::take(&mut skipped) {
            text.push_str("  ...\n");
        }
        let sign = match mark {
            Mark::Kept => ' ',
            Mark::Removed => '-',
            Mark::Added => '+',
        };
        text.push_str(&format!("{sign} {line}\n"));
    }
    text
}

/// The shortest edit script, by the table of longest common subsequences.
fn script<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<(Mark, &'a str)> {
    let width = new.len() + 1;
    let mut common = vec![0_u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i * width + j] = if old[i] == new[j] {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j, mut marked) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            marked.push((Mark::Kept, old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len()
            || (i < old.len() && common[(i + 1) * width + j] >= common[i * width + j + 1])
        {
            marked.push((Mark::Removed, old[i]));
            i += 1;
        } else {
            marked.push((Mark::Added, new[j]));
            j += 1;
        }
    }
    marked
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn a_changed_line_is_shown_with_its_neighbours() {
        let diff = lines("a\nb\nc\n", "a\nB\nc\n");
        assert_eq!(diff, "  a\n- b\n+ B\n  c\n");
    }

    #[test]
    fn long_unchanged_stretches_are_left_out() {
        let old: String = (0..20).map(|n| format!("{n}\n")).collect();
        let new = old.replace("10\n", "");
        assert_eq!(lines(&old, &new), "  ...\n  7\n  8\n  9\n- 10\n  11\n  12\n  13\n");
    }

    #[test]
    fn an_empty_side_is_all_added_or_removed() {
        assert_eq!(lines("", "x\n"), "+ x\n");
        assert_eq!(lines("x\n", ""), "- x\n");
        assert_eq!(lines("x\n", "x\n"), "");
    }
}
