//! Ignore files: which entries of a tree a search leaves out (decisions DF6).
//!
//! `.rgignore`, `.ignore`, `.gitignore`, `.git/info/exclude` and git's global file, in this order of
//! strength; within one kind the file nearest to the entry decides. `.gitignore` counts outside a
//! repository too, and not above the top of one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::gitignore::gitconfig_excludes_path;

use super::budget::Budget;
use super::rule_file::{RuleReader, RuleSet};

/// Folders of version control systems; never searched.
const VCS_NAMES: [&[u8]; 6] = [b".git", b".svn", b".hg", b".bzr", b".jj", b".sl"];

/// Whether `name` belongs to a version control system.
pub(super) fn is_vcs_name(name: &[u8]) -> bool {
    name.first() == Some(&b'.') && VCS_NAMES.contains(&name)
}

/// What a listing has shown of a folder's rules; only these files are opened.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RuleFiles {
    rgignore: bool,
    ignore: bool,
    gitignore: bool,
    git: bool,
    jj: bool,
}

impl RuleFiles {
    /// Takes note of an entry's name.
    pub(super) fn note(&mut self, name: &[u8]) {
        if name.first() != Some(&b'.') {
            return;
        }
        match name {
            b".rgignore" => self.rgignore = true,
            b".ignore" => self.ignore = true,
            b".gitignore" => self.gitignore = true,
            b".git" => self.git = true,
            b".jj" => self.jj = true,
            _ => {}
        }
    }

    /// Whether there is any to open.
    pub(super) fn any(self) -> bool {
        self.rgignore || self.ignore || self.gitignore || self.git || self.jj
    }

    /// For folders above the one searched, which are not listed: ask for each file.
    fn look_in(folder: &Path) -> Self {
        let has = |name: &str| folder.join(name).symlink_metadata().is_ok();
        Self {
            rgignore: has(".rgignore"),
            ignore: has(".ignore"),
            gitignore: has(".gitignore"),
            git: has(".git"),
            jj: has(".jj"),
        }
    }
}

/// The rules in force in a folder: its own and those of all folders above.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    nearest: Option<Arc<Level>>,
    global: Arc<RuleSet>,
}

/// The rule files of one folder that has any.
#[derive(Debug)]
struct Level {
    above: Option<Arc<Level>>,
    rgignore: RuleSet,
    ignore: RuleSet,
    gitignore: RuleSet,
    exclude: RuleSet,
    is_repository_top: bool,
}

impl Rules {
    /// The rules that the folders above `root` set for it.
    pub(super) fn above(root: &Path, budget: &Budget<'_>) -> Self {
        let reader = RuleReader { budget, is_counting: false };
        let global = gitconfig_excludes_path().map(|file| reader.rules(root, &file));
        let global = global.unwrap_or_default();
        let mut rules = Self { nearest: None, global: Arc::new(global) };
        let mut folders: Vec<&Path> = root.ancestors().skip(1).collect();
        while let Some(folder) = folders.pop() {
            rules = rules.inside(folder, RuleFiles::look_in(folder), reader);
        }
        rules
    }

    /// The rules inside `folder`, which lies directly below.
    pub(super) fn inside(&self, folder: &Path, files: RuleFiles, reader: RuleReader<'_>) -> Self {
        if !files.any() {
            return self.clone();
        }
        let load = |present: bool, name: &str| {
            if present { reader.rules(folder, &folder.join(name)) } else { RuleSet::default() }
        };
        let level = Level {
            above: self.nearest.clone(),
            rgignore: load(files.rgignore, ".rgignore"),
            ignore: load(files.ignore, ".ignore"),
            gitignore: load(files.gitignore, ".gitignore"),
            exclude: if files.git { exclude(folder, reader) } else { RuleSet::default() },
            is_repository_top: files.git || files.jj,
        };
        Self { nearest: Some(Arc::new(level)), global: Arc::clone(&self.global) }
    }

    /// No rule can apply, so no path need be made.
    pub(super) fn is_empty(&self) -> bool {
        self.nearest.is_none() && self.global.is_empty()
    }

    /// Whether the entry at `path`, absolute, is to be left out.
    pub(super) fn ignores(&self, path: &Path, is_folder: bool) -> bool {
        let matched = self
            .nearest_match(path, is_folder, |level| Some(&level.rgignore))
            .or_else(|| self.nearest_match(path, is_folder, |level| Some(&level.ignore)))
            .or_else(|| self.nearest_git_match(path, is_folder, |level| &level.gitignore))
            .or_else(|| self.nearest_git_match(path, is_folder, |level| &level.exclude));
        match matched {
            Some(is_ignored) => is_ignored,
            None => self.global.verdict(path, is_folder) == Some(true),
        }
    }

    fn nearest_match(
        &self,
        path: &Path,
        is_folder: bool,
        file: impl Fn(&Level) -> Option<&RuleSet>,
    ) -> Option<bool> {
        self.levels().filter_map(file).find_map(|rules| rules.verdict(path, is_folder))
    }

    fn nearest_git_match(
        &self,
        path: &Path,
        is_folder: bool,
        file: impl Fn(&Level) -> &RuleSet,
    ) -> Option<bool> {
        for level in self.levels() {
            if let Some(is_ignored) = file(level).verdict(path, is_folder) {
                return Some(is_ignored);
            }
            if level.is_repository_top {
                return None;
            }
        }
        None
    }

    fn levels(&self) -> impl Iterator<Item = &Level> {
        std::iter::successors(self.nearest.as_deref(), |level| level.above.as_deref())
    }
}

fn exclude(folder: &Path, reader: RuleReader<'_>) -> RuleSet {
    match git_dir(folder, reader) {
        Some(git) => reader.rules(folder, &git.join("info/exclude")),
        None => RuleSet::default(),
    }
}

/// The repository's own folder; in a linked work tree `.git` is a file that leads to it.
fn git_dir(folder: &Path, reader: RuleReader<'_>) -> Option<PathBuf> {
    let git = folder.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let link = reader.link(&git)?;
    let linked = folder.join(link.strip_prefix("gitdir:")?.trim());
    match reader.link(&linked.join("commondir")).as_deref().map(str::trim) {
        Some("") | None => Some(linked),
        Some(common) => Some(linked.join(common)),
    }
}
