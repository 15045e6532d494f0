//! What both search tools do around a search: where to look, what ended it, how names are shown.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::error::SearchError;
use super::incomplete::Incomplete;
use crate::config::SearchCaps;
use crate::seam::budget::Stop;
use crate::seam::error::FsError;
use crate::seam::fs::FileSystem;
use crate::seam::gather::Gathered;
use crate::seam::place::Place;

/// The argument `path`, resolved.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) root: PathBuf,
    /// As it is shown.
    pub(super) shown: String,
    /// What the paths of the value begin with.
    pub(super) prefix: String,
}

impl Target {
    pub(super) fn resolve(
        fs: &dyn FileSystem,
        workspace_root: &Path,
        path: Option<&str>,
    ) -> Result<Self, SearchError> {
        let requested = path.unwrap_or(".");
        if requested.trim().is_empty() {
            return Err(SearchError::BlankPath);
        }
        let place = Place::resolve(fs, workspace_root, requested)
            .map_err(|error| SearchError::Path { path: requested.to_owned(), error })?;
        let prefix = place.prefix();
        Ok(Self { root: place.absolute, shown: place.shown, prefix })
    }

    /// A pattern that spells the folder searched out is as good as one relative to it.
    pub(super) fn without_root<'p>(&self, pattern: &'p str) -> &'p str {
        let root = self.root.to_str().and_then(|root| pattern.strip_prefix(root));
        root.and_then(|inner| inner.strip_prefix('/')).unwrap_or(pattern)
    }

    /// A failure at the root of the search.
    pub(super) fn failed(&self, error: FsError) -> SearchError {
        SearchError::Path { path: self.shown.clone(), error }
    }

    /// Writes the path of an entry as the value has it; gives whether the entry is called otherwise.
    pub(super) fn show(&self, inner: &[u8], out: &mut String) -> bool {
        if inner.is_empty() {
            out.push_str(&self.shown);
            return self.root.to_str().is_none();
        }
        let name = String::from_utf8_lossy(inner);
        out.push_str(&self.prefix);
        out.push_str(&name);
        matches!(name, Cow::Owned(_))
    }
}

/// What is missing; an error where stopping early left nothing worth having.
pub(super) fn account<T>(
    gathered: &Gathered<T>,
    is_empty: bool,
    lossy_names: u64,
    caps: &SearchCaps,
) -> Result<Option<Incomplete>, SearchError> {
    match gathered.stop {
        Some(Stop::Cancelled) => Err(SearchError::Cancelled),
        Some(Stop::Time) if is_empty => {
            Err(SearchError::Timeout { seconds: caps.gather_max_ms.div_ceil(1_000) })
        }
        stop => Ok(Incomplete::of(stop, gathered.skipped, lossy_names)),
    }
}
