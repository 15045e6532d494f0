//! What a path argument may name: as it is spelled, and with its links followed.

use std::path::{Path, PathBuf};

use crate::follow::{followed, normalized};
use crate::policies::wildcard::matches;

/// Whether an argument of this name, or at this JSON pointer, holds a path.
pub(super) fn is_path(key: &str) -> bool {
    let name = key.rsplit('/').next().unwrap_or(key);
    matches!(name, "path" | "workdir" | "cwd") || name.ends_with("_path")
}

/// The workspace root, as it was given and as it really is.
#[derive(Debug)]
pub(super) struct Root {
    spelled: PathBuf,
    real: PathBuf,
}

impl Root {
    pub(super) fn new(root: &Path) -> Self {
        let absolute = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
        let real = followed(&absolute).unwrap_or_else(|| absolute.clone());
        Self { spelled: normalized(&absolute), real }
    }
}

/// The places that one path argument may name. Tools differ in what they make of `a/../b` where `a` is a
/// link, so there may be two beside the spelled one.
#[derive(Debug)]
pub(super) struct Named {
    typed: String,
    spelled: Place,
    /// With links followed; `None` where they lead nowhere or too far to tell.
    followed: Vec<Option<Place>>,
}

/// One place, in all its spellings.
#[derive(Debug)]
struct Place {
    /// To the root, for a place inside it.
    relative: Vec<String>,
    absolute: Vec<String>,
    /// Whether the spellings hold every byte of the path.
    exact: bool,
}

impl Named {
    pub(super) fn new(typed: &str, root: &Root) -> Self {
        let joined = root.spelled.join(typed);
        let spelled = normalized(&joined);
        let mut candidates = vec![joined];
        if candidates[0] != spelled {
            candidates.push(spelled.clone());
        }
        let followed = candidates.iter().map(|path| Some(Place::new(&followed(path)?, root)));
        Self {
            typed: typed.to_owned(),
            followed: followed.collect(),
            spelled: Place::new(&spelled, root),
        }
    }

    /// Whether it may be what the pattern means: any spelling of any place, as a folder too. Where links
    /// cannot be followed to their end, nothing is ruled out.
    pub(super) fn touches(&self, pattern: &PathPattern, root: &Root) -> bool {
        let meanings = pattern.meanings(root);
        let by_place = |place: &Place| {
            meanings.iter().any(|it| place.spellings(it).any(|text| it.is_in(text)))
        };
        matches(&pattern.written, &self.typed)
            || by_place(&self.spelled)
            || self.followed.iter().any(|place| place.as_ref().is_none_or(by_place))
    }

    /// Whether it is certain to be what the pattern means: the spelled place and all followed ones.
    pub(super) fn is_covered(&self, pattern: &PathPattern, root: &Root) -> bool {
        let pattern = pattern.anchored(&root.real);
        let by_place = |place: &Place| {
            place.exact && place.spellings(&pattern).any(|text| matches(&pattern.tidy, text))
        };
        by_place(&self.spelled)
            && self.followed.iter().all(|place| place.as_ref().is_some_and(by_place))
    }
}

impl Place {
    fn new(path: &Path, root: &Root) -> Self {
        let (mut relative, mut absolute) = (Vec::new(), vec![lossy(path)]);
        let roots = [&root.spelled, &root.real];
        if let Some(inner) = roots.into_iter().find_map(|root| path.strip_prefix(root).ok()) {
            let is_root = inner.as_os_str().is_empty();
            relative.push(lossy(if is_root { Path::new(".") } else { inner }));
            absolute.extend(roots.map(|root| lossy(&root.join(inner))));
        }
        Self { relative, absolute, exact: path.to_str().is_some() }
    }

    /// Those that a pattern is compared with.
    fn spellings(&self, pattern: &PathPattern) -> impl Iterator<Item = &str> {
        let absolute = (!pattern.inside_only).then_some(&self.absolute).into_iter().flatten();
        self.relative.iter().chain(absolute).map(String::as_str)
    }
}

fn lossy(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// A pattern for paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathPattern {
    written: String,
    /// The same without `.`, `..` and double or final slashes.
    tidy: String,
    /// Whether it was written relative to the root and now begins with a star: `./*` is not every path.
    inside_only: bool,
}

impl PathPattern {
    pub(super) fn new(written: &str) -> Self {
        let absolute = written.starts_with('/');
        let (mut parts, mut from_root) = (Vec::<&str>::new(), false);
        for part in written.split('/') {
            let last = parts.last().copied();
            match part {
                "" => {}
                "." => from_root |= last.is_none(),
                // What a star stands for cannot be taken back.
                ".." if last.is_some_and(|last| last != ".." && !last.contains('*')) => {
                    parts.pop();
                    from_root |= parts.is_empty();
                }
                ".." if absolute && last.is_none() => {}
                part => parts.push(part),
            }
        }
        let joined = parts.join("/");
        let tidy = match (absolute, joined.is_empty()) {
            (true, _) => format!("/{joined}"),
            (false, true) if !written.is_empty() => ".".to_owned(),
            (false, _) => joined,
        };
        let inside_only = from_root && tidy.starts_with('*') && !absolute;
        Self { written: written.to_owned(), tidy, inside_only }
    }

    /// Whether a path matches, by itself or as the folder of what matches.
    fn is_in(&self, text: &str) -> bool {
        matches(&self.tidy, text) || matches(&self.tidy, &format!("{text}/"))
    }

    /// The pattern, absolute if it leads out of the root by `..`.
    fn anchored(&self, root: &Path) -> Self {
        let (mut folder, mut rest) = (root.to_owned(), self.tidy.as_str());
        while let Some(above) =
            rest.strip_prefix("..").filter(|it| it.is_empty() || it.starts_with('/'))
        {
            folder.pop();
            rest = above.trim_start_matches('/');
        }
        let tidy =
            if rest.len() == self.tidy.len() { rest.to_owned() } else { lossy(&folder.join(rest)) };
        Self { tidy, ..self.clone() }
    }

    /// What it may mean: by the root as it is spelled and as it is, and with the links of its own folder
    /// followed.
    fn meanings(&self, root: &Root) -> Vec<Self> {
        let mut meanings = vec![self.anchored(&root.spelled), self.anchored(&root.real)];
        let behind: Vec<_> = meanings.iter().filter_map(|it| it.behind(&root.spelled)).collect();
        meanings.extend(behind);
        meanings
    }

    /// The pattern with the links before its first star followed, where there are any.
    fn behind(&self, root: &Path) -> Option<Self> {
        let before_star = self.tidy.split('*').next()?;
        let whole = before_star.len() == self.tidy.len();
        let cut = if whole { before_star.len() } else { before_star.rfind('/')? };
        let (folder, rest) = self.tidy.split_at_checked(cut)?;
        let spelled = normalized(&root.join(folder));
        let real = followed(&spelled).filter(|real| *real != spelled)?;
        let tidy = format!("{}{rest}", lossy(&real).trim_end_matches('/'));
        Some(Self { tidy, inside_only: false, ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_tidied() {
        for (written, tidy, inside_only) in [
            ("./secrets/**", "secrets/**", false),
            ("secrets//x", "secrets/x", false),
            ("secrets/../secrets/**", "secrets/**", false),
            ("secrets/", "secrets", false),
            ("/a/./b/../*", "/a/*", false),
            ("/../x", "/x", false),
            ("../x/*", "../x/*", false),
            ("a/../../x", "../x", false),
            ("a*/../b", "a*/../b", false),
            ("./*", "*", true),
            ("src/../*.rs", "*.rs", true),
            ("*", "*", false),
            (".", ".", false),
            ("", "", false),
            ("/", "/", false),
            ("Secrets/X", "Secrets/X", false),
        ] {
            let pattern = PathPattern::new(written);
            assert_eq!(
                (pattern.tidy.as_str(), pattern.inside_only),
                (tidy, inside_only),
                "{written}"
            );
        }
    }

    #[test]
    fn arguments_that_hold_paths_are_known_by_name() {
        for key in ["path", "file_path", "workdir", "cwd", "/edits/0/file_path", "/a/path"] {
            assert!(is_path(key), "{key}");
        }
        for key in ["pattern", "paths", "/path/x", "filepath"] {
            assert!(!is_path(key), "{key}");
        }
    }
}
