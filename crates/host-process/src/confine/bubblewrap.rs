//! The other way: `bwrap`, a program that shows the command the file system without the right to write.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The program, if it is there.
pub(super) fn find() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let named = std::env::split_paths(&folders).map(|folder| folder.join("bwrap"));
    named.into_iter().find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok() && path.is_file()
}

/// What comes before the command. The last mount holds, so that what is writable comes after what is not.
pub(super) fn wrap(program: PathBuf, writable: &[PathBuf], network: bool) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec![program.into()];
    words.extend(["--ro-bind", "/", "/", "--dev", "/dev"].map(OsString::from));
    for path in writable {
        words.extend(["--bind".into(), path.into(), path.into()]);
    }
    if !network {
        words.push("--unshare-net".into());
    }
    words.push("--".into());
    words
}
