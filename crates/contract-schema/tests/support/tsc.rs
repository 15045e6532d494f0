//! The TypeScript compiler, as the test kit runs it.

use std::path::{Path, PathBuf};

pub(crate) use contract_testkit::tsc::expression;

/// Where `tsc` is, if it is.
pub(crate) fn find() -> Option<PathBuf> {
    contract_testkit::tsc::find().unwrap()
}

/// Checks one source file under `--strict`; the compiler's output when it finds something.
pub(crate) fn check(tsc: &Path, name: &str, source: &str) -> Result<(), String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    contract_testkit::tsc::check(tsc, &folder, source)
}
