//! A tree of made source files, the same every time, for searches.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::step::target;

/// How many files the tree has.
pub(crate) const FILES: usize = 40_000;

/// How many files a folder has.
const PER_FOLDER: usize = 100;

/// What is searched for: a name, and the pattern.
pub(crate) const PATTERNS: &[(&str, &str)] = &[
    ("rare", "Mutex<Needle"),
    ("insensitive", r"(?i)fn \w+_async"),
    ("none", "no_such_word_here"),
    ("frequent", r"\btrait async\b"),
];

/// Words that the lines are made of.
const WORDS: &[&str] = &[
    "let",
    "value",
    "self.state",
    "match",
    "fn",
    "poll_next",
    "impl",
    "return",
    "buffer",
    "count",
    "struct",
    "offset",
    "Result<Vec<u8>>",
    "where",
    "=>",
    "if",
    "else",
    "cursor",
    "trait",
    "async",
];

/// Makes the tree unless it is there, and returns its root.
pub(crate) fn make() -> Result<PathBuf> {
    let root = target().join("bench-tree");
    let finished = root.join("complete.txt");
    if finished.is_file() {
        return Ok(root);
    }
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for folder in 0..FILES / PER_FOLDER {
        let path = root.join(format!("group_{}", folder % 20)).join(format!("module_{folder}"));
        fs::create_dir_all(&path).with_context(|| path.display().to_string())?;
        // One file of the whole tree is the mark that it is complete.
        let count = if folder == 0 { PER_FOLDER - 1 } else { PER_FOLDER };
        for file in 0..count {
            write(&path.join(format!("file_{file}.rs")), &mut random)?;
        }
    }
    fs::write(&finished, "complete\n")?;
    Ok(root)
}

/// A file of 20 to 200 lines; one in forty holds the rare word.
fn write(path: &Path, random: &mut Random) -> Result<()> {
    let mut text = String::new();
    for _ in 0..20 + random.below(180) {
        text.push_str(&" ".repeat(4 * random.below(4)));
        for _ in 0..2 + random.below(9) {
            text.push_str(WORDS[random.below(WORDS.len())]);
            text.push(' ');
        }
        text.push_str(";\n");
    }
    if random.below(40) == 0 {
        text.push_str("    lock: Mutex<Needle>,\n    fn wait_async() {}\n");
    }
    fs::write(path, text).with_context(|| path.display().to_string())
}

/// A small generator with a fixed start: the same tree on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % (limit as u64)).unwrap_or(0)
    }
}
