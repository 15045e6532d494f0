//! Runs the binary and keeps what it did.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The binary, to be given arguments. It sees no configuration and no state of the user who tests.
pub(crate) fn tenon() -> Command {
    let nobody = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nobody");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tenon"));
    command
        .env("XDG_STATE_HOME", nobody.join("state"))
        .env("XDG_CONFIG_HOME", nobody.join("config"));
    command
}

/// What a run did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// Standard output as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Runs to the end, without standard input.
pub(crate) fn run(command: &mut Command) -> Ran {
    run_with_stdin(command, b"")
}

/// Runs to the end with this standard input.
pub(crate) fn run_with_stdin(command: &mut Command, input: &[u8]) -> Ran {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        scope.spawn(move || {
            // A program that does not read its input closes the pipe.
            let _ = stdin.write_all(input);
        });
        child.wait_with_output().unwrap()
    });
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A folder to call tools in, with a state of its own beside it.
pub(crate) struct Folder {
    folder: TempDir,
    user: TempDir,
}

impl Folder {
    /// A folder with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let folder = Self { folder: TempDir::new().unwrap(), user: TempDir::new().unwrap() };
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Where the program keeps its state.
    pub(crate) fn state(&self) -> PathBuf {
        self.user.path().join("state/tenon")
    }

    /// Writes the user's own configuration.
    pub(crate) fn configure(&self, text: &str) {
        let folder = self.user.path().join("config/tenon");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("config.toml"), text).unwrap();
    }

    /// `tenon` with these words, in this folder.
    pub(crate) fn tenon<S: AsRef<OsStr>>(&self, words: &[S]) -> Command {
        let mut command = tenon();
        command.args(words).arg("--root").arg(self.path());
        command
            .env("XDG_STATE_HOME", self.user.path().join("state"))
            .env("XDG_CONFIG_HOME", self.user.path().join("config"));
        command
    }

    /// `tenon call` with these words, in this folder.
    pub(crate) fn call<S: AsRef<OsStr>>(&self, words: &[S]) -> Command {
        let mut command = self.tenon(&["call"]);
        command.args(words);
        command
    }
}
