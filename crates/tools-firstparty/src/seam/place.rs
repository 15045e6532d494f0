//! Where a path argument leads, and how it is shown: relative to the workspace root when under it,
//! else absolute (decisions DF9).

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use super::error::FsError;
use super::fs::FileSystem;

/// A path argument, resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Where it is; links are not followed unless the argument held `..`.
    pub(crate) absolute: PathBuf,
    /// How it is shown; `.` for the workspace root itself.
    pub(crate) shown: String,
}

impl Place {
    /// Resolves `requested` against the workspace root.
    ///
    /// With `..` in it, the path is followed as the system would, because `a/..` is not always where
    /// it looks to be when `a` is a link.
    ///
    /// # Errors
    /// What the system said while following `..`.
    pub(crate) fn resolve(
        fs: &dyn FileSystem,
        workspace_root: &Path,
        requested: &str,
    ) -> Result<Self, FsError> {
        let root = std::path::absolute(workspace_root)?;
        let joined = without_dots(&root.join(requested));
        if !joined.components().any(|part| part == Component::ParentDir) {
            return Ok(Self { shown: show(&root, &joined), absolute: joined });
        }
        let absolute = fs.canonicalize(&joined)?;
        let real_root = fs.canonicalize(&root)?;
        Ok(Self { shown: show(&real_root, &absolute), absolute })
    }

    /// What the shown path of an entry below this folder starts with: nothing, or a folder and `/`.
    pub(crate) fn prefix(&self) -> String {
        match self.shown.as_str() {
            "." => String::new(),
            shown if shown.ends_with('/') => shown.to_owned(),
            shown => format!("{shown}/"),
        }
    }
}

/// A path argument of a tool that changes files. It need not exist, so the publisher follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    /// As it was given, and absolute; `..` still in it.
    pub(crate) absolute: PathBuf,
    root: PathBuf,
}

impl Spot {
    /// Joins `requested` to the workspace root; no link is followed.
    ///
    /// # Errors
    /// There is no current folder that a relative workspace root could stand in.
    pub(crate) fn of(workspace_root: &Path, requested: &str) -> Result<Self, FsError> {
        let root = std::path::absolute(workspace_root)?;
        Ok(Self { absolute: without_dots(&root.join(requested)), root })
    }

    /// How it is shown, as [`Place`] would; `real` is where it leads.
    pub(crate) fn shown(&self, fs: &dyn FileSystem, real: &Path) -> String {
        if !self.absolute.components().any(|part| part == Component::ParentDir) {
            return show(&self.root, &self.absolute);
        }
        let real_root = fs.canonicalize(&self.root).unwrap_or_else(|_| self.root.clone());
        show(&real_root, real)
    }
}

/// Where `path` leads, with links followed as far as something is there.
pub(crate) fn real_or_nearest(fs: &dyn FileSystem, path: &Path) -> Option<PathBuf> {
    for above in path.ancestors() {
        if let Ok(real) = fs.canonicalize(above) {
            let rest = path.strip_prefix(above).ok()?;
            let is_whole = rest.as_os_str().is_empty();
            return Some(if is_whole { real } else { real.join(rest) });
        }
    }
    None
}

/// The path without `.` parts and double slashes.
fn without_dots(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != Component::CurDir).collect()
}

fn show(root: &Path, path: &Path) -> String {
    match path.strip_prefix(root) {
        Ok(inner) if inner.as_os_str().is_empty() => ".".to_owned(),
        Ok(inner) => lossy(inner.as_os_str()),
        Err(_) => lossy(path.as_os_str()),
    }
}

fn lossy(name: &OsStr) -> String {
    String::from_utf8_lossy(name.as_bytes()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seam::fs::Disk;

    #[test]
    fn paths_are_shown_relative_to_the_workspace_when_under_it() {
        let shown = |requested: &str| {
            Place::resolve(&Disk, Path::new("/w/s"), requested).expect("resolves").shown
        };
        assert_eq!(shown("a/./b//c"), "a/b/c");
        assert_eq!(shown("/w/s/a"), "a");
        assert_eq!(shown("/w/s"), ".");
        assert_eq!(shown("/w/sa"), "/w/sa");
        assert_eq!(shown("."), ".");
    }

    #[test]
    fn parent_parts_are_followed_as_the_system_does() {
        let dir = tempfile::tempdir().expect("temp dir");
        let real = dir.path().canonicalize().expect("real path");
        std::fs::create_dir_all(real.join("w/a")).expect("dirs");
        std::fs::create_dir_all(real.join("x/y")).expect("dirs");
        std::fs::write(real.join("x/f"), "").expect("file");
        std::os::unix::fs::symlink("../x/y", real.join("w/link")).expect("link");
        let at = |requested: &str| Place::resolve(&Disk, &real.join("w"), requested);
        assert_eq!(at("a/..").expect("resolves").shown, ".");
        assert_eq!(at("link/../f").expect("resolves").absolute, real.join("x/f"));
        assert_eq!(at("a/../none"), Err(FsError::NotFound));
    }
}
