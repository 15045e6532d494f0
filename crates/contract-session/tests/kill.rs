//! SIGKILL at random points: nothing acknowledged is lost.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use contract_session::{LogFormat, Record, SessionError};

use crate::child;
use crate::support::{id, sessions};

/// How many processes are killed.
const KILLS: u64 = 200;

/// Up to when, from its start or from its first append.
const LATEST_US: u64 = 20_000;

each_format!(l1_a_killed_process_loses_nothing_it_acknowledged);

fn l1_a_killed_process_loses_nothing_it_acknowledged(format: LogFormat) {
    // The database is SQLite's to prove; a tenth shows that it is used as it should be.
    let kills = if format == LogFormat::JsonLines { KILLS } else { KILLS / 10 };
    let (mut entries, mut torn) = (0, 0);
    let mut root = tempfile::tempdir().unwrap();
    for kill in 0..kills {
        if kill % 5 == 0 {
            root = tempfile::tempdir().unwrap();
        }
        let role = if kill % 2 == 0 { "append" } else { "append-synced" };
        let role = format!("{role}{}", child::suffix(format));
        let acknowledged = kill_at_random(&role, root.path(), kill % 3 != 0);
        let checked = check(root.path(), format, acknowledged);
        entries += checked.0;
        torn += u64::from(checked.1);
    }
    println!("{kills} kills, {entries} entries intact, {torn} torn ends dropped and reported");
    // Two of three were killed after they had made or resumed the session.
    assert!(entries > kills / 2, "the children were killed before they did anything");
}

/// Starts a writer, kills it, and gives the number of the last entry it told of.
fn kill_at_random(role: &str, root: &std::path::Path, from_first_append: bool) -> u64 {
    let mut command = child::command(role, root);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap());
    let mut lines = String::new();
    if from_first_append {
        told.read_line(&mut lines).unwrap();
        assert_eq!(lines, "ready\n");
    }
    sleep(Duration::from_micros(RandomState::new().build_hasher().finish() % LATEST_US));
    child.kill().unwrap();
    child.wait().unwrap();
    told.read_to_string(&mut lines).unwrap();
    // A line that the kill cut off counts for nothing.
    let whole = lines.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole
        .lines()
        .filter(|line| *line != "ready")
        .map(|line| line.parse().unwrap())
        .max()
        .unwrap_or(0)
}

/// Opens the log as the next process would; gives its entries and whether an end was dropped.
fn check(root: &std::path::Path, format: LogFormat, acknowledged: u64) -> (u64, bool) {
    let sessions = sessions(root, format);
    let opened = match sessions.resume(&id("s")) {
        // Killed before there was anything.
        Err(SessionError::NotFound { .. }) if acknowledged == 0 => return (0, false),
        opened => opened.unwrap(),
    };
    let entries: Vec<_> = opened.journal.entries().unwrap().map(Result::unwrap).collect();
    let count = entries.len() as u64;
    assert!(count >= acknowledged, "{acknowledged} acknowledged, {count} there");
    // The next one may be whole with its acknowledgement on the way, never the one after.
    assert!(acknowledged == 0 || count <= acknowledged + 1, "{acknowledged}, {count} there");
    for entry in entries.iter().skip(1) {
        assert_eq!(entry.record, Record::Event(child::numbered(entry.seq)));
    }
    if let Some(recovery) = &opened.recovery {
        assert_eq!((recovery.line, recovery.kept_entries), (count + 1, count));
        assert!(recovery.to_string().contains(&format!("line {}", count + 1)));
    }
    (count, opened.recovery.is_some())
}
