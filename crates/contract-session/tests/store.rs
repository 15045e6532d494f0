//! The store: ids, listing, removal, privacy.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::sync::Arc;

use contract_session::{LogFormat, SessionError, SessionId, Sessions, SyncPolicy, code};

use crate::support::{id, opening, result, sessions, store, user};

each_format!(
    sessions_are_listed_latest_first,
    a_new_session_gets_an_id_of_its_own,
    a_session_is_made_once,
    what_is_not_there_is_not_found,
    files_are_for_the_user_alone,
    every_policy_appends_and_says_whether_it_synced,
    threads_share_a_journal,
    a_removed_session_can_be_made_again,
    what_is_there_is_handed_over_as_it_is_opened,
    entries_that_belong_together_are_numbered_as_any,
    sessions_are_removed_at_the_same_time,
    a_session_that_others_remove_is_made_all_the_same,
);

#[test]
fn ids_cannot_be_paths() {
    for good in ["a", "A-1_b", "0", "session-20261201-130512-7f3a09", &"x".repeat(64)] {
        assert_eq!(SessionId::parse(good).unwrap().as_str(), good);
    }
    let long = "x".repeat(65);
    for bad in ["", ".", "..", "-a", "_a", "a/b", "a\\b", "a.b", "a\0", "é", "a b", "a\n", &long] {
        let error = bad.parse::<SessionId>().unwrap_err();
        assert_eq!(error.code(), code::SESSION_ID_INVALID, "{bad}");
    }
}

fn sessions_are_listed_latest_first(format: LogFormat) {
    let store = store(format);
    for session in ["older", "newer"] {
        let opened = store.sessions.create(&id(session), &opening()).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(3));
        opened.journal.append(&user("x")).unwrap();
        opened.journal.close().unwrap();
    }
    fs::create_dir(store.sessions.path(&id("empty"))).unwrap();
    fs::write(store.sessions.path(&id("stray")), "").unwrap();
    let listed = store.sessions.list().unwrap();
    let ids: Vec<_> = listed.iter().map(|summary| summary.id.as_str()).collect();
    assert_eq!(ids, ["newer", "older"]);
    for summary in &listed {
        assert_eq!((summary.entries, summary.in_use, &summary.problem), (2, false, &None));
        assert!(summary.created.unwrap() < summary.last_event.unwrap());
        assert!(summary.bytes > 100);
        assert_eq!(summary.format, format);
    }
}

#[test]
fn a_damaged_session_is_listed_with_its_problem() {
    let store = store(LogFormat::JsonLines);
    drop(store.journal());
    let mut log = fs::read(store.log()).unwrap();
    log.extend_from_slice(b"garbage\n");
    fs::write(store.log(), log).unwrap();
    let listed = store.sessions.list().unwrap();
    assert_eq!(listed[0].entries, 2);
    assert!(listed[0].problem.as_ref().unwrap().contains("line 2"));
    assert!(listed[0].created.is_some() && listed[0].last_event.is_none());
}

fn a_new_session_gets_an_id_of_its_own(format: LogFormat) {
    let store = store(format);
    let made: Vec<_> = (0..20).map(|_| store.sessions.start(&opening()).unwrap()).collect();
    assert!(made.iter().all(|opened| opened.created));
    let mut ids: Vec<_> = made.iter().map(|opened| opened.journal.session().clone()).collect();
    assert!(ids.iter().all(|id| id.as_str().starts_with("session-20")));
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 20);
}

fn a_session_is_made_once(format: LogFormat) {
    let store = store(format);
    drop(store.journal());
    let error = store.sessions.create(&id("s"), &opening()).unwrap_err();
    assert_eq!(error.code(), code::SESSION_EXISTS);
    assert_eq!(store.entries().len(), 1);
}

fn what_is_not_there_is_not_found(format: LogFormat) {
    let store = store(format);
    let errors = [
        store.sessions.resume(&id("s")).unwrap_err(),
        store.sessions.read(&id("s")).unwrap_err(),
        store.sessions.remove(&id("s")).unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.to_string(), "there is no session `s`");
        assert_eq!(error.code(), code::SESSION_NOT_FOUND);
    }
    assert!(store.sessions.list().unwrap().is_empty());
    assert!(!store.sessions.path(&id("s")).exists());
}

fn files_are_for_the_user_alone(format: LogFormat) {
    let outer = tempfile::tempdir().unwrap();
    let root = outer.path().join("a/state");
    let opened = sessions(&root, format).create(&id("s"), &opening()).unwrap();
    opened.journal.append(&user("x")).unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let session = root.join("sessions/s");
    for dir in [&root, &root.join("sessions"), &session] {
        assert_eq!(mode(dir), 0o700, "{}", dir.display());
    }
    for file in fs::read_dir(&session).unwrap() {
        assert_eq!(mode(&file.unwrap().path()), 0o600);
    }
}

#[test]
fn a_directory_open_to_others_is_closed_to_them() {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("sessions");
    fs::create_dir(&dir).unwrap();
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).unwrap();
    Sessions::open(root.path()).unwrap();
    assert_eq!(fs::metadata(&dir).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn links_and_special_files_are_not_followed() {
    let elsewhere = tempfile::tempdir().unwrap();
    let planted = tempfile::tempdir().unwrap();
    symlink(elsewhere.path(), planted.path().join("sessions")).unwrap();
    assert_eq!(Sessions::open(planted.path()).unwrap_err().code(), code::SESSION_IO);

    let store = store(LogFormat::JsonLines);
    symlink(elsewhere.path(), store.sessions.path(&id("s"))).unwrap();
    let error = store.sessions.resume_or_create(&id("s"), &opening()).unwrap_err();
    assert_eq!(error.code(), code::SESSION_IO);

    let victim = elsewhere.path().join("victim");
    fs::write(&victim, "mine").unwrap();
    fs::create_dir(store.sessions.path(&id("t"))).unwrap();
    symlink(&victim, store.sessions.path(&id("t")).join("log.jsonl")).unwrap();
    let error = store.sessions.resume_or_create(&id("t"), &opening()).unwrap_err();
    assert!(matches!(error, SessionError::Io { .. }), "{error}");
    assert!(store.sessions.read(&id("t")).is_err());

    let fifo = store.sessions.path(&id("t")).join("lock");
    fs::remove_file(&fifo).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let error = store.sessions.resume_or_create(&id("t"), &opening()).unwrap_err();
    assert!(error.to_string().contains("no regular file"), "{error}");
    assert_eq!(fs::read(&victim).unwrap(), b"mine");
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);
}

fn every_policy_appends_and_says_whether_it_synced(format: LogFormat) {
    for (sync, expected) in [
        (SyncPolicy::Never, false),
        (SyncPolicy::EveryEntry, true),
        (SyncPolicy::Interval { ms: 0 }, true),
        (SyncPolicy::Interval { ms: 3_600_000 }, false),
    ] {
        let root = tempfile::tempdir().unwrap();
        let sessions = Sessions::open(root.path()).unwrap().with_format(format).with_sync(sync);
        let journal = sessions.create(&id("s"), &opening()).unwrap().journal;
        assert_eq!(journal.append(&user("x")).unwrap().synced, expected, "{sync:?}");
        journal.sync().unwrap();
        assert_eq!(journal.append(&result("c", "y")).unwrap().seq, 3);
        journal.close().unwrap();
        assert_eq!(crate::support::entries(&sessions, "s").len(), 3);
    }
}

fn threads_share_a_journal(format: LogFormat) {
    let store = store(format);
    let journal = store.journal();
    let threads: Vec<_> = (0..4)
        .map(|thread| {
            let journal = Arc::clone(&journal);
            std::thread::spawn(move || {
                for _ in 0..50 {
                    journal.append(&result(&format!("{thread}"), "x")).unwrap();
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(store.entries().len(), 201);
}

fn a_removed_session_can_be_made_again(format: LogFormat) {
    let store = store(format);
    drop(store.journal());
    fs::create_dir_all(store.root.path().join("sessions/.removed-old-1/deep")).unwrap();
    store.sessions.remove(&id("s")).unwrap();
    assert_eq!(fs::read_dir(store.root.path().join("sessions")).unwrap().count(), 0);
    drop(store.journal());
    assert_eq!(store.entries().len(), 1);
}

fn what_is_there_is_handed_over_as_it_is_opened(format: LogFormat) {
    let store = store(format);
    let open = || {
        let mut seen = Vec::new();
        let mut each = |entry: &contract_session::Entry| seen.push(entry.seq);
        let opened = store.sessions.resume_or_create_with(&id("s"), &opening(), &mut each).unwrap();
        assert!(!opened.emptied);
        opened.journal.append(&user("x")).unwrap();
        seen
    };
    assert_eq!(open(), [0; 0]);
    assert_eq!(open(), [1, 2]);
    assert_eq!(open(), [1, 2, 3]);
}

#[test]
fn a_log_that_was_emptied_is_told_from_a_new_one_and_from_a_torn_one() {
    let store = store(LogFormat::JsonLines);
    let open = || store.sessions.resume_or_create(&id("s"), &opening()).unwrap();
    assert!(!open().emptied);
    fs::write(store.log(), "").unwrap();
    let opened = open();
    assert!(opened.emptied && opened.created && opened.recovery.is_none());
    drop(opened);
    fs::write(store.log(), "{\"v\":1").unwrap();
    let opened = open();
    assert!(!opened.emptied && opened.created && opened.recovery.is_some());
}

fn entries_that_belong_together_are_numbered_as_any(format: LogFormat) {
    let store = store(format);
    let journal = store.journal();
    assert_eq!(journal.append_all(&[]).unwrap(), []);
    let appended = journal.append_all(&[user("a"), user("b"), user("c")]).unwrap();
    assert_eq!(appended.iter().map(|it| it.seq).collect::<Vec<_>>(), [2, 3, 4]);
    assert_eq!(journal.append(&user("d")).unwrap().seq, 5);
    journal.close().unwrap();
    assert_eq!(journal.append_all(&[]).unwrap_err().code(), code::SESSION_WRITE_FAILED);
    assert_eq!(store.entries().len(), 5);
}

/// Each removal sweeps up after the others.
fn sessions_are_removed_at_the_same_time(format: LogFormat) {
    let store = store(format);
    let ids: Vec<_> = (0..40).map(|number| id(&format!("s{number}"))).collect();
    for id in &ids {
        store.sessions.create(id, &opening()).unwrap().journal.close().unwrap();
    }
    std::thread::scope(|scope| {
        for id in &ids {
            let sessions = &store.sessions;
            scope.spawn(move || {
                let mut seen = false;
                sessions.remove_with(id, || seen = sessions.path(id).exists()).unwrap();
                assert!(seen, "what goes first finds the session there");
            });
        }
    });
    assert_eq!(fs::read_dir(store.root.path().join("sessions")).unwrap().count(), 0);
}

/// What is in use may be refused; what was opened is there under its name, and nothing is not found.
fn a_session_that_others_remove_is_made_all_the_same(format: LogFormat) {
    let store = store(format);
    let (sessions, done) = (&store.sessions, &std::sync::atomic::AtomicBool::new(false));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(move || {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    match sessions.remove(&id("s")) {
                        Ok(()) => {}
                        Err(error) => assert!(error.code() != code::SESSION_IO, "{error}"),
                    }
                }
            });
        }
        let makers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(move || {
                    for _ in 0..60 {
                        match sessions.resume_or_create(&id("s"), &opening()) {
                            Ok(opened) => {
                                opened.journal.append(&user("x")).unwrap();
                                assert!(crate::support::entries(sessions, "s").len() > 1);
                                opened.journal.close().unwrap();
                            }
                            Err(error) => assert_eq!(error.code(), code::SESSION_IN_USE, "{error}"),
                        }
                    }
                })
            })
            .collect();
        let made: Vec<_> = makers.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(made.into_iter().all(|made| made.is_ok()));
    });
}
