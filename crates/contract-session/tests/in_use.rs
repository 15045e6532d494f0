//! Two processes, one session.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use contract_session::{LogFormat, SessionError, code};

use crate::child;
use crate::support::{Store, id, opening, store};

each_format!(
    a_session_open_elsewhere_says_by_whom,
    a_crash_lets_go_of_the_session,
    a_session_is_open_once_within_a_process_too,
    a_session_in_use_is_not_removed_and_can_be_read,
);

fn holder(store: &Store, format: LogFormat) -> Child {
    let role = format!("hold{}", child::suffix(format));
    let mut command = child::command(&role, store.root.path());
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "held\n");
    child
}

fn a_session_open_elsewhere_says_by_whom(format: LogFormat) {
    let store = store(format);
    let mut child = holder(&store, format);
    let error = store.sessions.resume(&id("s")).unwrap_err();
    assert_eq!(error.code(), code::SESSION_IN_USE);
    let text = error.to_string();
    let expected = format!("session `s` is in use by process {} on ", child.id());
    assert!(text.starts_with(&expected) && text.contains("child::role"), "{text}");
    let listed = store.sessions.list().unwrap();
    assert!(listed[0].in_use);
    assert_eq!(listed[0].in_use_by.as_ref().unwrap().pid, child.id());
    // It ends by itself: the session is free.
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    store.sessions.resume(&id("s")).unwrap();
}

fn a_crash_lets_go_of_the_session(format: LogFormat) {
    let store = store(format);
    let mut child = holder(&store, format);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!store.sessions.list().unwrap()[0].in_use);
    store.sessions.resume(&id("s")).unwrap();
}

fn a_session_is_open_once_within_a_process_too(format: LogFormat) {
    let store = store(format);
    let journal = store.journal();
    let again = store.sessions.resume_or_create(&id("s"), &opening()).unwrap_err();
    let SessionError::InUse { owner: Some(owner), .. } = again else { panic!("{again}") };
    assert_eq!(owner.pid, std::process::id());
    journal.close().unwrap();
    drop(store.journal());
    drop(store.journal());
}

fn a_session_in_use_is_not_removed_and_can_be_read(format: LogFormat) {
    let store = store(format);
    let journal = store.journal();
    let error = store.sessions.remove(&id("s")).unwrap_err();
    assert_eq!(error.code(), code::SESSION_IN_USE);
    assert_eq!(store.entries().len(), 1);
    journal.close().unwrap();
    store.sessions.remove(&id("s")).unwrap();
    assert!(!store.sessions.path(&id("s")).exists());
}
