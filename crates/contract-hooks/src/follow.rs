//! Where paths lead: by spelling, and by their links as the system follows them.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// Longest path whose links are followed, in bytes: the system opens none that is longer.
const FOLLOWED_MAX_BYTES: usize = 4096;
/// Most links followed in one path, as the system has it.
const LINKS_MAX: usize = 40;
/// Most parts looked up for one path.
const LOOKUPS_MAX: usize = 1000;

/// `.` and `..` resolved by spelling alone.
pub(crate) fn normalized(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => {
                normal.push(component);
            }
        }
    }
    normal
}

/// Where a path leads by its links, `..` taken as the system does. What is not there keeps its spelling: a
/// link to a file that is yet to be made leads to it all the same. `None` for more than the system or we
/// would follow.
pub(crate) fn followed(path: &Path) -> Option<PathBuf> {
    let mut ahead = parts(path);
    let length: usize = ahead.iter().map(|part| part.len() + 1).sum();
    if length > FOLLOWED_MAX_BYTES {
        return None;
    }
    let (mut real, mut links) = (PathBuf::new(), 0);
    for _ in 0..LOOKUPS_MAX {
        let Some(part) = ahead.pop() else { return Some(real) };
        if part == ".." {
            real.pop();
            continue;
        }
        real.push(part);
        let Ok(target) = std::fs::read_link(&real) else { continue };
        links += 1;
        if links > LINKS_MAX {
            return None;
        }
        real.pop();
        ahead.extend(parts(&target));
    }
    None
}

/// The parts of a path without `.`, the last first.
fn parts(path: &Path) -> Vec<OsString> {
    let parts = path.components().filter(|part| *part != Component::CurDir);
    parts.rev().map(|part| part.as_os_str().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_resolved_by_spelling() {
        for (path, normal) in [("/a/./b/../c", "/a/c"), ("/../x", "/x"), ("/a//b/", "/a/b")] {
            assert_eq!(normalized(Path::new(path)), Path::new(normal));
        }
    }

    #[test]
    fn what_is_longer_than_the_system_opens_is_not_followed() {
        assert_eq!(followed(&Path::new("/").join("a/".repeat(2500))), None);
        assert_eq!(followed(&Path::new("/").join("./".repeat(2500))), Some("/".into()));
    }
}
