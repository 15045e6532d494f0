//! Ways through links, missing folders and special files.

use std::fs;
use std::os::unix::fs::symlink;

use rustix::fs::CWD;
use tempfile::TempDir;

use super::*;

/// A folder: `d/f`, and links to it of all kinds.
fn tree() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("temp dir");
    let real = dir.path().canonicalize().expect("real path");
    fs::create_dir_all(real.join("d/e")).expect("folders");
    fs::write(real.join("d/f"), "x").expect("write");
    for (target, name) in [
        ("d/f", "to-file"),
        ("to-file", "to-link"),
        ("d", "to-folder"),
        ("../d/./e/../f", "d/roundabout"),
        ("nowhere", "dangling"),
        ("nowhere/below", "dangling-deep"),
        ("circle-b", "circle-a"),
        ("circle-a", "circle-b"),
    ] {
        symlink(target, real.join(name)).expect("link");
    }
    symlink(real.join("d"), real.join("absolute")).expect("link");
    (dir, real)
}

fn leads(path: &Path) -> Result<(PathBuf, usize), PublishError> {
    find(path).map(|way| (way.real, way.missing.len()))
}

#[test]
fn links_are_followed_to_the_file() {
    let (_dir, real) = tree();
    let there = Ok((real.join("d/f"), 0));
    for path in [
        "d/f",
        "to-file",
        "to-link",
        "to-folder/f",
        "absolute/f",
        "d/roundabout",
        "to-folder/../d/f",
        "d/e/../../to-folder/roundabout",
        "./d//f",
    ] {
        assert_eq!(leads(&real.join(path)), there, "{path}");
    }
}

#[test]
fn what_is_missing_is_counted_from_the_last_folder_there() {
    let (_dir, real) = tree();
    assert_eq!(leads(&real.join("d/new")), Ok((real.join("d/new"), 0)));
    assert_eq!(leads(&real.join("absolute/a/b/new")), Ok((real.join("d/a/b/new"), 2)));
    assert_eq!(leads(&real.join("d/none/../new")), Err(FsError::NotFound.into()));
}

#[test]
fn links_to_nothing_and_in_a_circle_are_refused() {
    let (_dir, real) = tree();
    for (path, error) in [
        ("dangling", PublishError::DanglingLink),
        ("dangling-deep", PublishError::DanglingLink),
        ("dangling/new", PublishError::DanglingLink),
        ("circle-a", PublishError::LinkLoop),
        ("circle-a/new", PublishError::LinkLoop),
    ] {
        assert_eq!(leads(&real.join(path)), Err(error), "{path}");
    }
}

#[test]
fn what_is_no_regular_file_is_refused_and_never_waited_for() {
    let (_dir, real) = tree();
    rustix::fs::mknodat(CWD, real.join("pipe"), FileType::Fifo, Mode::RUSR, 0).expect("fifo");
    let _socket = std::os::unix::net::UnixListener::bind(real.join("socket")).expect("socket");
    let refused = |kind| Err(PublishError::Fs(FsError::NotRegularFile(kind)));
    for (path, kind) in [
        ("d", FileKind::Directory),
        ("to-folder", FileKind::Directory),
        ("d/..", FileKind::Directory),
        ("/", FileKind::Directory),
        ("pipe", FileKind::Fifo),
        ("socket", FileKind::Socket),
        ("/dev/null", FileKind::Device),
    ] {
        assert_eq!(leads(&real.join(path)), refused(kind), "{path}");
    }
    for (path, part) in
        [("d/f/below", "d/f"), ("to-file/below", "d/f"), ("d/f/..", "d/f"), ("pipe/below", "pipe")]
    {
        let error = PublishError::ParentNotFolder { part: Some(real.join(part)) };
        assert_eq!(leads(&real.join(path)), Err(error), "{path}");
    }
}

#[test]
fn names_that_cannot_be_are_refused() {
    let (_dir, real) = tree();
    for name in ["n".repeat(256), "nul\0".to_owned()] {
        assert_eq!(leads(&real.join(name)), Err(PublishError::BadName));
    }
}

#[test]
fn links_of_proc_are_the_path_they_spell() {
    let (_dir, real) = tree();
    let file = fs::File::open(real.join("d/f")).expect("opens");
    let by_descriptor = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&file));
    assert_eq!(leads(Path::new(&by_descriptor)), Ok((real.join("d/f"), 0)));
    let below_root = Path::new("/proc/self/root").join(real.strip_prefix("/").expect("absolute"));
    assert_eq!(leads(&below_root.join("d/f")), Ok((real.join("d/f"), 0)));
    let (pipe, _writer) = std::io::pipe().expect("a pipe");
    let of_pipe = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&pipe));
    assert_eq!(leads(Path::new(&of_pipe)), Err(PublishError::DanglingLink));
}
