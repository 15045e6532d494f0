//! Ignore files: which entries of a tree a search leaves out (decisions DF6).
//!
//! `.rgignore`, `.ignore`, `.gitignore`, `.git/info/exclude` and git's global file, in this order of
//! strength; within one kind the file nearest to the entry decides. `.gitignore` counts outside a
//! repository too, and not above the top of one.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

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
    global: Arc<Gitignore>,
}

/// The rule files of one folder that has any.
#[derive(Debug)]
struct Level {
    above: Option<Arc<Level>>,
    rgignore: Gitignore,
    ignore: Gitignore,
    gitignore: Gitignore,
    exclude: Gitignore,
    is_repository_top: bool,
}

impl Rules {
    /// The rules that the folders above `root` set for it.
    pub(super) fn above(root: &Path) -> Self {
        let (global, _) = GitignoreBuilder::new(root).build_global();
        let mut rules = Self { nearest: None, global: Arc::new(global) };
        let mut folders: Vec<&Path> = root.ancestors().skip(1).collect();
        while let Some(folder) = folders.pop() {
            rules = rules.inside(folder, RuleFiles::look_in(folder));
        }
        rules
    }

    /// The rules inside `folder`, which lies directly below.
    pub(super) fn inside(&self, folder: &Path, files: RuleFiles) -> Self {
        if !files.any() {
            return self.clone();
        }
        let load = |present: bool, name: &str| {
            if present { load(folder, &folder.join(name)) } else { Gitignore::empty() }
        };
        let level = Level {
            above: self.nearest.clone(),
            rgignore: load(files.rgignore, ".rgignore"),
            ignore: load(files.ignore, ".ignore"),
            gitignore: load(files.gitignore, ".gitignore"),
            exclude: if files.git { load_exclude(folder) } else { Gitignore::empty() },
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
            None => verdict(&self.global, path, is_folder) == Some(true),
        }
    }

    fn nearest_match(
        &self,
        path: &Path,
        is_folder: bool,
        file: impl Fn(&Level) -> Option<&Gitignore>,
    ) -> Option<bool> {
        self.levels().filter_map(file).find_map(|rules| verdict(rules, path, is_folder))
    }

    fn nearest_git_match(
        &self,
        path: &Path,
        is_folder: bool,
        file: impl Fn(&Level) -> &Gitignore,
    ) -> Option<bool> {
        for level in self.levels() {
            if let Some(is_ignored) = verdict(file(level), path, is_folder) {
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

/// `Some(true)` to leave out, `Some(false)` to keep, `None` when no rule speaks.
fn verdict(rules: &Gitignore, path: &Path, is_folder: bool) -> Option<bool> {
    match rules.matched(path, is_folder) {
        Match::None => None,
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
    }
}

/// The rules of a file; a line that is no rule is passed over, as git does.
fn load(folder: &Path, file: &Path) -> Gitignore {
    let mut builder = GitignoreBuilder::new(folder);
    // A part of the file that cannot be read or understood does not take the rest away.
    let _ = builder.add(file);
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

fn load_exclude(folder: &Path) -> Gitignore {
    match git_dir(folder) {
        Some(git) => load(folder, &git.join("info/exclude")),
        None => Gitignore::empty(),
    }
}

/// The repository's own folder; in a linked work tree `.git` is a file that leads to it.
fn git_dir(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let link = fs::read_to_string(&git).ok()?;
    let linked = folder.join(link.strip_prefix("gitdir:")?.trim());
    match fs::read_to_string(linked.join("commondir")) {
        Ok(common) => Some(linked.join(common.trim())),
        Err(_) => Some(linked),
    }
}
