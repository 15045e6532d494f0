//! The full stream in a file.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use host_process::{Command, Finished, Spool, Window};

use crate::support::until;

const WINDOW: Window = Window { head_bytes: 100, tail_bytes: 50 };

fn run(folder: &Path, max_bytes: u64, script: &str) -> Finished {
    command(folder, max_bytes, script).start().wait().unwrap()
}

fn command(folder: &Path, max_bytes: u64, script: &str) -> Command {
    let spool = Spool { folder: folder.to_owned(), max_bytes };
    Command::shell(script).stdout(WINDOW).stderr(WINDOW).spool(spool)
}

fn files(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

#[test]
fn a_stream_that_fits_makes_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let finished = run(folder.path(), 1 << 20, "head -c 150 /dev/zero; head -c 149 /dev/zero >&2");
    assert!(finished.stdout.is_whole() && finished.stdout.spool().is_none());
    assert_eq!(files(folder.path()), 0);
}

#[test]
fn a_longer_stream_is_whole_in_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let script = "i=0; while [ $i -lt 300 ]; do echo line $i; i=$((i+1)); done; echo three >&2";
    let finished = run(folder.path(), 1 << 20, script);
    let whole: String = (0..300).map(|i| format!("line {i}\n")).collect();
    let spooled = finished.stdout.spool().unwrap();
    assert_eq!(fs::read_to_string(spooled.path()).unwrap(), whole);
    assert!(spooled.is_complete());
    assert_eq!(spooled.bytes(), whole.len() as u64);
    assert_eq!(fs::metadata(spooled.path()).unwrap().permissions().mode() & 0o777, 0o600);
    // The other stream is not touched by it.
    assert_eq!((finished.stderr.text().as_str(), files(folder.path())), ("three\n", 1));
}

#[test]
fn beyond_its_cap_the_file_has_the_beginning_and_memory_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let finished = run(folder.path(), 1000, "head -c 5000 /dev/zero; echo end");
    let spooled = finished.stdout.spool().unwrap();
    assert!(!spooled.is_complete());
    assert_eq!((spooled.bytes(), fs::metadata(spooled.path()).unwrap().len()), (1000, 1000));
    assert_eq!(finished.stdout.total_bytes(), 5004);
    assert!(finished.stdout.tail().ends_with(b"\0end\n"));
}

#[test]
fn a_file_goes_with_the_result_unless_it_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let long = "head -c 5000 /dev/zero; head -c 5000 /dev/zero >&2";
    let finished = run(folder.path(), 1 << 20, long);
    assert_eq!(files(folder.path()), 2);
    let kept = finished.stderr.spool().unwrap().keep().to_owned();
    let again = finished.clone();
    drop(finished);
    assert_eq!(files(folder.path()), 2);
    drop(again);
    until(|| files(folder.path()) == 1);
    assert_eq!(fs::metadata(kept).unwrap().len(), 5000);
}

#[test]
fn without_a_result_nothing_remains() {
    let folder = tempfile::tempdir().unwrap();
    let running = command(folder.path(), 1 << 20, "head -c 5000 /dev/zero; sleep 100").start();
    until(|| files(folder.path()) == 1);
    drop(running);
    until(|| files(folder.path()) == 0);
}

#[test]
fn a_file_that_cannot_be_made_is_no_fault_of_the_run() {
    let missing = run(Path::new("/no/such/folder"), 1 << 20, "head -c 5000 /dev/zero; echo end");
    assert!(missing.stdout.spool().is_none());
    assert!(missing.stdout.tail().ends_with(b"\0end\n"));
}
