//! Append of a result of 1 KB against a bare `write` of the same bytes, in one run, both without sync
//! and both with. The bar for the first is 3 times the second.

#![allow(clippy::unwrap_used, reason = "a benchmark stops on any failure")]

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::sync::Arc;

use contract_schema::ContentBlock;
use contract_session::event::ToolResult;
use contract_session::{Event, Journal, LogFormat, Opening, SessionId, Sessions, SyncPolicy};
use divan::Bencher;
use tempfile::TempDir;

fn main() {
    divan::main();
}

/// A result whose content is 1 KB of lines.
fn result() -> Event {
    let line = "crates/contract-session/src/lib.rs:12: pub mod journal; // \"seam\"\n";
    let content = vec![ContentBlock::text(line.repeat(1024 / line.len()))];
    ToolResult {
        call_id: "call-1".into(),
        name: "grep".to_owned(),
        content,
        error: None,
        meta: None,
    }
    .into()
}

struct Session {
    _root: TempDir,
    journal: Arc<dyn Journal>,
}

fn session(format: LogFormat, sync: SyncPolicy) -> Session {
    let root = tempfile::tempdir().unwrap();
    let opening = Opening {
        program: "bench".to_owned(),
        program_version: "0".to_owned(),
        workspace_root: None,
    };
    let sessions = Sessions::open(root.path()).unwrap().with_format(format).with_sync(sync);
    let opened = sessions.create(&SessionId::parse("s").unwrap(), &opening).unwrap();
    Session { _root: root, journal: opened.journal }
}

fn append(bencher: Bencher<'_, '_>, format: LogFormat, sync: SyncPolicy) {
    let session = session(format, sync);
    let event = result();
    bencher.bench_local(|| session.journal.append(&event).unwrap());
}

/// A file opened for appending, and the bytes of one entry.
fn bare() -> (TempDir, File, Vec<u8>) {
    let session = session(LogFormat::JsonLines, SyncPolicy::Never);
    session.journal.append(&result()).unwrap();
    let entry = session.journal.entries().unwrap().last().unwrap().unwrap();
    let root = tempfile::tempdir().unwrap();
    let file = OpenOptions::new().create(true).append(true).open(root.path().join("bare")).unwrap();
    (root, file, format!("{}\n", entry.line()).into_bytes())
}

#[divan::bench_group(sample_count = 200, sample_size = 100)]
mod not_synced {
    use super::*;

    #[divan::bench]
    fn a_bare_write(bencher: Bencher<'_, '_>) {
        let (_root, mut file, bytes) = bare();
        bencher.bench_local(|| file.write_all(&bytes).unwrap());
    }

    #[divan::bench]
    fn append(bencher: Bencher<'_, '_>) {
        super::append(bencher, LogFormat::JsonLines, SyncPolicy::Never);
    }

    #[cfg(feature = "sqlite")]
    #[divan::bench]
    fn append_sqlite(bencher: Bencher<'_, '_>) {
        super::append(bencher, LogFormat::Sqlite, SyncPolicy::Never);
    }
}

#[divan::bench_group(sample_count = 200, sample_size = 1)]
mod synced {
    use super::*;

    #[divan::bench]
    fn a_bare_write(bencher: Bencher<'_, '_>) {
        let (_root, mut file, bytes) = bare();
        bencher.bench_local(|| {
            file.write_all(&bytes).unwrap();
            file.sync_data().unwrap();
        });
    }

    #[divan::bench]
    fn append(bencher: Bencher<'_, '_>) {
        super::append(bencher, LogFormat::JsonLines, SyncPolicy::EveryEntry);
    }

    #[cfg(feature = "sqlite")]
    #[divan::bench]
    fn append_sqlite(bencher: Bencher<'_, '_>) {
        super::append(bencher, LogFormat::Sqlite, SyncPolicy::EveryEntry);
    }
}
