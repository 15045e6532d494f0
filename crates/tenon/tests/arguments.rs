//! Where arguments come from, and what is no JSON.

use std::fs;

use crate::support::{Folder, Ran, run, run_with_stdin};

const READ: &str = r#"{"file_path":"notes.txt"}"#;

fn folder() -> Folder {
    Folder::with(&[("notes.txt", "one\n"), ("read.json", READ)])
}

/// Arguments that are no JSON: exit code 2, nothing on stdout, one message with its position.
fn check_refused(ran: &Ran, parts: &[&str]) {
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
    assert!(ran.stderr.starts_with("error: "), "{ran:?}");
    for part in parts {
        assert!(ran.stderr.contains(part), "no `{part}` in: {ran:?}");
    }
}

#[test]
fn inline_file_and_standard_input_are_the_same() {
    let folder = folder();
    let inline = run(&mut folder.call(&["read", READ]));
    let from_file = format!("@{}", folder.path().join("read.json").display());
    let from_file = run(&mut folder.call(&["read", &from_file]));
    let from_stdin = run_with_stdin(&mut folder.call(&["read", "-"]), READ.as_bytes());
    assert_eq!(inline.code, 0, "{inline:?}");
    assert_eq!(inline.stdout, from_file.stdout);
    assert_eq!(inline.stdout, from_stdin.stdout);
}

#[test]
fn arguments_left_out_are_an_empty_object() {
    let left_out = run(&mut folder().call(&["read"]));
    let empty = run(&mut folder().call(&["read", "{}"]));
    assert_eq!((left_out.code, &left_out.stdout), (1, &empty.stdout));
}

#[test]
fn text_that_is_no_json_is_refused_with_its_position() {
    let folder = folder();
    let cases: &[(&str, &[&str])] = &[
        ("", &["line 1, column 1"]),
        ("{pattern}", &["line 1, column 2"]),
        ("{\n  \"a\": 1,\n}", &["line 3, column 1"]),
        (r#"{"a":1} x"#, &["line 1, column 9"]),
        (r#"{"a":1,"a":2}"#, &["twice", "line 1", "/a"]),
        (r#"{"a":-0.0}"#, &["negative zero", "line 1, column 6"]),
        (r#"{"a":18446744073709551616}"#, &["integer", "line 1, column 6"]),
        (r#"{"a":"\ud800"}"#, &["surrogate", "line 1"]),
    ];
    for (text, parts) in cases {
        check_refused(&run(&mut folder.call(&["read", text])), parts);
        check_refused(&run_with_stdin(&mut folder.call(&["read", "-"]), text.as_bytes()), parts);
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let folder = folder();
    check_refused(&run(&mut folder.call(&["read", "@absent.json"])), &["absent.json", "No such"]);
    let itself = format!("@{}", folder.path().display());
    check_refused(&run(&mut folder.call(&["read", &itself])), &["cannot read arguments"]);
}

#[test]
fn a_million_levels_are_refused_on_every_way_in() {
    let folder = folder();
    let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
    let file = folder.path().join("deep.json");
    fs::write(&file, &deep).unwrap();
    let parts = ["127", "line 1, column 128"];
    let from_file = format!("@{}", file.display());
    check_refused(&run(&mut folder.call(&["read", &from_file])), &parts);
    check_refused(&run_with_stdin(&mut folder.call(&["read", "-"]), deep.as_bytes()), &parts);
    let inline = "[".repeat(50_000);
    check_refused(&run(&mut folder.call(&["read", &inline])), &parts);
}

#[test]
fn large_arguments_are_read_whole() {
    let folder = folder();
    let path = "x".repeat(20 * 1024 * 1024);
    let text = format!(r#"{{"file_path":"{path}"}}"#);
    let ran = run_with_stdin(&mut folder.call(&["read", "-"]), text.as_bytes());
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    assert!(
        ran.stdout.starts_with("Error: ") && ran.stdout.len() < 100_000,
        "{}",
        ran.stdout.len()
    );
}

#[cfg(target_os = "linux")]
#[test]
fn an_endless_source_is_refused() {
    let ran = run(&mut folder().call(&["read", "@/dev/zero"]));
    check_refused(&ran, &["/dev/zero", "256 MiB"]);
}

#[cfg(unix)]
#[test]
fn bytes_that_are_not_utf_8_are_refused_with_their_position() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let folder = folder();
    let bad = OsStr::from_bytes(b"{\"file_path\":\"\xff\"}");
    check_refused(
        &run(&mut folder.call(&[OsStr::new("read"), bad])),
        &["UTF-8", "line 1, column 15"],
    );
    let name = OsStr::from_bytes(b"re\xffad");
    check_refused(&run(&mut folder.call(&[name])), &["UTF-8"]);
}

#[cfg(unix)]
#[test]
fn a_file_whose_name_is_not_utf_8_is_read() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let folder = folder();
    fs::write(folder.path().join(OsStr::from_bytes(b"\xff.json")), READ).unwrap();
    let mut words = b"@".to_vec();
    words.extend(folder.path().as_os_str().as_bytes());
    words.extend(b"/\xff.json");
    let ran = run(&mut folder.call(&[OsStr::new("read"), OsStr::from_bytes(&words)]));
    assert_eq!(ran.code, 0, "{ran:?}");
}
