//! What can be changed through a terminal is what the access mode leaves open (decisions DF5).

use std::fs;
use std::path::Path;

use contract_registry::{AccessMode, CancelSignal};
use serde_json::{Value, json};

use super::support::Terminals;
use crate::confinement::not_temporary;

/// A value of a call under a mode.
async fn value(terminals: &Terminals, mode: AccessMode, call: (&str, Value)) -> Value {
    let outcome = terminals.call_as("main", mode, CancelSignal::never(), call).await;
    outcome.value().unwrap().json().to_value()
}

async fn type_in(terminals: &Terminals, mode: AccessMode, line: String) -> String {
    let send = ("terminal_send", json!({ "session_id": "pty-1", "text": line }));
    value(terminals, mode, send).await["viewport"].as_str().unwrap().to_owned()
}

/// Lines that would change a file.
fn ways(victim: &Path) -> Vec<String> {
    let victim = victim.display();
    vec![
        format!("echo x > {victim}"),
        format!("ln -s {victim} link; echo x > link"),
        format!("exec 3<{victim}; echo x > /proc/self/fd/3; exec 3<&-"),
        format!("rm -f {victim}"),
        format!("setsid bash -c 'echo x > {victim}'"),
        format!("python3 -c 'open(\"{victim}\", \"w\")'"),
    ]
}

#[tokio::test]
async fn under_workspace_write_nothing_outside_changes() {
    let terminals = Terminals::new();
    let mode = AccessMode::WorkspaceWrite;
    // Not in the temporary folder, which may be written to.
    let outside = tempfile::tempdir_in(not_temporary()).unwrap();
    let victim = outside.path().join("victim");
    fs::write(&victim, "as it was").unwrap();
    let opened = value(&terminals, mode, ("terminal_open", json!({}))).await;
    let sandbox = json!({ "mode": "workspace-write", "enforcement": "full" });
    assert_eq!(opened["sandbox"], sandbox);
    for way in ways(&victim) {
        let seen = type_in(&terminals, mode, way.clone()).await;
        assert_eq!(fs::read_to_string(&victim).unwrap(), "as it was", "{way}: {seen}");
    }
    let seen = type_in(&terminals, mode, "echo x > own && cat own".to_owned()).await;
    assert!(seen.contains("\nx\n"), "{seen}");
}

#[tokio::test]
async fn under_read_only_nothing_changes_but_a_folder_that_goes() {
    let terminals = Terminals::new();
    let mode = AccessMode::ReadOnly;
    let victim = terminals.workspace.dir.path().join("victim");
    fs::write(&victim, "as it was").unwrap();
    value(&terminals, mode, ("terminal_open", json!({}))).await;
    for way in ways(&victim) {
        let seen = type_in(&terminals, mode, way.clone()).await;
        assert_eq!(fs::read_to_string(&victim).unwrap(), "as it was", "{way}: {seen}");
    }
    let seen =
        type_in(&terminals, mode, "echo x > $TMPDIR/a; cat $TMPDIR/a; echo $TMPDIR".to_owned())
            .await;
    let mut rows = seen.lines().skip(1);
    assert_eq!(rows.next(), Some("x"), "{seen}");
    let folder = Path::new(rows.next().unwrap());
    assert!(folder.is_dir());
    value(&terminals, mode, ("terminal_close", json!({ "session_id": "pty-1" }))).await;
    assert!(!folder.exists());
    assert_eq!(fs::read_dir(terminals.workspace.dir.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn under_full_access_there_is_no_sandbox() {
    let terminals = Terminals::new();
    let opened = value(&terminals, AccessMode::Full, ("terminal_open", json!({}))).await;
    assert_eq!(opened.get("sandbox"), None);
}
