//! What saving 200 MB holds. A binary of its own, with one test, since the allocator counts every thread.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "tests")]

use std::fs;
use std::sync::Arc;

use contract_hooks::Hooks;
use contract_registry::{CallRequest, RawTool, Registry, Returned};
use contract_schema::{ContentBlock, Json};
use contract_spill::{LocalConfig, LocalStore, Spill, SpillConfig};
use contract_testkit::CountingAllocator;
use serde_json::json;

#[global_allocator]
static MEMORY: CountingAllocator = CountingAllocator::new();

const LINE: &str = "all work and no play makes a line of fifty bytes\r\n";
const BYTES: usize = 200_000_000;

/// Beyond the text itself: pieces on their way to the disk, and what a dispatch takes.
const ALLOWED: usize = 4 << 20;

#[test]
fn s1_two_hundred_megabytes_are_saved_in_little_more_memory_than_they_are() {
    let dir = tempfile::TempDir::new().unwrap();
    let store = LocalStore::open(dir.path(), LocalConfig::default()).unwrap();
    let hooks = Hooks::new();
    Spill::new(Arc::new(store), SpillConfig::default()).mount(&hooks).keep();
    let registry = Registry::builder().policy(Arc::new(hooks)).build();
    let tool = RawTool::new("long", "test")
        .parameters(json!({ "type": "object" }))
        .output(json!({ "type": "object" }))
        .run(|_, _| async { Ok(Returned::tree(json!({}))) })
        .render(|_, _| vec![ContentBlock::text(LINE.repeat(BYTES / LINE.len()))]);
    registry.register_dyn(tool.build().unwrap()).unwrap().keep();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let request = CallRequest::new("long", Json::parse("{}").unwrap());
    let (outcome, used) = MEMORY.measure(|| runtime.block_on(registry.dispatch(request)));
    eprintln!("peak {} bytes, kept {} bytes", used.peak_bytes, used.kept_bytes);
    assert!(used.peak_bytes <= BYTES + ALLOWED);

    let [preview, notice] = outcome.content() else { panic!("two blocks") };
    let (preview, notice) = (preview.as_text().unwrap(), notice.as_text().unwrap());
    let lines = preview.matches(LINE).count();
    let gap =
        format!("[… {} lines left out ({} bytes) …]\n", 4_000_000 - lines, BYTES - lines * 50);
    assert!(preview.contains(&gap), "{gap}");
    assert_eq!(preview.len(), lines * 50 + gap.len());
    assert!(notice.contains(&format!("all {BYTES} bytes are in\n")));
    assert!(preview.len() + notice.len() <= 50_000);
    let place = notice.lines().nth(1).unwrap();
    assert_eq!(fs::metadata(place).unwrap().len(), BYTES as u64);
    assert!(fs::read(place).unwrap().chunks(LINE.len()).all(|line| line == LINE.as_bytes()));
}
