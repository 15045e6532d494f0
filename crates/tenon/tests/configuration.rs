//! Files, layers, trust, and errors with file, line and key.

use std::fs;

use crate::support::{Folder, Ran, run, run_with_stdin};

const READ: &[&str] = &["read", r#"{"file_path":"./secrets/key"}"#];

fn sample() -> Folder {
    Folder::with(&[("secrets/key", "k\n"), ("a.txt", "a\n")])
}

fn read(folder: &Folder) -> Ran {
    run(&mut folder.call(READ))
}

/// A file that cannot be followed: exit code 2, and a message that names it.
fn check_refused(text: &str, line: usize, part: &str) {
    let folder = sample();
    fs::write(folder.path().join("tenon.toml"), text).unwrap();
    let ran = read(&folder);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
    assert!(ran.stderr.contains(&format!("tenon.toml:{line}: ")), "{}", ran.stderr);
    assert!(ran.stderr.contains(part), "{}", ran.stderr);
}

#[test]
fn a_file_that_cannot_be_followed_is_an_error_with_file_line_and_key() {
    check_refused("[spill]\nmax_inline_byte = 3\n", 2, "unknown field `max_inline_byte`");
    check_refused("\n[spil]\n", 2, "unknown field `spil`");
    let whole =
        "spill.max_inline_bytes: invalid value: integer `-1`, expected a whole number from 0";
    check_refused("[spill]\nmax_inline_bytes = -1\n", 2, whole);
    check_refused("[spill]\nmax_inline_bytes = 1.5\n", 2, "spill.max_inline_bytes: invalid type");
    check_refused("[spill]\nmax_inline_bytes = 999\n", 2, "must be at least 1000");
    check_refused("[access]\nwritable_roots = [5]\n", 2, "access.writable_roots[0]: ");
    check_refused("[access]\nwritable_roots = [\"\"]\n", 2, "a path is empty");
    check_refused("[commands]\nenvironment = [\"PWD=3\"]\n", 2, "not the name of a variable");
    check_refused("[hooks]\nfiles = [\"h.json\"]\n", 2, "expected { path = ");
    check_refused(
        "[permissions]\ndeny = [\n  \"read\",\n  \"x(\",\n]\n",
        4,
        "deny: `x(` does not end with `)`",
    );
    check_refused("[reminder]\nthresholds = [1]\n", 2, "thresholds");
    check_refused("[reminder]\narguments_preview_chars = 0\n", 2, "arguments_preview_chars");
    check_refused("[session]\nsync = \"sometimes\"\n", 2, "session.sync: ");
    check_refused("[hooks]\nfiles = [{ path = \"h.json\" }]\n", 2, "format");
    check_refused("a = \n", 1, "");
}

#[test]
fn a_users_refusal_wins_over_a_workspaces_permission() {
    let folder = sample();
    folder.configure("[permissions]\ndeny = [\"read(file_path=secrets/*)\"]\n");
    fs::write(folder.path().join("tenon.toml"), "[permissions]\nallow = [\"read\"]\n").unwrap();
    assert_eq!(run(&mut folder.tenon(&["trust", "--yes"])).code, 0);
    let ran = read(&folder);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("the rule `read(file_path=secrets/*)` forbids"), "{ran:?}");
}

#[test]
fn an_untrusted_workspace_can_tighten_and_not_widen() {
    let folder = sample();
    folder.configure("[permissions]\n");
    let both = "[permissions]\ndeny = [\"grep\"]\nallow = [\"read\"]\n";
    fs::write(folder.path().join("tenon.toml"), both).unwrap();
    let ran = read(&folder);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("asks to allow `read`; that is not in effect"), "{ran:?}");
    let denied = run(&mut folder.call(&["grep", r#"{"pattern":"a"}"#]));
    assert!(denied.stdout.contains("the rule `grep` forbids this call"), "{denied:?}");

    let trusted = run(&mut folder.tenon(&["trust", "--yes"]));
    assert_eq!((trusted.code, trusted.stderr.as_str()), (0, ""));
    assert!(trusted.stdout.contains("allow `read`"), "{trusted:?}");
    assert_eq!(read(&folder).stderr, "");

    // Another content is another question, and nothing runs before its answer.
    fs::write(folder.path().join("tenon.toml"), format!("{both}# more\n")).unwrap();
    check_changed(&folder);
}

/// A folder whose trusted content changed: nothing runs, and the message says what to do.
fn check_changed(folder: &Folder) {
    let ran = read(folder);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
    for part in ["what was trusted here has changed", "`tenon trust`", "`tenon trust --revoke`"] {
        assert!(ran.stderr.contains(part), "{part}: {ran:?}");
    }
}

#[test]
fn what_was_trusted_does_not_vanish_without_a_word() {
    let folder = sample();
    let (config, hooks) = (folder.path().join("tenon.toml"), folder.path().join("h.json"));
    let named = "[hooks]\nfiles = [{ path = \"h.json\", format = \"claude\" }]\n";
    let guard = r#"{"PreToolUse":[{"hooks":[{"type":"command","command":"exit 2"}]}]}"#;
    let guarded = || {
        fs::write(&config, named).unwrap();
        fs::write(&hooks, guard).unwrap();
        assert_eq!(run(&mut folder.tenon(&["trust", "--yes"])).code, 0);
        assert_eq!(read(&folder).code, 1, "the hook denies");
    };
    let changes: [&dyn Fn(); 6] = [
        &|| fs::write(&hooks, format!("{guard} ")).unwrap(),
        &|| fs::write(&hooks, "{}").unwrap(),
        &|| fs::remove_file(&hooks).unwrap(),
        &|| fs::write(&config, "").unwrap(),
        &|| fs::write(&config, format!("{named}\n")).unwrap(),
        &|| fs::remove_file(&config).unwrap(),
    ];
    for change in changes {
        guarded();
        change();
        check_changed(&folder);
        assert_eq!(run(&mut folder.tenon(&["trust", "--revoke"])).code, 0);
        assert_eq!(read(&folder).code, 0);
    }
    // Accepted as it is now: a folder that asks for nothing any more.
    guarded();
    fs::write(&config, "").unwrap();
    assert_eq!(run(&mut folder.tenon(&["trust"])).code, 2, "nobody to ask");
    check_changed(&folder);
    assert_eq!(run(&mut folder.tenon(&["trust", "--yes"])).code, 0);
    assert_eq!(read(&folder).code, 0);
}

#[test]
fn folders_that_are_trusted_at_the_same_time_are_all_recorded() {
    let first = sample();
    let folders: Vec<_> = (0..16)
        .map(|number| {
            let path = first.path().join(format!("w{number}"));
            fs::create_dir(&path).unwrap();
            fs::write(path.join("tenon.toml"), "[permissions]\nallow = [\"read\"]\n").unwrap();
            path
        })
        .collect();
    let each = |option: &str, more: &str| {
        std::thread::scope(|scope| {
            for path in &folders {
                let first = &first;
                scope.spawn(move || {
                    let ran = run(first.tenon(&["trust", option]).arg(path));
                    assert!(ran.code == 0 && ran.stdout.ends_with(more), "{ran:?}");
                });
            }
        });
    };
    each("--yes", "Trusted, until these files change.\n");
    each("--revoke", "No longer trusted.\n");
}

#[test]
fn a_record_that_is_being_changed_is_not_waited_for_without_end() {
    let folder = sample();
    fs::write(folder.path().join("tenon.toml"), "[permissions]\nallow = [\"read\"]\n").unwrap();
    fs::create_dir_all(folder.state()).unwrap();
    let lock = fs::File::create(folder.state().join("trust.lock")).unwrap();
    lock.lock().unwrap();
    let ran = run(&mut folder.tenon(&["trust", "--yes"]));
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("is being changed by another process"), "{ran:?}");
    drop(lock);
    assert_eq!(run(&mut folder.tenon(&["trust", "--yes"])).code, 0);
}

#[test]
#[cfg(target_os = "linux")]
fn folders_whose_names_are_not_utf8_are_not_taken_for_each_other() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = sample();
    let [trusted, other] = [&b"w\xff"[..], b"w\xfe"].map(|name| {
        let path = folder.path().join(std::ffi::OsStr::from_bytes(name));
        fs::create_dir(&path).unwrap();
        fs::write(path.join("tenon.toml"), "[permissions]\nallow = [\"read\"]\n").unwrap();
        path
    });
    let trust = |option: &str, path| run(folder.tenon(&["trust", option]).arg(path)).stdout;
    assert!(trust("--yes", &trusted).ends_with("Trusted, until these files change.\n"));
    assert_eq!(trust("--revoke", &other), "This folder was not trusted.\n");
    assert_eq!(trust("--revoke", &trusted), "No longer trusted.\n");
}

#[test]
fn what_is_asked_for_twice_is_shown_once_and_in_a_row_of_its_own() {
    let folder = sample();
    let twice = "[permissions]\nallow = [\"read\", \"read\"]\n[hooks]\nfiles = [{ path = \"h.json\", format = \"claude\" }]\n";
    let hook =
        r#"{"hooks":[{"type":"command","command":"true\nTrusted, until these files change."}]}"#;
    fs::write(folder.path().join("tenon.toml"), twice).unwrap();
    fs::write(folder.path().join("h.json"), format!("{{\"PreToolUse\":[{hook},{hook}]}}")).unwrap();
    let ran = run(&mut folder.tenon(&["trust"]));
    assert_eq!(ran.stdout.matches("allow `read`").count(), 1, "{ran:?}");
    assert_eq!(ran.stdout.matches("run `true\\nTrusted, ").count(), 1, "{ran:?}");
    assert_eq!(ran.stdout.lines().count(), 4, "{ran:?}");
}

#[test]
fn trust_shows_first_and_takes_no_silence_for_a_yes() {
    let folder = sample();
    fs::write(folder.path().join("tenon.toml"), "[permissions]\nallow = [\"read\"]\n").unwrap();
    for input in ["", "y\n"] {
        let ran = run_with_stdin(&mut folder.tenon(&["trust"]), input.as_bytes());
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stdout.contains("allow `read`"), "{ran:?}");
        assert!(ran.stderr.contains("tenon trust --yes"), "{ran:?}");
    }
    assert!(read(&folder).stderr.contains("not in effect"));
}

#[test]
fn trust_can_be_taken_back() {
    let folder = sample();
    fs::write(folder.path().join("tenon.toml"), "[permissions]\nallow = [\"read\"]\n").unwrap();
    let revoke = || run(&mut folder.tenon(&["trust", "--revoke"])).stdout;
    assert_eq!(revoke(), "This folder was not trusted.\n");
    assert_eq!(run(&mut folder.tenon(&["trust", "--yes"])).code, 0);
    assert_eq!(read(&folder).stderr, "");
    // Also once there is nothing left to trust.
    fs::remove_file(folder.path().join("tenon.toml")).unwrap();
    assert_eq!(revoke(), "No longer trusted.\n");
    fs::write(folder.path().join("tenon.toml"), "[permissions]\nallow = [\"read\"]\n").unwrap();
    assert!(read(&folder).stderr.contains("not in effect"));
}

#[test]
fn what_widens_access_needs_trust() {
    let folder = sample();
    let text = "[access]\nwritable_roots = [\"cache\"]\nnetwork = true\n";
    fs::write(folder.path().join("tenon.toml"), text).unwrap();
    fs::create_dir(folder.path().join("cache")).unwrap();
    let ran = read(&folder);
    assert!(ran.stderr.contains("asks to write to cache; that"), "{ran:?}");
    assert_eq!(run(&mut folder.tenon(&["trust", "--yes"])).code, 0);
    assert_eq!(read(&folder).stderr, "");
    // A folder that is not there opens nothing.
    fs::remove_dir(folder.path().join("cache")).unwrap();
    assert!(read(&folder).stderr.contains("cache is no folder"), "{:?}", read(&folder));
}

#[test]
fn an_untrusted_workspace_leaves_other_sessions_alone() {
    let rows = "a row\n".repeat(1000);
    let other = Folder::with(&[("rows.txt", &rows)]);
    let search = ["grep", r#"{"pattern":"row"}"#, "--session", "mine"];
    assert_eq!(run(&mut other.call(&search)).code, 0);
    let saved = || fs::read_dir(other.state().join("spills")).unwrap().count();
    assert_eq!(saved(), 1);
    let text = "[spill]\nmax_total_bytes = 1\nmax_age_days = 0\n[session]\nsync = \"never\"\n";
    fs::write(other.path().join("tenon.toml"), text).unwrap();
    let ran = run(&mut other.call(&["grep", r#"{"pattern":"row"}"#]));
    assert!(ran.stderr.contains("say how long saved results are kept"), "{ran:?}");
    assert!(ran.stderr.contains("say how safely sessions are logged"), "{ran:?}");
    assert_eq!(saved(), 2, "one of this call, one of the session");
}

#[test]
fn a_record_that_others_can_write_is_not_believed() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = sample();
    fs::write(folder.path().join("tenon.toml"), "[permissions]\nallow = [\"read\"]\n").unwrap();
    assert_eq!(run(&mut folder.tenon(&["trust", "--yes"])).code, 0);
    for (path, kept) in [(folder.state(), 0o700), (folder.state().join("trust.json"), 0o600)] {
        let mode = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        mode(0o777);
        let ran = read(&folder);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains("can be written by others"), "{ran:?}");
        mode(kept);
        assert_eq!(read(&folder).code, 0);
    }
}

#[test]
fn a_folder_cannot_bring_the_record_that_trusts_it() {
    let folder = sample();
    fs::write(folder.path().join("tenon.toml"), "[permissions]\nallow = [\"read\"]\n").unwrap();
    assert_eq!(run(&mut folder.tenon(&["trust", "--yes"])).code, 0);
    fs::copy(folder.state().join("trust.json"), folder.path().join("trust.json")).unwrap();
    let mut command = folder.call(READ);
    command.current_dir(folder.path()).env_remove("HOME").env_remove("XDG_STATE_HOME");
    let ran = run(&mut command);
    assert!(ran.stderr.contains("not in effect"), "{ran:?}");
}

#[test]
fn trust_needs_something_to_trust_and_a_readable_record() {
    let folder = sample();
    let ran = run(&mut folder.tenon(&["trust"]));
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("has no tenon.toml"), "{ran:?}");
    fs::create_dir_all(folder.state()).unwrap();
    fs::write(folder.state().join("trust.json"), "not json").unwrap();
    fs::write(folder.path().join("tenon.toml"), "").unwrap();
    let ran = read(&folder);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("trust.json"), "{ran:?}");
}

#[test]
fn read_only_access_lets_reading_tools_through() {
    let folder = sample();
    let mut command = folder.call(READ);
    command.args(["--access", "read-only"]);
    assert_eq!(run(&mut command).code, 0);
}

#[test]
fn asking_without_a_terminal_is_a_refusal_that_says_so() {
    let folder = sample();
    folder.configure("[permissions]\nask = [\"read\"]\n");
    let mut command = folder.call(READ);
    command.args(["--format", "result"]);
    // A session of its own has no controlling terminal.
    #[cfg(unix)]
    let command = {
        let mut in_session = std::process::Command::new("setsid");
        in_session.arg("--wait").arg(command.get_program()).args(command.get_args());
        for (key, value) in command.get_envs() {
            in_session.env(key, value.unwrap_or_default());
        }
        &mut { in_session }
    };
    let ran = run(command);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(ran.json()["error"]["info"]["code"], "APPROVAL_UNAVAILABLE");
}

#[test]
#[cfg(unix)]
fn a_pipe_a_device_or_a_huge_file_is_refused_and_not_waited_for() {
    let folder = sample();
    let path = folder.path().join("tenon.toml");
    std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
    let ran = read(&folder);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("not a regular file"), "{ran:?}");
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("nowhere", &path).unwrap();
    assert_eq!(read(&folder).code, 2);
    fs::remove_file(&path).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    assert!(read(&folder).stderr.contains("not a regular file"));
    fs::remove_file(&path).unwrap();
    fs::File::create(&path).unwrap().set_len(1 << 30).unwrap();
    assert!(read(&folder).stderr.contains("larger than 1048576 bytes"));
    fs::write(&path, "[hooks]\nfiles = [{ path = \"/dev/zero\", format = \"claude\" }]\n").unwrap();
    assert!(read(&folder).stderr.contains("not a regular file"));
}

#[test]
fn what_a_file_holds_cannot_move_the_cursor() {
    let folder = sample();
    fs::write(folder.path().join("tenon.toml"), "\"\\u001b[2J\\u202e\" = 1\n").unwrap();
    let ran = read(&folder);
    assert_eq!(ran.code, 2);
    assert!(!ran.stderr.contains('\u{1b}') && !ran.stderr.contains('\u{202e}'), "{ran:?}");
    assert!(ran.stderr.contains("\\u{1b}[2J"), "{ran:?}");
}

#[test]
fn a_rule_that_matches_nothing_is_warned_of_by_file_and_line() {
    let folder = sample();
    folder.configure("[permissions]\ndeny = [\n  \"read(filepath=secrets/*)\",\n  \"Grep\",\n]\n");
    let own = "[permissions]\nask = [\"read(file_path=~/.ssh/*)\"]\nallow = [\"raed\"]\n";
    fs::write(folder.path().join("tenon.toml"), own).unwrap();
    let ran = read(&folder);
    assert_eq!(ran.code, 0, "{ran:?}");
    for part in [
        "config.toml:3: deny: `read(filepath=secrets/*)`: `read` takes no argument `filepath`; did you mean `file_path`?\n",
        "config.toml:4: deny: `Grep`: there is no tool `Grep`; did you mean `grep`?\n",
        "tenon.toml:2: ask: `read(file_path=~/.ssh/*)`: `~` in `~/.ssh/*` is not replaced by the home folder; write it out\n",
    ] {
        assert!(ran.stderr.contains(part), "{part}{}", ran.stderr);
    }
    // What is not in effect is not judged.
    assert!(!ran.stderr.contains("raed`:"), "{ran:?}");
}

#[test]
#[cfg(unix)]
fn a_link_into_a_refused_folder_does_not_show_it() {
    let folder = sample();
    std::os::unix::fs::symlink("secrets", folder.path().join("door")).unwrap();
    let rules = ["read(file_path=./secrets/**)", "grep(path=secrets/*)", "glob(path=secrets/*)"];
    folder.configure(&format!("[permissions]\ndeny = {rules:?}\n"));
    for call in [
        ["read", r#"{"file_path":"door/key"}"#],
        ["read", r#"{"file_path":"door"}"#],
        ["grep", r#"{"pattern":"k","path":"door"}"#],
        ["grep", r#"{"pattern":"k","path":"secrets"}"#],
        ["glob", r#"{"pattern":"*","path":"./door/"}"#],
    ] {
        let ran = run(&mut folder.call(&call));
        assert_eq!(ran.code, 1, "{call:?}: {ran:?}");
        assert!(ran.stdout.contains("forbids this call"), "{call:?}: {ran:?}");
    }
    assert_eq!(run(&mut folder.call(&["read", r#"{"file_path":"a.txt"}"#])).code, 0);
    // As documented: a walk from above is another call, and only a rule on it keeps the folder from it.
    let walk = ["grep", r#"{"pattern":"k"}"#];
    assert!(run(&mut folder.call(&walk)).stdout.contains("secrets/key"));
    folder.configure("[permissions]\ndeny = [\"grep\"]\n");
    assert_eq!(run(&mut folder.call(&walk)).code, 1);
}
