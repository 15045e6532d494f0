//! An output that is gone or full.

use std::fs::OpenOptions;
use std::io::Read;
use std::process::Stdio;

use crate::support::{Folder, tenon};

#[test]
fn a_reader_that_has_gone_is_no_error() {
    let folder = Folder::with(&[("big.txt", &"line of text\n".repeat(100_000))]);
    let words = ["grep", r#"{"pattern":"line"}"#, "--format", "value"];
    let mut command = folder.call(&words);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn a_reader_that_goes_midway_is_no_error() {
    let folder = Folder::with(&[("big.txt", &"line of text\n".repeat(100_000))]);
    let mut command = folder.call(&["grep", r#"{"pattern":"line"}"#, "--format", "value"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut some = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut some).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_internal_failure_that_says_so() {
    for words in [&["tools"][..], &["tools", "show", "grep"], &["tools", "--json"]] {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = tenon().args(words).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(70), "{words:?}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.starts_with("error: cannot write the result: "), "{stderr}");
    }
}
