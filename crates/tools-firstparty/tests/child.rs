//! What a process does that a test starts: this test binary again, in another role.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{changes_confined, crash, race};

const ROLE: &str = "TOOLS_FIRSTPARTY_TEST_ROLE";
const ROOT: &str = "TOOLS_FIRSTPARTY_TEST_ROOT";

/// The command that plays a role on a folder.
pub(crate) fn command(role: &str, root: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child::role", "--nocapture", "--test-threads=1"]);
    command.env(ROLE, role).env(ROOT, root);
    command
}

/// The same under a limit on the size of files, in blocks of 512 bytes or more.
pub(crate) fn limited(role: &str, root: &Path, blocks: u32) -> Command {
    let inner = command(role, root);
    let mut command = Command::new("sh");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    command.arg("-c").arg(script).arg(inner.get_program()).args(inner.get_args());
    for (name, value) in inner.get_envs() {
        command.env(name, value.unwrap());
    }
    command
}

/// What a child told until it ended well.
pub(crate) fn told(command: &mut Command) -> Vec<String> {
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{text}");
    text.lines().map(str::to_owned).collect()
}

/// No test of its own: does nothing unless a test started this process for it.
#[test]
fn role() {
    let (Ok(role), Some(root)) = (std::env::var(ROLE), std::env::var_os(ROOT)) else { return };
    let root = PathBuf::from(root);
    let (role, detail) = role.split_once(':').unwrap_or((&role, ""));
    match role {
        "write" => crash::write(&root, detail),
        "edit" => crash::edit(&root, detail),
        "publish" => crash::publish(&root, detail),
        "too-large" => crash::too_large(&root),
        "contend" => race::contend_and_tell(&root),
        "swap" => race::write_into_swapped(&root),
        "escape" => changes_confined::escape(&root),
        other => panic!("no role {other}"),
    }
}

/// Tells the parent: not through the test harness, which has stdout.
pub(crate) fn tell(line: &str) {
    std::io::stderr().write_all(format!("{line}\n").as_bytes()).unwrap();
}
