//! Turns within this process: who comes first to a folder changes a file in it first.

use std::collections::{HashMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::folders::FolderId;
use super::{Patience, PublishError};

/// How often a waiting call looks whether it was cancelled.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The lines before all folders in use. One for the process, whichever registry a call comes through.
static TURNS: Turns = Turns { lines: Mutex::new(None), moved: Condvar::new() };

struct Turns {
    lines: Mutex<Option<Lines>>,
    moved: Condvar,
}

#[derive(Default)]
struct Lines {
    waiting: HashMap<FolderId, VecDeque<u64>>,
    next_ticket: u64,
}

/// A place in the line before a folder; left when dropped.
#[derive(Debug)]
pub(super) struct Turn {
    folder: FolderId,
    ticket: u64,
}

/// Waits in line, up to `until`.
pub(super) fn enter(
    folder: FolderId,
    patience: Patience<'_>,
    until: Instant,
) -> Result<Turn, PublishError> {
    let mut lines = TURNS.lock();
    let turn = {
        let all = lines.get_or_insert_default();
        all.next_ticket += 1;
        all.waiting.entry(folder).or_default().push_back(all.next_ticket);
        Turn { folder, ticket: all.next_ticket }
    };
    loop {
        let first = lines.as_ref().and_then(|all| all.waiting.get(&folder)?.front());
        let refused = if first == Some(&turn.ticket) {
            return Ok(turn);
        } else if (patience.is_cancelled)() {
            PublishError::Cancelled
        } else if Instant::now() >= until {
            PublishError::Locked
        } else {
            let waited = TURNS.moved.wait_timeout(lines, LOOK_EVERY);
            lines = waited.unwrap_or_else(PoisonError::into_inner).0;
            continue;
        };
        // Leaving the line takes its lock.
        drop(lines);
        return Err(refused);
    }
}

impl Turns {
    fn lock(&self) -> MutexGuard<'_, Option<Lines>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut lines = TURNS.lock();
        if let Some(all) = lines.as_mut()
            && let Some(line) = all.waiting.get_mut(&self.folder)
        {
            line.retain(|ticket| *ticket != self.ticket);
            if line.is_empty() {
                all.waiting.remove(&self.folder);
            }
        }
        drop(lines);
        TURNS.moved.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    const NEVER: Patience<'static> =
        Patience { max: Duration::from_secs(60), is_cancelled: &|| false };

    fn soon(milliseconds: u64) -> Instant {
        Instant::now() + Duration::from_millis(milliseconds)
    }

    fn folder() -> (tempfile::TempDir, FolderId) {
        let dir = tempfile::tempdir().expect("temp dir");
        let id = FolderId::at(dir.path()).expect("a folder");
        (dir, id)
    }

    fn waiting(id: FolderId) -> usize {
        TURNS.lock().as_ref().and_then(|all| all.waiting.get(&id)).map_or(0, VecDeque::len)
    }

    #[test]
    fn first_come_first_served_and_nothing_is_left() {
        let (_dir, id) = folder();
        let first = enter(id, NEVER, soon(60_000)).expect("free");
        let (tell, told) = mpsc::channel();
        std::thread::scope(|scope| {
            for number in 1..=8 {
                let tell = tell.clone();
                scope.spawn(move || {
                    let turn = enter(id, NEVER, soon(60_000)).expect("its turn");
                    tell.send(number).expect("heard");
                    drop(turn);
                });
                // In line before the next one starts.
                while waiting(id) <= number {
                    std::thread::yield_now();
                }
            }
            drop(first);
        });
        drop(tell);
        assert_eq!(told.iter().collect::<Vec<usize>>(), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(waiting(id), 0);
    }

    #[test]
    fn waiting_ends_with_its_time_or_its_call() {
        let (_dir, id) = folder();
        let held = enter(id, NEVER, soon(60_000)).expect("free");
        let late = enter(id, NEVER, soon(1)).expect_err("held");
        let cancelled = Patience { is_cancelled: &|| true, ..NEVER };
        let ended = enter(id, cancelled, soon(60_000)).expect_err("held");
        assert_eq!((late, ended), (PublishError::Locked, PublishError::Cancelled));
        assert_eq!(waiting(id), 1);
        drop(held);
        assert_eq!(waiting(id), 0);
    }

    #[test]
    fn folders_do_not_wait_for_each_other() {
        let ((_a, a), (_b, b)) = (folder(), folder());
        let _held = enter(a, NEVER, soon(60_000)).expect("free");
        assert!(enter(b, NEVER, soon(1)).is_ok());
    }
}
