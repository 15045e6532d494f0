//! What is kept: by age and total, and always what a live session points at.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

use contract_registry::SessionId;
use contract_spill::{LocalConfig, LocalStore, SpillError, Swept};
use tempfile::TempDir;

use crate::local::{files, save, store};
use crate::support::LOCKS;

const HOUR: Duration = Duration::from_secs(60 * 60);

fn limited(root: &Path, max_total_bytes: u64, max_age: Duration) -> LocalStore {
    let limits = LocalConfig { max_total_bytes, max_age, ..LocalConfig::default() };
    LocalStore::open(root, limits).unwrap()
}

/// Makes a file as old as said.
fn age(path: &Path, age: Duration) {
    File::options().write(true).open(path).unwrap().set_modified(SystemTime::now() - age).unwrap();
}

/// A text of a session that is not live.
async fn left_behind(root: &Path, session: &str, text: &str, hours: u32) -> PathBuf {
    let path = save(&store(root), Some(session), text).await.unwrap();
    age(&path, HOUR * hours);
    path
}

/// A process in which a session is live until it is ended, and where that saved a text.
struct Live {
    process: Child,
    path: PathBuf,
}

impl Live {
    fn start(root: &Path) -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "retention::in_a_process_with_a_live_session", "--nocapture"])
            .env("SPILL_TEST_LIVE", root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let path = lines
            .map(Result::unwrap)
            .find_map(|line| line.split_once("saved in ").map(|(_, path)| PathBuf::from(path)))
            .unwrap();
        Self { process, path }
    }

    fn end(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

#[tokio::test]
async fn in_a_process_with_a_live_session() {
    let Some(root) = std::env::var_os("SPILL_TEST_LIVE") else { return };
    let store = store(Path::new(&root));
    let path = save(&store, Some("live"), &"l".repeat(100)).await.unwrap();
    println!("saved in {}", path.display());
    // Until the other process closes it or ends this one.
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

#[tokio::test]
async fn s6_old_files_go_and_those_of_a_live_session_stay() {
    let _locks = LOCKS.lock().await;
    let dir = TempDir::new().unwrap();
    let live = Live::start(dir.path());
    age(&live.path, HOUR * 100);
    let old = left_behind(dir.path(), "old", "old", 3).await;
    let young = left_behind(dir.path(), "young", "young", 1).await;
    let store = limited(dir.path(), 1 << 30, HOUR * 2);
    let swept = store.sweep().await.unwrap();
    assert_eq!(swept, Swept { removed_files: 1, removed_bytes: 3, kept_bytes: 105 });
    assert!(live.path.exists() && young.exists() && !old.exists());
    assert!(!old.parent().unwrap().exists(), "its empty directory goes too");
    let path = live.path.clone();
    live.end();
    assert_eq!(store.sweep().await.unwrap().removed_bytes, 100);
    assert!(!path.exists());
}

#[tokio::test]
async fn s6_the_oldest_go_to_make_room_and_those_of_a_live_session_stay() {
    let _locks = LOCKS.lock().await;
    let dir = TempDir::new().unwrap();
    let live = Live::start(dir.path());
    age(&live.path, HOUR * 100);
    let text = "x".repeat(100);
    let mut old = Vec::new();
    for (session, hours) in [("a", 5), ("b", 7), ("a", 9), ("c", 3)] {
        old.push(left_behind(dir.path(), session, &text, hours).await);
    }
    let store = limited(dir.path(), 520, HOUR * 1000);
    let new = save(&store, Some("new"), &"n".repeat(150)).await.unwrap();
    let stays: Vec<bool> = old.iter().map(|path| path.exists()).collect();
    assert_eq!(stays, [true, false, false, true]);
    assert!(new.exists() && live.path.exists());
    live.end();
}

#[tokio::test]
async fn s6_what_live_sessions_keep_leaves_no_room_beyond_the_total() {
    let _locks = LOCKS.lock().await;
    let dir = TempDir::new().unwrap();
    let store = limited(dir.path(), 1000, HOUR);
    for _ in 0..3 {
        let path = save(&store, Some("demo"), &"x".repeat(300)).await.unwrap();
        age(&path, HOUR * 2);
    }
    for _ in 0..2 {
        let error = save(&store, Some("demo"), &"x".repeat(101)).await.unwrap_err();
        assert_eq!(error.to_string(), "101 bytes do not fit: 900 of 1000 bytes are in use");
    }
    save(&store, Some("demo"), &"x".repeat(100)).await.unwrap();
    assert_eq!(files(dir.path()).len(), 4);
    // A session that has ended makes room.
    store.release(&SessionId::new("demo"));
    save(&store, Some("next"), &"x".repeat(101)).await.unwrap();
    assert_eq!(files(dir.path()).len(), 2);
    let huge = save(&store, Some("next"), &"x".repeat(1001)).await.unwrap_err();
    assert!(matches!(huge, SpillError::QuotaExceeded { needed: 1001, .. }));
}

#[tokio::test]
async fn s6_a_resumed_session_is_live_before_it_saves() {
    let _locks = LOCKS.lock().await;
    let dir = TempDir::new().unwrap();
    let old = left_behind(dir.path(), "resumed", "old", 9).await;
    let (store, sweeper) = (store(dir.path()), limited(dir.path(), 0, Duration::ZERO));
    let session = SessionId::new("resumed");
    store.hold(&session).await.unwrap();
    assert_eq!(sweeper.sweep().await.unwrap().kept_bytes, 3);
    assert!(old.exists());
    store.release(&session);
    assert_eq!(sweeper.sweep().await.unwrap().removed_files, 1);
    // Holding and sweeping make nothing.
    let nothing = dir.path().join("nothing");
    let store = limited(&nothing, 0, HOUR);
    store.hold(&session).await.unwrap();
    assert_eq!(store.sweep().await.unwrap(), Swept::default());
    assert!(!nothing.exists());
}

#[tokio::test]
async fn s6_nothing_but_texts_is_swept() {
    let _locks = LOCKS.lock().await;
    let dir = TempDir::new().unwrap();
    left_behind(dir.path(), "a", "text", 1).await;
    let session = files(dir.path())[0].parent().unwrap().to_owned();
    let others = [
        dir.path().join("notes.txt"),
        dir.path().join("session-of-mine"),
        session.join("notes.txt"),
        session.join("0123456789ab"),
    ];
    for other in &others {
        fs::write(other, "mine").unwrap();
    }
    let swept = limited(dir.path(), 0, Duration::ZERO).sweep().await.unwrap();
    assert_eq!(swept, Swept { removed_files: 1, removed_bytes: 4, kept_bytes: 0 });
    assert!(others.iter().all(|other| other.exists()));
}

#[tokio::test]
async fn s6_streams_that_others_wrote_go_like_texts() {
    use std::os::unix::fs::PermissionsExt as _;
    let _alone = LOCKS.lock().await;
    let root = TempDir::new().unwrap();
    let path = root.path().join("spills");
    let session = SessionId::new("a");
    let store = limited(&path, 100, HOUR);
    let folder = store.folder(Some(&session)).unwrap();
    assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    assert_ne!(folder, store.folder(None).unwrap());
    for name in ["1_2.stdout", "1_2.stderr", "1_2.other"] {
        fs::write(folder.join(name), [b'x'; 60]).unwrap();
        age(&folder.join(name), 2 * HOUR);
    }
    assert_eq!(store.sweep().await.unwrap().removed_files, 0, "the session is live");
    // 120 bytes are there, and 100 may be.
    let full = limited(&path, 100, HOUR).folder(Some(&session));
    assert!(matches!(full, Err(SpillError::QuotaExceeded { .. })));
    store.release(&session);
    drop(store);
    let swept = limited(&path, 100, HOUR).sweep().await.unwrap();
    assert_eq!((swept.removed_files, swept.removed_bytes), (2, 120));
    assert!(folder.join("1_2.other").exists());
}

#[tokio::test]
async fn s6_a_sweep_beside_saves_harms_neither() {
    let _locks = LOCKS.lock().await;
    let dir = TempDir::new().unwrap();
    let root = dir.path().to_owned();
    let sweeping = tokio::spawn(async move {
        for _ in 0..200 {
            limited(&root, 0, Duration::ZERO).sweep().await.unwrap();
        }
    });
    for round in 0..50 {
        let store = store(dir.path());
        let path = save(&store, Some("demo"), "text").await.unwrap();
        assert!(path.exists(), "round {round}");
        store.sweep().await.unwrap();
        assert!(path.exists(), "round {round}");
    }
    sweeping.await.unwrap();
}
