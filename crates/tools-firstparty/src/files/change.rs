//! What `write` and `edit` have in common: finding, holding and guarding one file.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use contract_registry::CallContext;

use super::change_error::{ChangeError, ChangeFault};
use super::observe::{Observations, Sight};
use crate::catalog::Seams;
use crate::config::AccessCaps;
use crate::seam::error::FsError;
use crate::seam::fs::FileSystem;
use crate::seam::place::Spot;
use crate::seam::publish::{HeldFile, Patience, PublishError, Publisher, Reach, Request};
use crate::seam::version::VersionToken;

/// What a tool that changes files is built with.
#[derive(Clone, Debug)]
pub(super) struct Means {
    fs: Arc<dyn FileSystem>,
    publisher: Arc<dyn Publisher>,
    access: Arc<AccessCaps>,
}

impl Means {
    pub(super) fn new(seams: &Seams, access: AccessCaps) -> Self {
        let Seams { fs, publisher, .. } = seams.clone();
        Self { fs, publisher, access: Arc::new(access) }
    }
}

/// What a call that changes a file runs with, to be used on another thread.
#[derive(Debug)]
pub(super) struct Surroundings {
    means: Means,
    reach: Reach,
    workspace_root: PathBuf,
    observations: Option<Observations>,
    lock_wait: Duration,
}

/// A file that is held, and how it is shown.
#[derive(Debug)]
pub(super) struct Subject {
    pub(super) file: Box<dyn HeldFile>,
    pub(super) path: String,
}

impl Surroundings {
    pub(super) fn of(means: &Means, cx: &CallContext, lock_wait: Duration) -> Self {
        Self {
            means: means.clone(),
            reach: Reach::new(cx.access_mode(), cx.workspace_root(), &means.access),
            workspace_root: cx.workspace_root().to_owned(),
            observations: cx.services().get::<Observations>().cloned(),
            lock_wait,
        }
    }

    /// Holds the file at `requested`.
    pub(super) fn hold(
        &self,
        requested: &str,
        makes_folders: bool,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Subject, ChangeError> {
        let fail = |path: &str, fault| ChangeError { path: path.to_owned(), fault };
        check_path(requested).map_err(|fault| fail(requested, fault))?;
        let spot = Spot::of(&self.workspace_root, requested)
            .map_err(|error| fail(requested, PublishError::from(error).into()))?;
        let patience = Patience { max: self.lock_wait, is_cancelled };
        let request = Request { path: &spot.absolute, makes_folders, reach: &self.reach, patience };
        match self.means.publisher.hold(&request) {
            Ok(file) => {
                let path = spot.shown(&*self.means.fs, file.real_path());
                Ok(Subject { file, path })
            }
            // Without its folder, the file has still been seen or not.
            Err(PublishError::NoFolder { real }) => {
                let path = spot.shown(&*self.means.fs, &real);
                let seen = self.check_for_edit(&real, None);
                let fault = seen.err().unwrap_or(PublishError::NoFolder { real }.into());
                Err(fail(&path, fault))
            }
            Err(error) => Err(fail(requested, error.into())),
        }
    }

    /// Whether a whole file may be written where `current` is.
    pub(super) fn check_for_write(
        &self,
        real: &Path,
        current: Option<&VersionToken>,
    ) -> Result<(), ChangeFault> {
        let Some(observations) = &self.observations else { return Ok(()) };
        match observations.sight(real) {
            None | Some(Sight::Absent) if current.is_some() => Err(ChangeFault::NotObserved),
            None | Some(Sight::Absent) => Ok(()),
            Some(Sight::Present(seen)) => same(&seen, current),
        }
    }

    /// Whether `current` may be edited.
    pub(super) fn check_for_edit(
        &self,
        real: &Path,
        current: Option<&VersionToken>,
    ) -> Result<(), ChangeFault> {
        let missing = || ChangeFault::Publish(FsError::NotFound.into());
        let Some(observations) = &self.observations else {
            return if current.is_some() { Ok(()) } else { Err(missing()) };
        };
        match observations.sight(real) {
            None => Err(ChangeFault::NotObserved),
            Some(Sight::Absent) => Err(missing()),
            Some(Sight::Present(seen)) => same(&seen, current),
        }
    }

    /// Publishes, and notes the new state as seen.
    pub(super) fn publish(
        &self,
        file: Box<dyn HeldFile>,
        content: &str,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<(), ChangeFault> {
        let (real, is_new) = (file.real_path().to_owned(), file.version().is_none());
        let version = match file.publish(content.as_bytes(), is_cancelled) {
            // Someone else was first: as good as a file that was there all the time.
            Err(PublishError::Changed) if is_new && self.observations.is_some() => {
                return Err(ChangeFault::NotObserved);
            }
            published => published?,
        };
        if let Some(observations) = &self.observations {
            observations.present(&real, version);
        }
        Ok(())
    }
}

fn same(seen: &VersionToken, current: Option<&VersionToken>) -> Result<(), ChangeFault> {
    match current {
        None => Err(ChangeFault::Gone),
        Some(current) if current == seen => Ok(()),
        Some(_) => Err(ChangeFault::Stale),
    }
}

fn check_path(requested: &str) -> Result<(), ChangeFault> {
    if requested.trim().is_empty() {
        return Err(ChangeFault::BlankPath);
    }
    if requested.ends_with('/') {
        return Err(ChangeFault::FolderPath);
    }
    Ok(())
}
