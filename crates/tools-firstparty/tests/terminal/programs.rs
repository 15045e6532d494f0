//! Programs that ask and draw, beside tmux on the same input: the screen a person would see.

use std::time::{Duration, Instant};

use serde_json::json;

use super::support::{Terminals, has, is_there};
use super::tmux::Tmux;

/// One terminal and one tmux, given the same input.
struct Both {
    terminals: Terminals,
    id: String,
    tmux: Tmux,
}

impl Both {
    /// None where a program is missing.
    async fn open(programs: &[&str]) -> Option<Self> {
        let mut missing = ["tmux"].iter().chain(programs).filter(|program| !has(program));
        if missing.next().is_some() {
            return None;
        }
        let terminals = Terminals::new();
        let tmux = Tmux::open(terminals.workspace.dir.path());
        let id = terminals.open().await;
        let both = Self { terminals, id, tmux };
        both.same("opened").await;
        Some(both)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.terminals.workspace.dir.path().join(name), text).unwrap();
    }

    /// Types a line in both; the screens must be the same then.
    async fn line(&self, text: &str) {
        self.terminals.send(&self.id, text).await;
        self.tmux.text(text);
        self.tmux.key("Enter");
        self.same(text).await;
    }

    /// Types text without enter.
    async fn text(&self, text: &str) {
        let args = json!({ "session_id": self.id, "text": text, "submit": false });
        self.terminals.value("terminal_send", args).await;
        self.tmux.text(text);
        self.same(text).await;
    }

    async fn key(&self, ours: &str, theirs: &str) {
        self.terminals.press(&self.id, &[ours]).await;
        self.tmux.key(theirs);
        self.same(ours).await;
    }

    async fn same(&self, what: &str) {
        let ours = self.terminals.screen(&self.id).await;
        self.tmux.expect(&ours, what);
    }

    async fn until_there(&self, name: &str) {
        let path = self.terminals.workspace.dir.path().join(name);
        let begun = Instant::now();
        while !path.exists() {
            assert!(begun.elapsed() < Duration::from_secs(20), "{name}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn is_full_screen(&self) -> bool {
        let read = self.terminals.value("terminal_read", json!({ "session_id": self.id })).await;
        read.get("screen").is_some()
    }
}

#[tokio::test]
async fn a_python_session() {
    let Some(both) = Both::open(&["python3"]).await else { return };
    both.line("python3 -q").await;
    both.line("1 + 1").await;
    both.line("for i in range(3):").await;
    both.line("    print('é😀', i)").await;
    both.line("").await;
    both.text("pri").await;
    both.key("backspace", "BSpace").await;
    both.key("ctrl-a", "C-a").await;
    both.key("ctrl-k", "C-k").await;
    both.line("1/0").await;
    both.line("input('name? ')").await;
    both.line("Ann").await;
    both.key("ctrl-d", "C-d").await;
}

#[tokio::test]
async fn less() {
    let Some(both) = Both::open(&["less"]).await else { return };
    let lines: Vec<String> =
        (1..=300).map(|line| format!("line {line} \t{}", "~".repeat(line % 170))).collect();
    both.write("text", &lines.join("\n"));
    both.line("less text").await;
    assert!(both.is_full_screen().await);
    both.text(" ").await;
    both.key("page-down", "PageDown").await;
    both.key("up", "Up").await;
    both.line("/line 250").await;
    both.text("G").await;
    both.text("g").await;
    both.text("q").await;
    assert!(!both.is_full_screen().await);
    both.line("echo after").await;
}

#[tokio::test]
async fn vim() {
    // What the small package brings has another name.
    let program = if is_there("vim.tiny") { "vim.tiny" } else { "vim" };
    let Some(both) = Both::open(&[program]).await else { return };
    both.write("text", "one\ntwo\nthree\n");
    both.line(&format!("{program} -es -u NONE -c '%s/two/2/e' -c 'wq' text; cat text")).await;
    both.line(&format!("{program} -u NONE -n text")).await;
    assert!(both.is_full_screen().await);
    both.text("ohello").await;
    both.key("escape", "Escape").await;
    both.key("up", "Up").await;
    both.line(":set number").await;
    both.line(":q!").await;
    assert!(!both.is_full_screen().await);
    both.line("echo after").await;
}

#[tokio::test]
async fn top() {
    let Some(both) = Both::open(&["top"]).await else { return };
    let live = both.terminals.open().await;
    let shown = both.terminals.shown(&live, "top -b -n 1 | head -8").await;
    assert!(shown.contains("load average") && shown.contains("PID USER"), "{shown}");
    // What it shows changes from one run to the next, so one run is shown twice.
    both.terminals.send(&live, "COLUMNS=100 top -b -n 2 -d 0.1 | head -20 > batch").await;
    both.line("cat batch").await;
    if !has("script") {
        return;
    }
    let record = "script -qec 'TERM=xterm-256color top -d 0.2 -n 3' screen; touch over";
    both.terminals.send(&live, record).await;
    // It waits for keys between its pictures, which is the end of a send.
    both.until_there("over").await;
    let ours = both.terminals.shown(&both.id, "cat screen").await;
    assert!(ours.contains("load average") && !ours.contains("cat screen"), "{ours}");
    both.tmux.text("cat screen");
    both.tmux.key("Enter");
    // What came up is longer than the screen by what came after the last picture.
    let rows: Vec<&str> = ours.lines().collect();
    let visible = rows[rows.len().saturating_sub(40)..].join("\n");
    both.tmux.expect(&visible, "top on a screen");
}

const BOX: &str = r"
import curses
def main(screen):
    curses.curs_set(0)
    at = 5
    while True:
        screen.erase()
        screen.border()
        screen.addstr(2, 4, 'Häuser 界面', curses.A_BOLD)
        screen.addstr(at, 10, '>> here <<', curses.A_REVERSE)
        screen.hline(20, 3, curses.ACS_HLINE, 50)
        screen.refresh()
        key = screen.getch()
        if key == curses.KEY_DOWN: at += 1
        elif key == curses.KEY_UP: at -= 1
        elif key == ord('q'): return
curses.wrapper(main)
print('left')
";

#[tokio::test]
async fn a_curses_program() {
    let Some(both) = Both::open(&["python3"]).await else { return };
    both.write("box.py", BOX);
    // tmux keeps line drawing as letters where they come by a character set.
    both.line("export LC_ALL=C.UTF-8 NCURSES_NO_UTF8_ACS=1").await;
    both.line("python3 box.py").await;
    assert!(both.is_full_screen().await);
    both.key("down", "Down").await;
    both.key("down", "Down").await;
    both.key("up", "Up").await;
    both.text("q").await;
    assert!(!both.is_full_screen().await);
}

#[tokio::test]
async fn a_progress_bar() {
    let Some(both) = Both::open(&[]).await else { return };
    both.write(
        "bar.sh",
        r#"for i in 1 2 3 4 5 6 7 8 9 10; do
             printf '\r[%-10s] %3d%%' "$(printf '#%.0s' $(seq $i))" $((i * 10)); sleep 0.02
           done; printf '\ndone\n'
           printf 'wait |'; for c in / - '\\' '|'; do printf '\b%s' "$c"; sleep 0.01; done
           printf '\b \n\033[2K1 of 3\n2 of 3\n\033[1A\033[2K3 of 3\n\033[31mred\033[0m\tta\tbs\n'"#,
    );
    let shown = both.terminals.shown(&both.id, "bash bar.sh").await;
    assert!(shown.contains("\n[##########] 100%\ndone\n"), "{shown}");
    both.tmux.text("bash bar.sh");
    both.tmux.key("Enter");
    both.same("bar.sh").await;
}

#[tokio::test]
async fn lines_wider_than_the_screen() {
    let Some(both) = Both::open(&[]).await else { return };
    both.line("printf '%0500d\\nshort\\n%0160d\\nnext\\n' 0 0").await;
    both.line(&format!("echo {}", "word ".repeat(80))).await;
}
