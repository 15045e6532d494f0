//! Meta: what a projection hands to a user interface.

use serde::Serialize;

use super::document::Json;
use super::snapshot::SnapshotError;

/// A snapshot of presentation metadata. Taking one never fails where it is taken, so that projections
/// stay free of `Result`; the failure surfaces in normalize (contract P3).
#[derive(Debug, Clone)]
pub struct Meta {
    snapshot: Result<Json, SnapshotError>,
}

impl Meta {
    /// Takes the snapshot.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Self {
        Self { snapshot: Json::snapshot(value) }
    }

    /// The snapshot, or why there is none.
    ///
    /// # Errors
    ///
    /// [`SnapshotError`] when the value has no lossless JSON form.
    pub fn into_json(self) -> Result<Json, SnapshotError> {
        self.snapshot
    }
}

impl From<Json> for Meta {
    fn from(json: Json) -> Self {
        Self { snapshot: Ok(json) }
    }
}
