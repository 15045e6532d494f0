//! The local store: private, durable, and harmless where it cannot save.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use contract_hooks::Hooks;
use contract_registry::{CallId, Runtime, SessionId, ThreadRuntime};
use contract_schema::ContentBlock;
use contract_spill::{
    Label, LocalConfig, LocalStore, Plan, Saved, Spill, SpillError, SpillSource, SpillStore,
    SpillText,
};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::json;
use tempfile::TempDir;

use crate::support::{LOCKS, World, config, rows, texts};

pub(crate) fn store(root: &Path) -> LocalStore {
    LocalStore::open(root, LocalConfig::default()).unwrap()
}

pub(crate) fn plan(store: &LocalStore, session: Option<&str>, name: &str) -> Plan {
    let session = session.map(SessionId::new);
    store
        .plan(&SpillSource {
            session: session.as_ref(),
            tool: "say",
            call_id: &CallId::new("call-1"),
            label: Label::Result,
            suggested_name: name,
        })
        .unwrap()
}

/// Saves a text and gives its path.
pub(crate) async fn save(
    store: &LocalStore,
    session: Option<&str>,
    text: &str,
) -> Result<PathBuf, SpillError> {
    let plan = plan(store, session, "say.txt");
    let saved = store.save(&plan, &SpillText::from(text)).await?;
    assert_eq!(saved, Saved { bytes: text.len() as u64 });
    Ok(PathBuf::from(plan.locator()))
}

/// All files of texts under a root.
pub(crate) fn files(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for directory in fs::read_dir(root).into_iter().flatten() {
        for file in fs::read_dir(directory.unwrap().path()).into_iter().flatten() {
            let path = file.unwrap().path();
            if !path.ends_with(".lock") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

/// A long result over a store under `root`: its blocks.
async fn long_result(store: LocalStore) -> Vec<ContentBlock> {
    let hooks = Hooks::new();
    Spill::new(Arc::new(store), config(500)).mount(&hooks).keep();
    let outcome = World::new(&hooks).call("say", json!({ "blocks": [rows(1000)] })).await;
    assert!(!outcome.is_error());
    outcome.content().to_vec()
}

/// The call succeeds, its content stays inline, and nothing points anywhere.
async fn check_inline(store: LocalStore) {
    assert_eq!(long_result(store).await, [ContentBlock::text(rows(1000))]);
}

#[tokio::test]
async fn s6_directories_and_files_are_private_to_the_user() {
    let dir = TempDir::new().unwrap();
    let root = dir.path().join("state").join("spills");
    let path = save(&store(&root), Some("demo"), "text").await.unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "text");
    assert_eq!(mode(&path), 0o600);
    let session = path.parent().unwrap();
    assert_eq!(session, root.join("session-2a97516c354b"));
    for directory in [session, &root, root.parent().unwrap()] {
        assert_eq!(mode(directory), 0o700, "{}", directory.display());
    }
    let path = save(&store(&root), None, "text").await.unwrap();
    assert_eq!(path.parent().unwrap(), root.join("no-session"));
}

#[tokio::test]
async fn s6_what_others_could_open_is_closed() {
    let dir = TempDir::new().unwrap();
    let session = dir.path().join("session-2a97516c354b");
    fs::create_dir(&session).unwrap();
    for open in [dir.path(), &session] {
        fs::set_permissions(open, fs::Permissions::from_mode(0o777)).unwrap();
    }
    save(&store(dir.path()), Some("demo"), "text").await.unwrap();
    assert_eq!((mode(dir.path()), mode(&session)), (0o700, 0o700));
}

#[tokio::test]
async fn s6_names_are_distinct_and_one_segment() {
    let dir = TempDir::new().unwrap();
    let store = store(dir.path());
    for name in ["../../x", "a/b", "..", "", "\0", "x".repeat(9999).as_str(), "é"] {
        for _ in 0..2 {
            let plan = plan(&store, Some("demo"), name);
            store.save(&plan, &SpillText::from("text")).await.unwrap();
            assert_eq!(fs::read_to_string(plan.locator()).unwrap(), "text");
        }
    }
    assert_eq!(files(dir.path()).len(), 14);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn s6_a_planted_link_is_not_followed() {
    let dir = TempDir::new().unwrap();
    let elsewhere = dir.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    // As the root, with and without a separator at its end.
    let root = dir.path().join("root");
    symlink(&elsewhere, &root).unwrap();
    check_inline(store(&root)).await;
    check_inline(store(&root.join(""))).await;
    // As the session's directory, its lock, and a root that leads nowhere.
    let root = dir.path().join("root-2");
    fs::create_dir(&root).unwrap();
    symlink(&elsewhere, root.join("session-2a97516c354b")).unwrap();
    check_inline(store(&root)).await;
    let root = dir.path().join("root-3");
    fs::create_dir_all(root.join("session-2a97516c354b")).unwrap();
    symlink(elsewhere.join("made"), root.join("session-2a97516c354b/.lock")).unwrap();
    check_inline(store(&root)).await;
    let root = dir.path().join("root-4");
    symlink(dir.path().join("nowhere"), &root).unwrap();
    check_inline(store(&root)).await;
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
    assert!(!dir.path().join("nowhere").exists());
}

#[tokio::test]
async fn s6_a_planted_file_is_neither_followed_nor_written_over() {
    let dir = TempDir::new().unwrap();
    let store = store(&dir.path().join("root"));
    let target = dir.path().join("target");
    fs::write(&target, "precious").unwrap();
    save(&store, Some("demo"), "text").await.unwrap();
    let (linked, taken) = (plan(&store, Some("demo"), "a"), plan(&store, Some("demo"), "b"));
    symlink(&target, linked.locator()).unwrap();
    fs::write(taken.locator(), "mine").unwrap();
    for plan in [&linked, &taken] {
        assert!(store.save(plan, &SpillText::from("text")).await.is_err());
    }
    assert_eq!(fs::read_to_string(&target).unwrap(), "precious");
    assert_eq!(fs::read_to_string(taken.locator()).unwrap(), "mine");
}

#[tokio::test]
async fn s6_a_directory_of_another_user_is_refused() {
    let dir = TempDir::new().unwrap();
    let root = dir.path().join("root");
    fs::create_dir(&root).unwrap();
    // Only a privileged user can give a directory away.
    if std::os::unix::fs::chown(&root, Some(12_345), None).is_err() {
        return;
    }
    let error = save(&store(&root), None, "text").await.unwrap_err();
    assert!(matches!(error, SpillError::Foreign { .. }), "{error}");
    assert_eq!(fs::metadata(&root).unwrap().uid(), 12_345);
    check_inline(store(&root)).await;
}

#[tokio::test]
async fn s6_a_plan_of_another_store_is_refused() {
    let dir = TempDir::new().unwrap();
    let store = store(dir.path());
    for key in ["", "a", "../x", "no-session/..", "no-session/.lock", "x/0123456789ab-a"] {
        let plan = Plan::new("place", "hint").with_key(key);
        let error = store.save(&plan, &SpillText::from("text")).await.unwrap_err();
        assert!(matches!(error, SpillError::UnknownPlan { .. }), "{error}");
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn s2_a_root_that_cannot_be_made_leaves_the_content_inline() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    check_inline(store(&dir.path().join("file"))).await;
    check_inline(store(&dir.path().join("file/below"))).await;
    // Not even a privileged user can write here.
    check_inline(store(Path::new("/proc/self/spills"))).await;
    let read_only = dir.path().join("read-only");
    fs::create_dir(&read_only).unwrap();
    fs::set_permissions(&read_only, fs::Permissions::from_mode(0o500)).unwrap();
    if fs::write(read_only.join("probe"), "").is_err() {
        check_inline(store(&read_only.join("spills"))).await;
        check_inline(store(&read_only)).await;
    }
}

#[test]
fn s2_a_root_that_is_not_utf8_is_refused_and_a_relative_one_made_absolute() {
    use std::os::unix::ffi::OsStringExt as _;
    let root = PathBuf::from(std::ffi::OsString::from_vec(b"/\xff".to_vec()));
    let error = LocalStore::open(root, LocalConfig::default()).unwrap_err();
    assert!(matches!(error, SpillError::NotUtf8 { .. }));
    let store = LocalStore::open("spills", LocalConfig::default()).unwrap();
    assert_eq!(store.root(), std::env::current_dir().unwrap().join("spills"));
}

#[test]
fn s2_a_full_disk_leaves_the_content_inline_and_no_partial_file() {
    let _locks = LOCKS.blocking_lock();
    let dir = TempDir::new().unwrap();
    // A limit on the size of files, with its signal ignored, is a disk that is full after a few KiB.
    let script = "trap '' XFSZ; ulimit -f 4; exec \"$0\" \"$@\"";
    let status = Command::new("sh")
        .args(["-c", script])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "local::in_a_process_with_a_full_disk", "--test-threads=1"])
        .env("SPILL_TEST_FULL_DISK", dir.path())
        .status()
        .unwrap();
    assert!(status.success());
}

#[tokio::test]
async fn in_a_process_with_a_full_disk() {
    let Some(root) = std::env::var_os("SPILL_TEST_FULL_DISK").map(PathBuf::from) else { return };
    let store = store(&root);
    assert!(save(&store, Some("demo"), &rows(100)).await.is_ok());
    let error = save(&store, Some("demo"), &rows(100_000)).await.unwrap_err();
    assert!(matches!(error, SpillError::Io { action: "write", .. }), "{error}");
    check_inline(store).await;
    assert_eq!(files(&root).len(), 1);
}

#[tokio::test]
async fn s1_each_of_many_long_results_keeps_its_file() {
    let dir = TempDir::new().unwrap();
    let hooks = Hooks::new();
    Spill::new(Arc::new(store(dir.path())), config(500)).mount(&hooks).keep();
    let world = World::new(&hooks);
    let mut places = Vec::new();
    for number in 0..20 {
        let text = format!("result {number}\n{}", rows(1000));
        let outcome = world.call("say", json!({ "blocks": [text] })).await;
        let notice = texts(&outcome)[1];
        places.push((notice.lines().nth(1).unwrap().to_owned(), text));
    }
    assert_eq!(files(dir.path()).len(), 20);
    for (place, text) in places {
        assert_eq!(fs::read_to_string(place).unwrap(), text);
    }
}

#[tokio::test]
async fn s1_the_notice_says_how_to_read_on() {
    let dir = TempDir::new().unwrap();
    let blocks = long_result(store(dir.path())).await;
    let place = files(dir.path()).remove(0);
    assert_eq!(
        blocks[1].as_text().unwrap(),
        format!(
            "(The call returned. Its result is too long to show; all {} bytes are in\n{}\n\
             Read that file in pages (read with offset and limit), or search it with grep.)",
            rows(1000).len(),
            place.display()
        )
    );
}

#[tokio::test]
async fn s2_a_save_that_nobody_waits_for_leaves_nothing() {
    let dir = TempDir::new().unwrap();
    let store = store(dir.path());
    let plan = plan(&store, Some("demo"), "say.txt");
    let text = "x".repeat(20_000_000);
    let text = SpillText::from(&*text);
    assert!(store.save(&plan, &text).now_or_never().is_none());
    let patience = Instant::now() + Duration::from_secs(20);
    // The file appears when its thread starts, and goes when that finds nobody waiting.
    while !dir.path().join("session-2a97516c354b/.lock").exists() || !files(dir.path()).is_empty() {
        assert!(Instant::now() < patience, "the partial file stays");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(save(&store, Some("demo"), "text").await.is_ok());
    assert_eq!(files(dir.path()).len(), 1);
}

/// A runtime that keeps blocking work without running it, or drops it.
struct Idle {
    kept: Option<Mutex<Vec<Work>>>,
}

type Work = Box<dyn FnOnce() + Send>;

impl Runtime for Idle {
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        ThreadRuntime.sleep(duration)
    }

    fn spawn_blocking(&self, work: Work) {
        if let Some(kept) = &self.kept {
            kept.lock().unwrap().push(work);
        }
    }
}

#[tokio::test]
async fn s2_a_store_that_hangs_is_not_waited_for() {
    let dir = TempDir::new().unwrap();
    let limits = LocalConfig { save_deadline: Duration::from_millis(30), ..LocalConfig::default() };
    let store = LocalStore::open(dir.path(), limits).unwrap();
    let hanging = store.clone().with_runtime(Arc::new(Idle { kept: Some(Mutex::default()) }));
    let error = save(&hanging, None, "text").await.unwrap_err();
    assert_eq!(error.to_string(), "the text was not saved within 30 ms");
    check_inline(hanging).await;
    let refusing = store.with_runtime(Arc::new(Idle { kept: None }));
    let error = save(&refusing, None, "text").await.unwrap_err();
    assert!(matches!(error, SpillError::Refused));
    check_inline(refusing).await;
}

#[tokio::test]
async fn s2_a_sweep_that_does_not_end_is_not_waited_for() {
    let dir = TempDir::new().unwrap();
    let path = save(&store(dir.path()), Some("demo"), "text").await.unwrap();
    let lock = fs::File::open(path.with_file_name(".lock")).unwrap();
    lock.lock().unwrap();
    let store = store(dir.path());
    let error = save(&store, Some("demo"), "text").await.unwrap_err();
    assert!(matches!(error, SpillError::Locked { .. }), "{error}");
    lock.unlock().unwrap();
    assert!(save(&store, Some("demo"), "text").await.is_ok());
}

#[tokio::test]
async fn what_is_removed_from_outside_is_made_anew() {
    let dir = TempDir::new().unwrap();
    let store = store(&dir.path().join("root"));
    let first = save(&store, Some("demo"), "one").await.unwrap();
    fs::remove_dir_all(first.parent().unwrap()).unwrap();
    let second = save(&store, Some("demo"), "two").await.unwrap();
    assert_eq!(fs::read_to_string(second).unwrap(), "two");
    fs::remove_dir_all(store.root()).unwrap();
    let third = save(&store, Some("demo"), "three").await.unwrap();
    assert_eq!(fs::read_to_string(third).unwrap(), "three");
}

#[tokio::test]
async fn texts_are_saved_at_the_same_time() {
    let dir = TempDir::new().unwrap();
    let store = store(dir.path());
    let texts: Vec<_> = (0..20).map(|number| number.to_string().repeat(100_000)).collect();
    let saves = texts.iter().map(|text| save(&store, Some("demo"), text));
    let paths = futures_util::future::try_join_all(saves).await.unwrap();
    for (path, text) in paths.iter().zip(&texts) {
        assert_eq!(&fs::read_to_string(path).unwrap(), text);
    }
}
