//! Commands on a terminal.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use host_process::{
    Command, Environment, ProcessError, Signal, Sink, Status, Stop, Terminal, TerminalSize,
};

use crate::support::{alive, block_on, until, zombies};

const SIZE: TerminalSize = TerminalSize { rows: 40, columns: 120 };
const LONG: Duration = Duration::from_secs(20);

/// What was shown.
#[derive(Clone, Default)]
struct Shown(Arc<Mutex<Vec<u8>>>);

impl Shown {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }

    fn shows(&self, text: &str) {
        until(|| self.text().contains(text));
    }
}

fn open(command: Command) -> (Terminal, Shown) {
    let shown = Shown::default();
    let into = shown.clone();
    let sink = move |bytes: &[u8]| into.0.lock().unwrap().extend_from_slice(bytes);
    (command.open_terminal(SIZE, sink).unwrap(), shown)
}

fn shell(script: &str) -> Command {
    Command::shell(script).grace(Duration::from_millis(300))
}

fn end(terminal: &Terminal) -> host_process::Ended {
    block_on(terminal.closed());
    terminal.ended().unwrap()
}

#[test]
fn one_line_and_exit_is_shown_every_time() {
    for turn in 0..200 {
        let (terminal, shown) = open(shell(&format!("echo line {turn}; exit {}", turn % 7)));
        assert_eq!(end(&terminal).status, Some(Status::Exited(turn % 7)));
        assert_eq!(shown.text(), format!("line {turn}\r\n"));
    }
}

#[test]
fn it_is_the_controlling_terminal_of_a_session_of_its_own() {
    let (terminal, shown) =
        open(shell("tty; stty size; echo $$ >/dev/tty; cut -d' ' -f5,6,8 /proc/$$/stat; read x"));
    let pid = terminal.pid();
    shown.shows(&format!("{pid} {pid} {pid}\r\n"));
    assert_eq!(terminal.foreground_group(), Some(pid));
    let text = shown.text();
    assert!(text.starts_with("/dev/pts/"), "{text}");
    assert!(text.contains(&format!("\r\n40 120\r\n{pid}\r\n")), "{text}");
}

#[test]
fn a_new_size_is_told_to_the_program() {
    let (terminal, shown) =
        open(shell("trap 'stty size; exit' WINCH; echo go; while :; do sleep 0.01; done"));
    shown.shows("go");
    terminal.resize(TerminalSize { rows: 7, columns: 33 }).unwrap();
    shown.shows("7 33");
    assert_eq!(end(&terminal).status, Some(Status::Exited(0)));
}

#[test]
fn what_is_typed_arrives_whole_however_much() {
    let (terminal, shown) =
        open(shell("stty raw -echo; echo go; head -c 1000000 | md5sum; read x"));
    shown.shows("go");
    let bytes: Vec<u8> = (0..1_000_000_u32).map(|i| (i % 251) as u8).collect();
    let writing = terminal.write(bytes.clone());
    block_on(writing).unwrap();
    let expected = Command::shell("md5sum").stdin(bytes).start().wait().unwrap().stdout.text();
    shown.shows(expected.trim());
}

#[test]
fn a_program_that_does_not_read_holds_up_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let script = "stty raw -echo; echo go; until [ -e gate ]; do sleep 0.01; done; \
        IFS= read -r -d y line; echo got ${#line}; sleep 100";
    let bash = Command::argv("bash", ["-c", script]).folder(folder.path());
    let (terminal, shown) = open(bash.grace(Duration::from_millis(300)));
    shown.shows("go");
    let written = terminal.write(vec![b'x'; 1 << 20]).wait(Duration::from_millis(200)).unwrap();
    assert!(written < 1 << 20, "{written}");
    // What was given up on is not typed later.
    fs::write(folder.path().join("gate"), "").unwrap();
    assert_eq!(terminal.write("y").wait(LONG).unwrap(), 1);
    shown.shows(&format!("got {written}\n"));
    terminal.stopper().stop();
    assert_eq!(end(&terminal).stopped, Some(Stop::Cancelled));
    assert!(matches!(terminal.write("z").wait(LONG), Err(ProcessError::Ended)));
    assert!(matches!(block_on(terminal.write("z")), Err(ProcessError::Ended)));
    assert!(matches!(terminal.signal_foreground(Signal::Kill), Err(ProcessError::Ended)));
    assert!(matches!(terminal.signal_group(Signal::Kill), Err(ProcessError::Ended)));
    assert!(matches!(terminal.resize(SIZE), Err(ProcessError::Ended)));
    assert_eq!(terminal.foreground_group(), None);
}

#[test]
fn the_foreground_is_the_shells_or_its_commands() {
    let bash = Command::argv("bash", ["--noprofile", "--norc", "-i"])
        .environment(Environment::scrubbed().set("PS1", "ready> ").set("TERM", "dumb"))
        .grace(Duration::from_millis(300));
    let (terminal, shown) = open(bash);
    shown.shows("ready> ");
    terminal.write("sleep 100\r").wait(LONG).unwrap();
    let shell = Some(terminal.pid());
    let command =
        || fs::read_to_string(format!("/proc/{}/comm", terminal.foreground_group().unwrap()));
    until(|| command().is_ok_and(|name| name == "sleep\n"));
    let group = terminal.signal_foreground(Signal::Interrupt).unwrap();
    assert_ne!(Some(group), shell);
    until(|| terminal.foreground_group() == shell);
    // 128 + SIGINT.
    terminal.write("echo code $?\r").wait(LONG).unwrap();
    shown.shows("code 130\r\n");
    // An interactive shell ignores TERM, but not HUP.
    terminal.signal_group(Signal::HangUp).unwrap();
    assert_eq!(end(&terminal).status, Some(Status::Signalled(1)));
}

#[test]
fn a_sink_that_takes_its_time_slows_the_program_down() {
    let (gate, taken) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(0)));
    let (of_sink, count) = (Arc::clone(&gate), Arc::clone(&taken));
    let sink = move |bytes: &[u8]| {
        *count.lock().unwrap() += bytes.len();
        until(|| of_sink.load(Ordering::Acquire));
    };
    let folder = tempfile::tempdir().unwrap();
    let script = "stty raw; head -c 1000000 /dev/zero; : > done";
    let terminal = shell(script).folder(folder.path()).open_terminal(SIZE, sink).unwrap();
    until(|| *taken.lock().unwrap() > 0);
    std::thread::sleep(Duration::from_millis(200));
    assert!(*taken.lock().unwrap() < 100_000 && !folder.path().join("done").exists());
    gate.store(true, Ordering::Release);
    assert_eq!(end(&terminal).status, Some(Status::Exited(0)));
    assert_eq!(*taken.lock().unwrap(), 1_000_000);
}

#[test]
fn a_sink_can_answer_the_program() {
    struct Screen(bool);
    impl Sink for Screen {
        fn take(&mut self, bytes: &[u8]) {
            self.0 = bytes.ends_with(b"\x1b[6n");
        }
        fn answer(&mut self) -> Vec<u8> {
            if std::mem::take(&mut self.0) { b"\x1b[7;9R".to_vec() } else { Vec::new() }
        }
    }
    let script = r"stty raw -echo; printf '\033[6n'; [ $(head -c 6 | tail -c 4) = '7;9R' ]";
    let terminal = shell(script).open_terminal(SIZE, Screen(false)).unwrap();
    assert_eq!(end(&terminal).status, Some(Status::Exited(0)));
}

#[test]
fn what_cannot_start_on_a_terminal_says_why() {
    let missing = Command::argv("/no/such/program", [""; 0]).open_terminal(SIZE, |_: &[u8]| {});
    assert!(matches!(missing, Err(ProcessError::Start { .. })));
}

#[test]
fn dropping_it_ends_the_tree_and_closes_the_terminal() {
    let script = "sleep 100 & setsid sleep 100 & trap '' TERM HUP; while :; do sleep 1; done";
    let environment = Environment::scrubbed().set("TEST_MARK", "mark-terminal");
    let before = terminals();
    for _ in 0..3 {
        let (terminal, _) = open(shell(script).environment(environment.clone()));
        until(|| alive("mark-terminal") >= 4);
        drop(terminal);
        until(|| alive("mark-terminal") == 0 && zombies() == 0 && terminals() == before);
    }
    let sink = |_: &[u8]| panic!("a fault of the sink");
    let command = shell("echo; sleep 100").environment(environment);
    let terminal = command.open_terminal(SIZE, sink).unwrap();
    assert_eq!(end(&terminal).status, None);
    until(|| alive("mark-terminal") == 0 && zombies() == 0);
}

/// How many of this process's descriptors are terminals. Tests run as processes of their own or with others.
fn terminals() -> usize {
    let links = fs::read_dir("/proc/self/fd").unwrap().flatten();
    let links = links.filter_map(|entry| fs::read_link(entry.path()).ok());
    links.filter(|to| to.to_string_lossy().contains("/dev/pt")).count()
}
