//! A line on stderr while a call takes its time, when a person watches.

use std::io::{IsTerminal, Write, stderr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::exit::one_row;

/// Calls shorter than this show nothing.
pub(crate) const QUIET: Duration = Duration::from_secs(1);

/// Time between two drawings of the line.
pub(crate) const TICK: Duration = Duration::from_millis(250);

/// How many characters of the line are shown: it must not wrap.
const WIDTH: usize = 78;

/// The latest word of the running call on how far it is; shared with the call.
#[derive(Debug, Clone, Default)]
pub(crate) struct Latest(Arc<Mutex<String>>, Arc<AtomicBool>);

/// Keeps the line away until it is dropped.
#[derive(Debug)]
pub(crate) struct Paused(Arc<AtomicBool>);

impl Drop for Paused {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

impl Latest {
    /// Notes a new word.
    pub(crate) fn set(&self, text: &str) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = text.to_owned();
    }

    /// Keeps the line away while something else is on the terminal.
    pub(crate) fn pause(&self) -> Paused {
        self.1.store(true, Ordering::Relaxed);
        Paused(Arc::clone(&self.1))
    }

    fn is_paused(&self) -> bool {
        self.1.load(Ordering::Relaxed)
    }

    fn get(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Writes a line of its own to stderr, in the place of the progress line if that may be there; it is drawn
/// anew below.
pub(crate) fn say(text: &str) {
    let clear = if stderr().is_terminal() { "\r\x1b[K" } else { "" };
    // Nobody to tell when stderr is gone.
    let _ = writeln!(stderr(), "{clear}{text}");
}

/// The line itself.
#[derive(Debug)]
pub(crate) struct Line {
    name: String,
    start: Instant,
    latest: Latest,
    watched: bool,
    drawn: bool,
}

impl Line {
    /// A line for a call that starts now.
    pub(crate) fn new(name: &str, latest: Latest) -> Self {
        let watched = stderr().is_terminal();
        Self { name: name.to_owned(), start: Instant::now(), latest, watched, drawn: false }
    }

    /// Draws the line, if a person watches and the call has taken its time.
    pub(crate) fn draw(&mut self) {
        let elapsed = self.start.elapsed();
        if self.latest.is_paused() {
            return self.clear();
        }
        if self.watched && elapsed >= QUIET {
            let text = compose(&self.name, elapsed, &self.latest.get());
            self.drawn = write!(stderr(), "\r\x1b[K{text}").is_ok();
        }
    }

    /// Takes the line away, if it was drawn.
    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.drawn) {
            // A terminal that is gone needs no clearing.
            let _ = write!(stderr(), "\r\x1b[K");
        }
    }
}

fn compose(name: &str, elapsed: Duration, latest: &str) -> String {
    let text = format!("{name}: {} s {latest}", elapsed.as_secs());
    one_row(text.trim_end()).chars().take(WIDTH).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_the_tool_the_time_and_the_latest_word() {
        let elapsed = Duration::from_millis(3700);
        assert_eq!(compose("grep", elapsed, ""), "grep: 3 s");
        assert_eq!(compose("grep", elapsed, "1,200 files"), "grep: 3 s 1,200 files");
    }

    #[test]
    fn the_line_cannot_wrap_or_move_the_cursor() {
        let line = compose("grep", Duration::ZERO, &"é\n\x1b".repeat(100));
        assert_eq!(line.chars().count(), WIDTH);
        assert!(!line.chars().any(char::is_control));
    }
}
