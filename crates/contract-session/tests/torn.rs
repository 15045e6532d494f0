//! Ends that a crash cut off, and damage that none can have left.

use std::fs;

use contract_session::{LogFormat, Opened, SessionError, code};

use crate::support::{Store, id, result, store, user};

/// A closed session with three entries, the last of them with characters of several bytes.
fn three() -> Store {
    let store = store(LogFormat::JsonLines);
    let journal = store.journal();
    journal.append(&user("first")).unwrap();
    journal.append(&result("c", "größer\n")).unwrap();
    journal.close().unwrap();
    store
}

fn resumed(store: &Store) -> Result<Opened, SessionError> {
    store.sessions.resume(&id("s"))
}

/// Puts `log` in place and expects it to be refused as damaged, unchanged.
fn check_refused(log: &[u8], expected: &str) {
    let store = three();
    fs::write(store.log(), log).unwrap();
    let error = resumed(&store).unwrap_err();
    assert!(error.to_string().contains(expected), "{error}");
    assert_eq!(fs::read(store.log()).unwrap(), log);
    // A reader is told the same, after what comes before.
    let read = store.sessions.read(&id("s")).unwrap().find_map(Result::err).unwrap();
    assert_eq!(read.to_string(), error.to_string());
    assert!(store.sessions.read(&id("s")).unwrap().last().unwrap().is_err());
}

#[test]
fn l1_a_last_entry_cut_anywhere_is_dropped_and_reported() {
    let whole = fs::read(three().log()).unwrap();
    let last = whole[..whole.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    for cut in last..whole.len() {
        let store = three();
        fs::write(store.log(), &whole[..cut]).unwrap();
        let torn = (cut > last).then_some((cut - last) as u64);
        let mut read = store.sessions.read(&id("s")).unwrap();
        assert_eq!(read.by_ref().map(Result::unwrap).count(), 2);
        assert_eq!(read.torn().map(|torn| torn.dropped_bytes), torn);
        assert_eq!(fs::read(store.log()).unwrap().len(), cut, "reading changed the log");
        let opened = resumed(&store).unwrap();
        assert_eq!(opened.recovery.map(|recovery| recovery.dropped_bytes), torn);
        assert_eq!(fs::read(store.log()).unwrap(), whole[..last]);
        assert_eq!(opened.journal.append(&user("next")).unwrap().seq, 3);
        assert_eq!(store.entries().len(), 3);
    }
}

#[test]
fn l1_the_report_says_what_was_dropped() {
    let store = three();
    let mut log = fs::read(store.log()).unwrap();
    log.extend_from_slice(br#"{"v":1,"seq":4,"at":5,"type":"tool/res"#);
    fs::write(store.log(), log).unwrap();
    assert!(store.sessions.list().unwrap()[0].problem.as_ref().unwrap().contains("line 4"));
    let recovery = resumed(&store).unwrap().recovery.unwrap();
    assert_eq!((recovery.line, recovery.kept_entries, recovery.dropped_bytes), (4, 3, 38));
    assert!(recovery.preview.ends_with("tool/res"));
    assert!(recovery.to_string().contains("line 4, 38 bytes"), "{recovery}");
    assert_eq!(resumed(&store).unwrap().recovery, None);
}

#[test]
fn l1_pages_that_were_never_written_are_a_torn_end() {
    for tail in [&[0; 5000][..], b"\0\0\0\0\"}\n"] {
        let store = three();
        let whole = fs::read(store.log()).unwrap();
        fs::write(store.log(), [&whole, tail].concat()).unwrap();
        let recovery = resumed(&store).unwrap().recovery.unwrap();
        assert_eq!(recovery.dropped_bytes, tail.len() as u64);
        assert_eq!(fs::read(store.log()).unwrap(), whole);
    }
}

#[test]
fn l1_a_log_cut_within_its_first_entry_begins_anew() {
    let store = three();
    fs::write(store.log(), br#"{"v":1,"seq":1"#).unwrap();
    assert!(matches!(resumed(&store).unwrap_err(), SessionError::NotFound { .. }));
    fs::write(store.log(), br#"{"v":1,"seq":1"#).unwrap();
    let opened = store.sessions.resume_or_create(&id("s"), &crate::support::opening()).unwrap();
    assert!(opened.created && opened.recovery.is_some());
    assert_eq!(store.entries().len(), 1);
}

#[test]
fn l1_damage_in_the_middle_names_the_line() {
    let whole = String::from_utf8(fs::read(three().log()).unwrap()).unwrap();
    let lines: Vec<_> = whole.lines().collect();
    let joined = |second: &str| format!("{}\n{second}\n{}\n", lines[0], lines[2]).into_bytes();
    check_refused(&joined("garbage"), "damaged at line 2: ");
    check_refused(&joined(""), "damaged at line 2: ");
    check_refused(&joined(&lines[1].replace('u', "\0")), "damaged at line 2: ");
    check_refused(&joined(&lines[1].replace("content", "contents")), "`content` is missing");
    check_refused(&joined(&lines[1].replace("[{", "[{\"type\":\"image\"},{")), "in `content`: ");
    check_refused(&joined(&format!("{},", lines[1])), "damaged at line 2: ");
    check_refused(&joined(&lines[1].replace("\"v\":1", "\"v\":0")), "no format version 0");
    let mut broken = joined(lines[1]);
    let at = broken.windows(5).position(|window| window == b"first").unwrap();
    broken[at] = 0xff;
    check_refused(&broken, "damaged at line 2: byte ");
}

#[test]
fn l1_a_whole_last_line_that_is_no_entry_is_damage_too() {
    let mut log = fs::read(three().log()).unwrap();
    log.extend_from_slice(b"garbage\n");
    check_refused(&log, "damaged at line 4: ");
}

#[test]
fn l1_entries_missing_or_repeated_are_detected() {
    let whole = String::from_utf8(fs::read(three().log()).unwrap()).unwrap();
    let lines: Vec<_> = whole.lines().collect();
    let missing = format!("{}\n{}\n", lines[0], lines[2]);
    check_refused(missing.as_bytes(), "at line 2: entry 2 should stand there, entry 3 does");
    let repeated = format!("{}\n{}\n{}\n", lines[0], lines[1], lines[1]);
    check_refused(repeated.as_bytes(), "at line 3: entry 3 should stand there, entry 2 does");
}

#[test]
fn l6_session_open_is_first_and_only_first() {
    let whole = String::from_utf8(fs::read(three().log()).unwrap()).unwrap();
    let lines: Vec<_> = whole.lines().collect();
    let headless = lines[1].replace("\"seq\":2", "\"seq\":1");
    check_refused(format!("{headless}\n").as_bytes(), "a log begins with `session/open`");
    let again = lines[0].replace("\"seq\":1", "\"seq\":2");
    check_refused(format!("{}\n{again}\n", lines[0]).as_bytes(), "only the first entry is");
}

#[test]
fn l1_a_newer_format_is_refused_with_what_to_do() {
    let store = three();
    let whole = String::from_utf8(fs::read(store.log()).unwrap()).unwrap();
    for (line, log) in [
        (1, "{\"v\":2,\"anything\":true}\n".to_owned()),
        (4, format!("{whole}{{\"v\":3,\"seq\":4,\"at\":0,\"type\":\"user/message\"}}\n")),
    ] {
        fs::write(store.log(), log).unwrap();
        let error = resumed(&store).unwrap_err();
        assert_eq!(error.code(), code::SESSION_FORMAT_UNSUPPORTED);
        assert!(error.to_string().starts_with(&format!("line {line} of the session log")));
        assert!(error.to_string().contains("upgrade it"), "{error}");
    }
}

#[test]
fn l1_a_kind_that_is_not_known_is_kept_as_it_stands() {
    let store = three();
    let line = r#"{"v":1,"seq":4,"at":7,"type":"todo/write","todos":[{"a":1e2}],"x":-0.0}"#;
    let mut log = fs::read(store.log()).unwrap();
    log.extend_from_slice(format!("{line}\n").as_bytes());
    fs::write(store.log(), &log).unwrap();
    let opened = resumed(&store).unwrap();
    opened.journal.append(&user("goes on")).unwrap();
    let entries = store.entries();
    assert_eq!((entries[3].record.kind(), entries[3].line()), ("todo/write", line));
    assert!(entries[3].event().is_none());
    assert_eq!(fs::read(store.log()).unwrap()[..log.len()], log);
}

#[test]
fn l1_a_member_that_is_not_known_stays_in_the_line() {
    let store = three();
    let line = r#"{"v":1, "seq":4,"at":7,"type":"user/message","later":[1],"content":[]}"#;
    let mut log = fs::read(store.log()).unwrap();
    log.extend_from_slice(format!("{line}\n").as_bytes());
    fs::write(store.log(), &log).unwrap();
    assert_eq!(store.entries()[3].line(), line);
}

#[test]
fn l1_a_deep_line_is_no_danger() {
    let store = three();
    let deep = "[".repeat(300_000) + &"]".repeat(300_000);
    let mut log = fs::read(store.log()).unwrap();
    let line = format!(
        "{{\"v\":1,\"seq\":4,\"at\":7,\"type\":\"tool/call\",\"callId\":\"c\",\"name\":\"t\",\"arguments\":{deep}}}\n"
    );
    log.extend_from_slice(line.as_bytes());
    check_refused(&log, "in `arguments`: nesting deeper than 127");
}
