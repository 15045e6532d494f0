//! What commands can change under each access mode (decisions DF5, DR6). Each case is tried for real.

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;

use contract_registry::{AccessMode, CallEnv, CallRequest, Outcome, Registry};
use serde_json::{Value, json};
use tools_firstparty::{Config, Seams, tools};

/// A workspace, and what is outside of it. Not in the temporary folder, which is writable.
struct Place {
    base: tempfile::TempDir,
    registry: Registry,
}

/// A folder that is not inside of the temporary one, where a build folder may be.
pub(crate) fn not_temporary() -> PathBuf {
    let temporary = std::env::temp_dir().canonicalize().unwrap();
    let folders = [env!("CARGO_TARGET_TMPDIR"), "/var/tmp", "/tmp"].map(PathBuf::from);
    let is_outside = |folder: &PathBuf| !folder.starts_with(&temporary) && folder.is_dir();
    folders.into_iter().find(is_outside).unwrap()
}

impl Place {
    fn new(change: impl FnOnce(&mut Config, PathBuf)) -> Self {
        let base = tempfile::tempdir_in(not_temporary()).unwrap();
        for folder in ["root", "outside", "cache"] {
            fs::create_dir(base.path().join(folder)).unwrap();
        }
        fs::write(base.path().join("outside/victim"), "as it was").unwrap();
        fs::write(base.path().join("root/own"), "own").unwrap();
        let mut config = Config::default();
        change(&mut config, base.path().to_owned());
        let registry = Registry::new();
        for tool in tools(&config, &Seams::default()).unwrap().into_tools() {
            registry.register_dyn(tool).unwrap().keep();
        }
        Self { base, registry }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.base.path().join(name)
    }

    async fn call(&self, mode: AccessMode, tool: &str, arguments: &Value) -> Outcome {
        let env = CallEnv::new(self.path("root")).with_access_mode(mode);
        let request = CallRequest::from_text(tool, &arguments.to_string());
        self.registry.dispatch(request.with_env(Arc::new(env))).await
    }

    /// Value and text of a command that can name what is outside `$OUT`.
    async fn bash(&self, mode: AccessMode, script: &str) -> (Value, String) {
        let command = format!("OUT={}; {script}", self.path("outside").display());
        let arguments = json!({ "command": command, "description": "test" });
        let outcome = self.call(mode, "bash", &arguments).await;
        let union = serde_json::to_value(outcome.union()).unwrap();
        (union["value"].clone(), union["content"][0]["text"].as_str().unwrap().to_owned())
    }

    /// Every name outside, and what the file that was there before holds.
    fn outside(&self) -> (Vec<String>, String) {
        let entries = fs::read_dir(self.path("outside")).unwrap().flatten();
        let names = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
        (names, fs::read_to_string(self.path("outside/victim")).unwrap())
    }
}

/// Ways to what is outside of the workspace.
const WAYS: [&str; 9] = [
    "echo x > $OUT/victim",
    "echo x >> $OUT/victim",
    "echo x > ../outside/new",
    "ln -s $OUT link; echo x > link/new",
    "ln -s $OUT/victim file; echo x > file",
    "exec 3<$OUT/victim; echo x > /proc/self/fd/3",
    "rm -f $OUT/victim",
    "mv $OUT/victim own",
    "bash -c 'cd ..; (setsid bash -c \"echo x > outside/new\")'",
];

#[tokio::test]
async fn under_workspace_write_nothing_outside_changes() {
    let place = Place::new(|_, _| ());
    for way in WAYS {
        let (value, _) = place.bash(AccessMode::WorkspaceWrite, way).await;
        assert_eq!(place.outside(), (vec!["victim".to_owned()], "as it was".to_owned()), "{way}");
        assert_eq!(value["sandbox"]["enforcement"], "full");
    }
    let script = "echo x > own && mkdir -p a/b && echo y > $(mktemp) && echo z > /dev/null";
    let (value, text) = place.bash(AccessMode::WorkspaceWrite, script).await;
    assert_eq!(text, "(no output)");
    assert_eq!(
        value["sandbox"],
        json!({ "mode": "workspace-write", "enforcement": "full", "denied": false })
    );
    assert_eq!(fs::read_to_string(place.path("root/own")).unwrap(), "x\n");
}

#[tokio::test]
async fn a_refusal_says_which_path_and_which_key_would_allow_it() {
    let place = Place::new(|_, _| ());
    let (value, text) = place.bash(AccessMode::WorkspaceWrite, "echo x > $OUT/victim").await;
    let victim = place.path("outside/victim");
    assert_eq!(value["sandbox"]["denied"], true);
    assert_eq!(value["sandbox"]["deniedPaths"], json!([victim]));
    let row = format!(
        "[sandbox: workspace-write access kept the command from writing {}; the configuration key \
         access.writable_roots can allow its folder]\n[exit code: 1]",
        victim.display()
    );
    assert!(text.ends_with(&row), "{text}");
}

#[tokio::test]
async fn under_read_only_a_command_writes_to_a_folder_of_its_own_which_goes() {
    let place = Place::new(|_, _| ());
    for way in WAYS.iter().chain(&["echo x > own", "touch new", "rm own", "echo x > /tmp/not-here"])
    {
        place.bash(AccessMode::ReadOnly, way).await;
        assert_eq!(place.outside(), (vec!["victim".to_owned()], "as it was".to_owned()), "{way}");
        let own: Vec<_> = fs::read_dir(place.path("root")).unwrap().flatten().collect();
        assert_eq!(
            (own.len(), fs::read_to_string(place.path("root/own")).unwrap().as_str()),
            (1, "own"),
            "{way}"
        );
    }
    let (value, text) =
        place.bash(AccessMode::ReadOnly, "echo x > $TMPDIR/a; cat $TMPDIR/a; echo $TMPDIR").await;
    let folder = text.lines().nth(1).unwrap();
    assert!(text.starts_with("x\n") && !PathBuf::from(folder).exists(), "{text}");
    assert_eq!(value["sandbox"]["mode"], "read-only");
    let (value, text) = place.bash(AccessMode::ReadOnly, "echo x > own").await;
    assert_eq!(value["sandbox"]["deniedPaths"], json!(["own"]));
    assert!(
        text.contains("[sandbox: read-only access kept the command from writing own; "),
        "{text}"
    );
}

#[tokio::test]
async fn under_full_access_nothing_is_confined() {
    let place = Place::new(|_, _| ());
    let (value, text) = place.bash(AccessMode::Full, "echo x > $OUT/victim").await;
    assert_eq!((value.get("sandbox"), text.as_str()), (None, "(no output)"));
    assert_eq!(place.outside().1, "x\n");
}

#[tokio::test]
async fn configured_folders_are_writable_under_workspace_write_only() {
    let place = Place::new(|config, base| config.access.writable_roots = vec![base.join("cache")]);
    let (value, _) = place.bash(AccessMode::WorkspaceWrite, "echo x > ../cache/new").await;
    assert_eq!(value["exitCode"], 0);
    let (value, _) = place.bash(AccessMode::ReadOnly, "echo x > ../cache/other").await;
    assert_eq!(value["exitCode"], 1);
    let made: Vec<_> = fs::read_dir(place.path("cache")).unwrap().flatten().collect();
    assert_eq!(made.len(), 1);
}

#[tokio::test]
async fn the_network_is_a_switch_of_its_own() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let connect = format!("exec 3<>/dev/tcp/127.0.0.1/{port}");
    let (on, off) = (Place::new(|_, _| ()), Place::new(|config, _| config.access.network = false));
    for (place, mode, code) in [
        (&on, AccessMode::WorkspaceWrite, 0),
        (&on, AccessMode::ReadOnly, 0),
        (&off, AccessMode::WorkspaceWrite, 1),
        (&off, AccessMode::ReadOnly, 1),
        (&off, AccessMode::Full, 0),
    ] {
        let (value, text) = place.bash(mode, &connect).await;
        assert_eq!(value["exitCode"], code, "{mode:?}: {text}");
    }
    let description = off.registry.get("bash").unwrap().description().to_owned();
    assert!(description.contains("Commands have no network."), "{description}");
}

#[tokio::test]
async fn a_background_command_is_confined_too() {
    let place = Place::new(|_, _| ());
    let command = format!("echo x > {}", place.path("outside/victim").display());
    let arguments = json!({ "command": command, "description": "t", "run_in_background": true });
    let mode = AccessMode::WorkspaceWrite;
    place.call(mode, "bash", &arguments).await;
    let outcome =
        place.call(mode, "job_output", &json!({ "job_id": "bash-1", "wait": true })).await;
    let job = outcome.value().unwrap().json().to_value()["job"].take();
    let detail = job["detail"].as_str().unwrap();
    assert!(detail.starts_with("exit code 1; sandbox: workspace-write access kept"), "{detail}");
    assert_eq!(place.outside().1, "as it was");
}

/// Known gaps, as they are today (decisions DF5): who closes one changes this test and the documentation.
#[tokio::test]
async fn known_gaps_are_as_documented() {
    let place = Place::new(|_, _| ());
    fs::hard_link(place.path("outside/victim"), place.path("root/linked")).unwrap();
    place.bash(AccessMode::WorkspaceWrite, "echo through > linked; chmod 600 $OUT/victim").await;
    assert_eq!(place.outside().1, "through\n", "a hard link from before");
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::metadata(place.path("outside/victim")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "the rights of files outside");
}
