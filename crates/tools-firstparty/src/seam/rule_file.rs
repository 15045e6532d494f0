//! One ignore file: read without waiting and within limits, whatever a tree has put under its name.

use std::path::Path;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::budget::Budget;
use super::error::FsError;
use super::fs::{Disk, FileSystem as _};

/// What is read of a file of rules; the rest does not count.
const FILE_MAX_BYTES: usize = 1024 * 1024;
/// Longest line that can be a rule; no path is longer.
const LINE_MAX_BYTES: usize = 4 * 1024;
/// Bytes of rules compiled at once; between two such portions the search looks at the clock.
const PORTION_BYTES: usize = 64 * 1024;
/// Attempts to compile what is left of a file after a portion of it did not.
const RETRIES_MAX: u32 = 256;

/// The rules of one file, in portions; later ones are stronger.
#[derive(Debug, Default)]
pub(super) struct RuleSet {
    portions: Vec<Gitignore>,
}

impl RuleSet {
    /// There is no rule.
    pub(super) fn is_empty(&self) -> bool {
        self.portions.is_empty()
    }

    /// `Some(true)` to leave out, `Some(false)` to keep, `None` when no rule speaks.
    pub(super) fn verdict(&self, path: &Path, is_folder: bool) -> Option<bool> {
        let verdict = |rules: &Gitignore| match rules.matched(path, is_folder) {
            Match::None => None,
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
        };
        self.portions.iter().rev().find_map(verdict)
    }
}

/// Reads ignore files for a search, within its time.
#[derive(Clone, Copy, Debug)]
pub(super) struct RuleReader<'b> {
    pub(super) budget: &'b Budget<'b>,
    /// What cannot be read is missing from the result; files above the folder searched are not in it.
    pub(super) is_counting: bool,
}

impl RuleReader<'_> {
    /// The rules of `file` for paths below `folder`; a line that is no rule is passed over, as git does.
    pub(super) fn rules(self, folder: &Path, file: &Path) -> RuleSet {
        let bytes = self.read(file);
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
        let lines: Vec<&str> = text.split(|byte| *byte == b'\n').filter_map(rule).collect();
        let mut compiler = Compiler { folder, budget: self.budget, retries: RETRIES_MAX };
        let mut set = RuleSet::default();
        let mut rest = lines.as_slice();
        while !rest.is_empty() {
            let (portion, others) = rest.split_at(portion_lines(rest));
            if !compiler.add(&mut set, portion) {
                break;
            }
            rest = others;
        }
        set
    }

    /// The one line that leads from a work tree to its repository.
    pub(super) fn link(self, file: &Path) -> Option<String> {
        let text = String::from_utf8(self.read(file)).ok()?;
        (text.len() <= LINE_MAX_BYTES).then_some(text)
    }

    /// The start of a regular file; nothing of any other.
    fn read(self, file: &Path) -> Vec<u8> {
        let mut bytes = Vec::new();
        let is_whole = match read_start(file, &mut bytes) {
            Ok(is_whole) => is_whole,
            Err(FsError::NotFound | FsError::NotRegularFile(_) | FsError::NotDirectory) => true,
            Err(FsError::PermissionDenied | FsError::Io(_)) => false,
        };
        if self.is_counting && !is_whole {
            self.budget.skip(1);
        }
        bytes
    }
}

/// Reads whole lines up to the limit; gives whether that is all of the file.
fn read_start(file: &Path, bytes: &mut Vec<u8>) -> Result<bool, FsError> {
    let file = Disk.open(file)?;
    let mut block = [0; 16 * 1024];
    while bytes.len() <= FILE_MAX_BYTES {
        let offset = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let count = file.read_at(&mut block, offset)?;
        if count == 0 {
            return Ok(true);
        }
        bytes.extend_from_slice(block.get(..count).unwrap_or_default());
    }
    // A line that is cut would be another rule.
    bytes.truncate(FILE_MAX_BYTES);
    let end = memchr::memrchr(b'\n', bytes).map_or(0, |at| at + 1);
    bytes.truncate(end);
    Ok(false)
}

/// A line as text, when it can be a rule.
fn rule(line: &[u8]) -> Option<&str> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let can_be = !line.is_empty() && line.first() != Some(&b'#') && line.len() <= LINE_MAX_BYTES;
    std::str::from_utf8(line).ok().filter(|_| can_be)
}

/// How many of the lines are one portion: at least one.
fn portion_lines(lines: &[&str]) -> usize {
    let mut bytes = 0;
    let fits = |line: &&&str| {
        bytes += line.len() + 1;
        bytes <= PORTION_BYTES
    };
    lines.iter().take_while(fits).count().clamp(1, lines.len())
}

/// Compiles the lines of one file.
struct Compiler<'c> {
    folder: &'c Path,
    budget: &'c Budget<'c>,
    retries: u32,
}

impl Compiler<'_> {
    /// Adds lines; when they are too much at once, by halves, without the single ones that never
    /// compile. `false` when the attempts or the time are used up.
    fn add(&mut self, set: &mut RuleSet, lines: &[&str]) -> bool {
        if self.budget.check().is_some() {
            return false;
        }
        let mut builder = GitignoreBuilder::new(self.folder);
        for line in lines {
            // A line that is not understood does not take the rest away.
            let _ = builder.add_line(None, line);
        }
        match builder.build() {
            Ok(rules) if rules.is_empty() => true,
            Ok(rules) => {
                set.portions.push(rules);
                true
            }
            Err(_) if lines.len() <= 1 => true,
            Err(_) => self.add_halves(set, lines),
        }
    }

    fn add_halves(&mut self, set: &mut RuleSet, lines: &[&str]) -> bool {
        let (first, second) = lines.split_at(lines.len() / 2);
        let left = self.retries.checked_sub(2);
        self.retries = left.unwrap_or(0);
        left.is_some() && self.add(set, first) && self.add(set, second)
    }
}

#[cfg(test)]
mod tests;
