//! Reading along with a command.

use std::time::Duration;

use host_process::{Command, Cursor, Output, Window};

use crate::support::{block_on, until};

/// A script that goes on each time a file is made, so that a test says when.
fn gated(folder: &std::path::Path, script: &str) -> Command {
    let gate = "gate() { while ! [ -e $1 ]; do sleep 0.01; done; }; ";
    Command::shell(format!("{gate}{script}")).folder(folder)
}

fn open(folder: &std::path::Path, gate: &str) {
    std::fs::write(folder.join(gate), "").unwrap();
}

fn come(output: &Output, stdout: u64) {
    until(|| output.read_since(Cursor::default()).stdout.total_bytes() >= stdout);
}

#[test]
fn each_reader_has_a_cursor_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let running = gated(folder.path(), "echo one; gate a; echo two; echo err >&2").start();
    let output = running.output();
    come(&output, 4);
    let first = output.read_since(Cursor::default());
    assert_eq!((first.stdout.text().as_str(), first.settled), ("one\n", false));
    assert!(output.read_since(first.next).is_empty());
    open(folder.path(), "a");
    running.wait().unwrap();
    let second = output.read_since(first.next);
    assert_eq!((second.stdout.text().as_str(), second.stderr.text().as_str()), ("two\n", "err\n"));
    assert!(second.settled && output.is_settled());
    // The other reader still has all of it.
    assert_eq!(output.read_since(Cursor::default()).stdout.text(), "one\ntwo\n");
}

#[test]
fn what_slid_out_is_counted_to_the_byte() {
    let folder = tempfile::tempdir().unwrap();
    let window = Window { head_bytes: 0, tail_bytes: 10 };
    let script = "printf abcdef; gate a; printf ghijklmnopqrstuvwxyz; gate b";
    let running = gated(folder.path(), script).stdout(window).start();
    let output = running.output();
    come(&output, 6);
    let first = output.read_since(Cursor::default());
    assert_eq!((first.stdout.text().as_str(), first.stdout.omitted_bytes()), ("abcdef", 0));
    open(folder.path(), "a");
    come(&output, 26);
    let second = output.read_since(first.next);
    assert_eq!(
        (second.stdout.omitted_bytes(), second.stdout.tail()),
        (10, b"qrstuvwxyz".as_slice())
    );
    let late = output.read_since(Cursor::default());
    assert_eq!(late.stdout.text(), "[16 bytes left out]\nqrstuvwxyz");
    assert_eq!(late.next, second.next);
}

#[test]
fn a_character_is_read_once_it_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    // Across the two parts of the window, too.
    for head_bytes in [0, 3, 4, 100] {
        let window = Window { head_bytes, tail_bytes: 100 };
        let script = r"printf 'ab\342\202'; gate a; printf '\254c\342'";
        let running = gated(folder.path(), script).stdout(window).start();
        let output = running.output();
        until(|| output.captured().0.total_bytes() >= 4);
        let first = output.read_since(Cursor::default());
        assert_eq!((first.stdout.text().as_str(), first.stdout.total_bytes()), ("ab", 2));
        open(folder.path(), "a");
        running.wait().unwrap();
        // What never became whole is not held back forever.
        assert_eq!(output.read_since(first.next).stdout.text(), "€c\u{fffd}", "{head_bytes}");
        std::fs::remove_file(folder.path().join("a")).unwrap();
    }
}

#[test]
fn a_reader_waits_for_more_and_for_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let running = gated(folder.path(), "echo one; gate a; exec >&- 2>&-; gate b").start();
    let output = running.output();
    block_on(output.changed(Cursor::default()));
    come(&output, 4);
    let next = output.read_since(Cursor::default()).next;
    let waiting = std::thread::spawn({
        let output = output.clone();
        move || block_on(output.changed(next))
    });
    // One that is given up leaves no trace.
    drop(output.changed(next));
    open(folder.path(), "a");
    open(folder.path(), "b");
    waiting.join().unwrap();
    assert!(output.is_settled());
    assert_eq!(running.wait().unwrap().stdout.text(), "one\n");
}

#[test]
fn the_end_comes_for_what_never_started_too() {
    let running = Command::argv("/no/such/program", [""; 0]).start();
    let output = running.output();
    block_on(output.changed(Cursor::default()));
    assert!(output.is_settled() && output.read_since(Cursor::default()).is_empty());
    assert!(running.wait().is_err());
}

#[test]
fn the_owners_end_ends_the_readers_wait() {
    let running = Command::shell("sleep 100").grace(Duration::from_millis(100)).start();
    let output = running.output();
    drop(running);
    block_on(output.changed(Cursor::default()));
    assert!(output.is_settled());
}
