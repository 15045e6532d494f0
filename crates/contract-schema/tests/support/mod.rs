//! Shared by the tests: the official suite, the TypeScript compiler, loud skips.

pub(crate) mod suite;
pub(crate) mod tsc;

use std::io::Write as _;
use std::path::PathBuf;

/// Root of the workspace.
pub(crate) fn workspace_root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Writes a line that the test harness does not capture.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Reports a test that cannot run here, because something outside the repository is not there.
pub(crate) fn skipped(test: &str, missing: &str) {
    say(&format!("SKIPPED {test}: {missing}"));
}

/// The folder of the public suites: what `TENON_SUITES` names, which must be there, else
/// `../shared/suites` beside the repository, if it is there.
pub(crate) fn suites() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("TENON_SUITES").map(PathBuf::from) {
        assert!(named.is_dir(), "TENON_SUITES names no folder: {}", named.display());
        return Some(named);
    }
    let beside = workspace_root().join("../shared/suites");
    beside.is_dir().then_some(beside)
}
