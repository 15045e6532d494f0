//! Approval at the terminal: a question on it, an answer from it.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::sync::Arc;

use contract_hooks::{Answer, Approver, Question};
use contract_registry::{Call, Runtime};
use futures_util::future::BoxFuture;
use tokio::sync::oneshot;

use crate::exit::plain;
use crate::progress::Latest;

/// How much of the arguments is shown of their beginning and of their end each, in characters.
const END_SHOWN_CHARS: usize = 400;

/// Asks the person at the terminal the program was started from.
pub(crate) struct Terminal {
    runtime: Arc<dyn Runtime>,
    latest: Latest,
}

impl Terminal {
    /// Reads answers where `runtime` may block, and keeps the progress line away meanwhile.
    pub(crate) fn new(runtime: Arc<dyn Runtime>, latest: Latest) -> Self {
        Self { runtime, latest }
    }

    async fn answer(&self, question: String) -> Answer {
        let (send, receive) = oneshot::channel();
        self.runtime.spawn_blocking(Box::new(move || {
            // The call may be gone by then; then nobody wants the answer.
            let _ = send.send(ask(&question));
        }));
        let _quiet = self.latest.pause();
        receive.await.unwrap_or(Answer::Cancelled)
    }
}

impl Approver for Terminal {
    fn ask<'a>(&'a self, call: &'a Call, question: &'a Question) -> BoxFuture<'a, Answer> {
        let text = wording(call.name(), &call.arguments().to_string(), &question.reason);
        Box::pin(self.answer(text))
    }
}

/// The terminal itself, whatever stdin and stdout are.
fn ask(question: &str) -> Answer {
    let opened = File::options().read(true).write(true).open("/dev/tty");
    let Ok(mut terminal) = opened else {
        let what =
            "there is no terminal to ask at; run this at one, or change the rule or hook that asks";
        return Answer::Unavailable(what.to_owned());
    };
    // What was typed before the question is no answer to it. Where it cannot be dropped, it stays.
    #[cfg(unix)]
    let _ = rustix::termios::tcflush(&terminal, rustix::termios::QueueSelector::IFlush);
    if terminal.write_all(question.as_bytes()).and_then(|()| terminal.flush()).is_err() {
        return Answer::Unavailable("the terminal cannot be written to".to_owned());
    }
    let mut line = String::new();
    match BufReader::new(terminal).read_line(&mut line) {
        Ok(0) | Err(_) => Answer::Cancelled,
        Ok(_) => read(&line),
    }
}

/// `y` approves; anything else does not, and words after `n` are the reason.
fn read(line: &str) -> Answer {
    let line = line.trim();
    if matches!(line, "y" | "Y" | "yes") {
        return Answer::Approved;
    }
    let reason = line.strip_prefix("no").or_else(|| line.strip_prefix('n')).unwrap_or(line).trim();
    Answer::Rejected((!reason.is_empty()).then(|| reason.to_owned()))
}

/// What is asked. Control characters of a call's own text must not move the cursor.
fn wording(name: &str, arguments: &str, reason: &str) -> String {
    let shown = both_ends(arguments);
    let reason = reason.trim_end();
    let end = if reason.ends_with(['.', '?', '!']) { "" } else { "." };
    plain(&format!("{name} {shown}\n{reason}{end} Run it? [y/N, or n and a reason] "))
}

/// Both ends of a long text, with the exact count of what is not shown on a line of its own: JSON holds no
/// line feed, so no argument can look like it.
fn both_ends(text: &str) -> String {
    let count = text.chars().count();
    let Some(hidden) = count.checked_sub(2 * END_SHOWN_CHARS).filter(|hidden| *hidden > 0) else {
        return text.to_owned();
    };
    let head: String = text.chars().take(END_SHOWN_CHARS).collect();
    let tail: String = text.chars().skip(END_SHOWN_CHARS + hidden).collect();
    format!("{head}\n[{hidden} of {count} characters of the arguments are not shown]\n{tail}")
}

impl std::fmt::Debug for Terminal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Terminal")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_yes_is_yes() {
        for line in ["y\n", "Y", " yes \n"] {
            assert_eq!(read(line), Answer::Approved, "{line:?}");
        }
        for (line, reason) in [
            ("\n", None),
            ("n\n", None),
            ("no\n", None),
            ("n too slow\n", Some("too slow")),
            ("maybe\n", Some("maybe")),
        ] {
            assert_eq!(read(line), Answer::Rejected(reason.map(str::to_owned)), "{line:?}");
        }
    }

    #[test]
    fn the_question_is_bounded_and_cannot_move_the_cursor() {
        let text = wording("bash", &"\u{1b}[2Jé".repeat(500), "the rule `bash` asks first");
        assert!(!text.contains('\u{1b}'));
        assert!(text.chars().count() < 2500);
        assert!(text.ends_with("the rule `bash` asks first. Run it? [y/N, or n and a reason] "));
    }

    #[test]
    fn the_end_of_long_arguments_is_shown_and_what_is_between_is_counted() {
        let long =
            |middle: usize| format!("{}{}{}", "a".repeat(400), "é".repeat(middle), "z".repeat(400));
        assert_eq!(both_ends(&long(0)), long(0));
        for middle in [1, 12_345] {
            let row =
                format!("[{middle} of {} characters of the arguments are not shown]", 800 + middle);
            let lines = ["a".repeat(400), row, "z".repeat(400)];
            assert_eq!(both_ends(&long(middle)), lines.join("\n"));
        }
    }
}
