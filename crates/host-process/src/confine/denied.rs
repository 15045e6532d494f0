//! What a command was refused to write, as far as it says so.
//!
//! The kernel tells nobody but its audit log whom Landlock refused what. A command usually tells, with the system's
//! words and the path. That alone proves nothing, so the path is put to the rules: it must be one that the
//! confinement keeps from the command, and that this program could write.

use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, accessat};

use crate::running::{Finished, Status};

/// The system's words for what Landlock and `bwrap` refuse, in small letters.
const WORDS: &[&str] = &["permission denied", "read-only file system"];

const QUOTES: [char; 5] = ['\'', '"', '`', '\u{2018}', '\u{2019}'];

/// What commands say that were refused to read, which no confinement does: the word they begin with, or their words.
const READERS: &[&str] =
    &["cat: ", "head: ", "tail: ", "grep: ", "ls: ", "find: ", "less: ", "wc: ", "diff: "];
const READING: &[&str] = &["for reading", "cannot open directory", "cannot access"];

/// How many are told.
const MOST: usize = 8;

/// Some commands tell the path first and the system's words a few lines on.
const LINES_BEFORE: usize = 4;

/// The paths on stderr that the command was refused to write. `folder` is what its relative paths start from.
pub(crate) fn denied(finished: &Finished, folder: &Path, writable: &[PathBuf]) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    // A shell's word for what may not be executed, which no confinement keeps it from.
    if finished.status == Status::Exited(126) {
        return found;
    }
    let text = finished.stderr.text();
    let lines: Vec<&str> = text.lines().collect();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| says_refused(line)) {
        let mut here = candidates(line);
        if here.is_empty() {
            let before = lines.get(at.saturating_sub(LINES_BEFORE)..at).unwrap_or_default();
            here = before.iter().flat_map(|line| candidates(line)).collect();
        }
        for path in here.into_iter().map(|named| folder.join(named)) {
            if found.len() < MOST && !found.contains(&path) && is_kept(&path, writable) {
                found.push(path);
            }
        }
    }
    found
}

fn says_refused(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    WORDS.iter().any(|words| text.contains(words)) && !says_reading(&text)
}

fn says_reading(text: &str) -> bool {
    READERS.iter().any(|word| text.starts_with(word))
        || READING.iter().any(|words| text.contains(words))
}

/// What may be a path in a line: what is quoted; what stands between colons, in whole or its last word, if it
/// has a slash or stands right before the system's words.
fn candidates(line: &str) -> Vec<&str> {
    // Every other part is within quotes.
    let mut found: Vec<&str> = line.split(QUOTES).skip(1).step_by(2).collect();
    let parts: Vec<&str> = line.split(": ").collect();
    for (at, part) in parts.iter().enumerate().filter(|(_, part)| !part.contains(QUOTES)) {
        let named = parts.get(at + 1).is_some_and(|next| says_refused(next));
        let whole_and_last = [Some(*part), part.split(' ').next_back()].into_iter().flatten();
        found.extend(whole_and_last.filter(|path| named || path.contains('/')));
    }
    found.retain(|path| !path.is_empty());
    found
}

/// Whether writing there is what the confinement keeps the command from, and nothing else does.
fn is_kept(path: &Path, writable: &[PathBuf]) -> bool {
    let Some(parent) = path.parent().and_then(|parent| parent.canonicalize().ok()) else {
        return false;
    };
    let Some(name) = path.file_name() else { return false };
    let place = path.canonicalize().unwrap_or_else(|_| parent.join(name));
    let allowed = writable.iter().any(|root| place.starts_with(root));
    let may = |path: &Path, access| accessat(CWD, path, access, AtFlags::EACCESS).is_ok();
    let writes = |path: &Path| may(path, Access::WRITE_OK);
    // What may not be read was refused for that, perhaps.
    let could = match place.exists() {
        true => may(&place, Access::READ_OK) && (writes(&place) || writes(&parent)),
        false => writes(&parent),
    };
    !allowed && could
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_in_what_commands_say() {
        for (line, path) in [
            ("touch: cannot touch '/etc/x': Permission denied", "/etc/x"),
            ("sh: 1: cannot create /etc/x: Permission denied", "/etc/x"),
            ("bash: /etc/a b: Permission denied", "/etc/a b"),
            ("bash: line 1: rel/x: Permission denied", "rel/x"),
            ("PermissionError: [Errno 13] Permission denied: '/etc/x'", "/etc/x"),
            ("error: failed to open: /opt/cargo/x", "/opt/cargo/x"),
            ("Error: EACCES: permission denied, open '/etc/x'", "/etc/x"),
            ("open /etc/x: permission denied", "/etc/x"),
            ("mkdir: cannot create directory ‘/etc/x’: Read-only file system", "/etc/x"),
        ] {
            assert!(candidates(line).contains(&path), "{line}");
        }
    }

    #[test]
    fn names_of_commands_are_no_paths() {
        assert_eq!(candidates("touch: cannot touch 'x': Permission denied"), ["x"]);
        assert_eq!(candidates("  Permission denied (os error 13)"), [""; 0]);
        assert_eq!(candidates("cp: out.txt: Permission denied"), ["out.txt", "out.txt"]);
    }

    #[test]
    fn a_path_counts_only_if_the_confinement_keeps_it() {
        let folder = tempfile::tempdir().unwrap();
        let inside = tempfile::tempdir().unwrap();
        let roots = [inside.path().canonicalize().unwrap()];
        assert!(is_kept(&folder.path().join("new"), &roots));
        assert!(!is_kept(&inside.path().join("new"), &roots));
        assert!(is_kept(&inside.path().join("..").join("new"), &roots));
        assert!(!is_kept(Path::new("/no/such/folder/new"), &roots));
        std::os::unix::fs::symlink(folder.path(), inside.path().join("link")).unwrap();
        assert!(is_kept(&inside.path().join("link/new"), &roots));
    }
}
