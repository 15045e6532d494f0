//! The tools that people use: a search with far too many matches, and reading what was saved.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use contract_hooks::Hooks;
use contract_registry::{CallEnv, CallRequest, Outcome, Registry, SessionId};
use contract_schema::Json;
use contract_spill::{LocalConfig, LocalStore, Spill, SpillConfig};
use serde_json::{Value, json};
use tempfile::TempDir;
use tools_firstparty::{Config, Seams, tools};

use crate::local::files;
use crate::support::{printed, texts};

struct World {
    registry: Registry,
    env: Arc<CallEnv>,
}

impl World {
    fn new(workspace: &Path, spills: &Path) -> Self {
        let store = LocalStore::open(spills, LocalConfig::default()).unwrap();
        let hooks = Hooks::new();
        Spill::new(Arc::new(store), SpillConfig::default()).mount(&hooks).keep();
        let registry = Registry::builder().policy(Arc::new(hooks)).build();
        for tool in tools(&Config::default(), &Seams::default()).unwrap().into_tools() {
            registry.register_dyn(tool).unwrap().keep();
        }
        let env = CallEnv::new(workspace).with_session(SessionId::new("demo"));
        Self { registry, env: Arc::new(env) }
    }

    async fn call(&self, name: &str, arguments: Value) -> Outcome {
        let arguments = Json::snapshot(&arguments).unwrap();
        let request = CallRequest::new(name, arguments).with_env(Arc::clone(&self.env));
        let outcome = self.registry.dispatch(request).await;
        assert!(!outcome.is_error(), "{:?}", outcome.error());
        outcome
    }
}

/// A workspace in which `needle` is on 10,000 lines of this many bytes.
fn workspace(width: usize) -> TempDir {
    let dir = TempDir::new().unwrap();
    for file in 0..10 {
        let lines = (0..1000).map(|line| format!("needle {line:0width$}\n"));
        fs::write(dir.path().join(format!("{file}.txt")), lines.collect::<String>()).unwrap();
    }
    dir
}

/// The path that stands in the text after `before`.
fn place<'t>(text: &'t str, before: &str) -> &'t str {
    let (_, rest) = text.split_once(before).unwrap();
    rest.split([':', '\n']).next().unwrap()
}

#[tokio::test]
async fn p17_ten_thousand_matches_are_a_page_with_a_place_that_read_opens() {
    let (dir, spills) = (workspace(10), TempDir::new().unwrap());
    let world = World::new(dir.path(), spills.path());
    let mut places = Vec::new();
    for _ in 0..20 {
        let outcome = world.call("grep", json!({ "pattern": "needle" })).await;
        assert!(printed(&outcome) <= 50_000);
        let [page] = texts(&outcome)[..] else { panic!("one block") };
        assert!(page.starts_with("250 of 10000 matches\n"));
        places.push(place(page, "The whole list is in ").to_owned());
    }
    assert_eq!(files(spills.path()).len(), 20);
    for place in &places {
        let saved = fs::read_to_string(place).unwrap();
        assert_eq!(saved.matches("needle").count(), 10_000);
    }
    let outcome = world.call("read", json!({ "file_path": places[0], "limit": 4 })).await;
    assert!(texts(&outcome)[0].contains("10000 matches in 10 files"));
}

#[tokio::test]
async fn p17_a_page_of_long_lines_is_previewed_and_saved_once() {
    let (dir, spills) = (workspace(1500), TempDir::new().unwrap());
    let world = World::new(dir.path(), spills.path());
    let outcome = world.call("grep", json!({ "pattern": "needle" })).await;
    assert!(printed(&outcome) <= 50_000);
    let [preview, notice] = texts(&outcome)[..] else { panic!("two blocks") };
    assert!(preview.starts_with("250 of 10000 matches\n"));
    let [saved] = &files(spills.path())[..] else { panic!("one file") };
    assert_eq!(notice.lines().nth(1).unwrap(), saved.to_str().unwrap());
    assert_eq!(place(preview, "The whole list is in "), saved.to_str().unwrap());
    let grep = world.call("grep", json!({ "pattern": "needle 0*999$", "path": saved })).await;
    assert!(texts(&grep)[0].starts_with("10 matches in 1 file\n"), "{:?}", texts(&grep));
}

#[tokio::test]
async fn p17_paths_are_saved_and_paged_too() {
    let (dir, spills) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    for file in 0..300 {
        fs::write(dir.path().join(format!("{file:03}.txt")), "").unwrap();
    }
    let world = World::new(dir.path(), spills.path());
    let outcome = world.call("glob", json!({ "pattern": "*.txt" })).await;
    let saved = fs::read_to_string(place(texts(&outcome)[0], "The whole list is in ")).unwrap();
    assert_eq!(saved.matches(".txt").count(), 300);
}

#[tokio::test]
async fn s2_a_search_succeeds_where_nothing_can_be_saved() {
    let dir = workspace(10);
    let world = World::new(dir.path(), Path::new("/proc/self/spills"));
    let outcome = world.call("grep", json!({ "pattern": "needle" })).await;
    assert!(texts(&outcome)[0].contains("The list is cut here"));
    assert!(printed(&outcome) <= 50_000);
}
