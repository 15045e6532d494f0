//! The same input in tmux, to compare screens with.

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A tmux server of its own, with one window; ended on drop.
pub(super) struct Tmux {
    folder: TempDir,
}

impl Tmux {
    /// A shell like that of a terminal, in `folder`, of the same size.
    pub(super) fn open(folder: &Path) -> Self {
        let own = tempfile::tempdir().unwrap();
        let settings =
            "set -g status off\nset -g default-terminal xterm-256color\nset -s escape-time 0\n";
        std::fs::write(own.path().join("conf"), settings).unwrap();
        let tmux = Self { folder: own };
        let shell = "exec env PS1='\\w\\$ ' PAGER=cat HISTFILE= LESSHISTFILE=- INPUTRC=/dev/null \
                     bash --noprofile --norc -i";
        let folder = folder.to_str().unwrap();
        tmux.run(&["new-session", "-d", "-x", "160", "-y", "40", "-c", folder, shell]);
        tmux
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let output = Command::new("tmux")
            .arg("-f")
            .arg(self.folder.path().join("conf"))
            .arg("-S")
            .arg(self.folder.path().join("socket"))
            .args(arguments)
            .env_remove("TMUX")
            .env("LC_ALL", "C.UTF-8")
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        output
    }

    /// Types text.
    pub(super) fn text(&self, text: &str) {
        self.run(&["send-keys", "-l", "--", text]);
    }

    /// Presses a key by tmux's name for it.
    pub(super) fn key(&self, key: &str) {
        self.run(&["send-keys", key]);
    }

    /// The screen, wrapped lines joined, without what is blank at the end of rows and of the screen.
    pub(super) fn screen(&self) -> String {
        let output = self.run(&["capture-pane", "-p", "-J"]).stdout;
        tidy(&String::from_utf8(output).unwrap())
    }

    /// Waits until the screen is `expected`.
    pub(super) fn expect(&self, expected: &str, what: &str) {
        let expected = tidy(expected);
        let begun = Instant::now();
        while self.screen() != expected {
            if begun.elapsed() > Duration::from_secs(10) {
                assert_eq!(expected, self.screen(), "{what}: ours, then tmux's");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.run(&["kill-server"]);
    }
}

fn tidy(screen: &str) -> String {
    let rows: Vec<&str> = screen.lines().map(|row| row.trim_end_matches(' ')).collect();
    rows.join("\n").trim_end_matches('\n').to_owned()
}
