//! A page of paths from a list that is too long: taken evenly from the top entries of the tree, so that
//! one large folder does not fill it.

use std::collections::HashMap;

/// The paths to show, and how they were chosen.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SamplePage<'v> {
    /// Grouped by entry, in the list's order inside.
    pub(super) paths: Vec<&'v str>,
    /// The folder all paths are in: empty, or ending in `/`.
    pub(super) folder: &'v str,
    /// Entries of that folder that have a path on the page.
    pub(super) entries_shown: usize,
    /// Entries of that folder with any path.
    pub(super) entries: usize,
}

impl SamplePage<'_> {
    /// Each entry is a single path, so the page is simply the head of the list.
    pub(super) fn is_head(&self, total: usize) -> bool {
        self.entries == total
    }
}

/// Chooses at most `max` paths. The list is in order; so are the entries, by their first path.
pub(super) fn choose(paths: &[String], max: usize) -> SamplePage<'_> {
    let folder = common_folder(paths);
    let groups = group(paths, folder.len());
    let taken = shares(&groups, max);
    let entries_shown = taken.iter().filter(|count| **count > 0).count();
    let page = groups.iter().zip(&taken).flat_map(|(group, count)| group.iter().take(*count));
    SamplePage { paths: page.copied().collect(), folder, entries_shown, entries: groups.len() }
}

/// One path from each entry in turn until the page is full: how many each entry gives.
fn shares(groups: &[Vec<&str>], max: usize) -> Vec<usize> {
    let mut taken = vec![0; groups.len()];
    let mut open: Vec<usize> = (0..groups.len()).collect();
    let mut room = max;
    let mut round = 0;
    while room > 0 && !open.is_empty() {
        round += 1;
        open.truncate(room);
        room -= open.len();
        for &at in &open {
            if let Some(count) = taken.get_mut(at) {
                *count += 1;
            }
        }
        open.retain(|&at| groups.get(at).is_some_and(|group| group.len() > round));
    }
    taken
}

/// Paths by the first name below the folder.
fn group(paths: &[String], folder_bytes: usize) -> Vec<Vec<&str>> {
    let mut groups: Vec<Vec<&str>> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for path in paths {
        let inner = path.get(folder_bytes..).unwrap_or(path);
        let entry = inner.split('/').next().unwrap_or(inner);
        let at = *places.entry(entry).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.push(path),
            None => groups.push(vec![path]),
        }
    }
    groups
}

/// The deepest folder that all paths are in, with its slash.
fn common_folder(paths: &[String]) -> &str {
    let Some((first, rest)) = paths.split_first() else { return "" };
    let folder_end = |text: &str| text.rfind('/').map_or(0, |at| at + 1);
    let mut length = folder_end(first);
    for path in rest {
        let same = first.bytes().zip(path.bytes()).take(length).take_while(|(a, b)| a == b);
        let same = same.count();
        if same < length {
            length = first.get(..first.floor_char_boundary(same)).map_or(0, folder_end);
        }
    }
    first.get(..length).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn owned(paths: &[&str]) -> Vec<String> {
        paths.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn entries_take_turns_and_stay_together() {
        let paths = owned(&["a/1", "a/2", "b/1", "a/3", "c", "b/2"]);
        let page = choose(&paths, 5);
        assert_eq!(page.paths, ["a/1", "a/2", "b/1", "b/2", "c"]);
        assert_eq!((page.entries_shown, page.entries), (3, 3));
    }

    #[test]
    fn with_more_entries_than_room_the_first_ones_are_shown() {
        let paths = owned(&["a/1", "a/2", "b/1", "c/1"]);
        let page = choose(&paths, 2);
        assert_eq!(page.paths, ["a/1", "b/1"]);
        assert_eq!((page.entries_shown, page.entries), (2, 3));
    }

    #[test]
    fn entries_count_below_the_folder_all_paths_are_in() {
        let paths = owned(&["/abs/p/x/1", "/abs/p/x/2", "/abs/p/y/1"]);
        let page = choose(&paths, 2);
        assert_eq!((page.folder, page.paths), ("/abs/p/", vec!["/abs/p/x/1", "/abs/p/y/1"]));
        // A common start of two names is no folder, nor is half a character.
        assert_eq!(common_folder(&owned(&["p/ab", "p/ac"])), "p/");
        assert_eq!(common_folder(&owned(&["é/x", "è/x"])), "");
        assert_eq!(common_folder(&owned(&["ab/x", "a/x"])), "");
    }

    #[test]
    fn a_flat_list_is_its_head() {
        let paths = owned(&["p/1", "p/2", "p/3"]);
        let page = choose(&paths, 2);
        assert!(page.is_head(paths.len()));
        assert_eq!(page.paths, ["p/1", "p/2"]);
    }

    proptest! {
        #[test]
        fn the_page_is_full_fair_and_in_order(
            paths in proptest::collection::vec("[ab]{1,2}/[cd]{1,3}", 1..40),
            max in 1usize..30,
        ) {
            let page = choose(&paths, max);
            prop_assert_eq!(page.paths.len(), max.min(paths.len()));
            prop_assert_eq!(page.entries_shown, page.entries.min(max));
            let groups = group(&paths, page.folder.len());
            let taken = shares(&groups, max);
            // No entry gives two more than one that could still give.
            for (group, count) in groups.iter().zip(&taken) {
                if group.len() > *count {
                    prop_assert!(taken.iter().all(|other| *other <= count + 1));
                }
            }
            let expected: Vec<&str> = groups
                .iter()
                .zip(&taken)
                .flat_map(|(group, count)| group[..*count].to_vec())
                .collect();
            prop_assert_eq!(page.paths, expected);
        }
    }
}
