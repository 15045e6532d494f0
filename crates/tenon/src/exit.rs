//! How the program ends: its exit codes, and the message of an early end.

use std::fmt;
use std::io;
use std::process::ExitCode;

use unicode_general_category::{GeneralCategory, get_general_category};

/// How the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The result is a success.
    Success,
    /// The result is a failure: unknown tools and bad arguments too.
    Failed,
    /// The command line cannot be followed, or arguments are not JSON.
    Usage,
    /// Something failed that is not the user's doing.
    Internal,
    /// SIGINT ended the call.
    Interrupted,
    /// SIGTERM ended the call.
    Terminated,
    /// SIGHUP ended the call: the terminal is gone.
    HungUp,
}

impl Exit {
    /// The code the system sees.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Internal => 70,
            Self::Interrupted => 130,
            Self::Terminated => 143,
            Self::HungUp => 129,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// An end before there was a result: what to tell the user, and the exit code.
#[derive(Debug)]
pub(crate) struct Stop {
    pub(crate) exit: Exit,
    message: String,
}

impl Stop {
    /// A command line that cannot be followed.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: message.into() }
    }

    /// A request that names what does not exist.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, message: message.into() }
    }

    /// A failure that is not the user's doing.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self { exit: Exit::Internal, message: message.into() }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&plain(&self.message))
    }
}

/// Text for a terminal: what would move its cursor, reorder what it shows or not be seen at all stands as
/// an escape. Messages repeat names and rules from files that came with a folder.
pub(crate) fn plain(text: &str) -> String {
    escaped(text, |c| c != '\n' && is_unseen(c))
}

/// The same for a text that gets one row: line feeds are escaped too, so that no text can add a row.
pub(crate) fn one_row(text: &str) -> String {
    escaped(text, is_unseen)
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if is_escaped(c) {
            plain.extend(c.escape_default());
        } else {
            plain.push(c);
        }
    }
    plain
}

/// Whether a character has no glyph of its own: by its category, or among those that Unicode has ignored
/// by default though their category is one of letters, marks or unassigned places.
fn is_unseen(c: char) -> bool {
    use GeneralCategory::{Control, Format, LineSeparator, ParagraphSeparator, PrivateUse};
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    let is_ignored = matches!(c,
        '\u{34f}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{2065}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}'
        | '\u{e0000}'..='\u{e0fff}');
    let category = get_general_category(c);
    is_ignored
        || [Control, Format, LineSeparator, ParagraphSeparator, PrivateUse].contains(&category)
}

/// The end after a failed write to stdout: none when the reader has gone, which is its right.
pub(crate) fn written(result: io::Result<()>) -> Result<(), Stop> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Stop::internal(format!("cannot write the result: {error}"))),
        Ok(()) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_escaped() {
        let unseen = "\0\t\r\u{1b}\u{7f}\u{85}\u{9b}\u{ad}\u{34f}\u{61c}\u{115f}\u{1160}\u{17b4}\u{180e}\u{180f}\
            \u{200b}\u{200d}\u{200f}\u{2028}\u{2029}\u{202e}\u{2060}\u{2065}\u{2066}\u{206f}\u{3164}\u{e000}\
            \u{fe00}\u{fe0f}\u{feff}\u{ffa0}\u{fff9}\u{1bca0}\u{1d173}\u{e0001}\u{e0041}\u{e007f}\u{e0100}\
            \u{e01ef}\u{10fffd}";
        for c in unseen.chars() {
            let text = plain(&format!("a{c}b"));
            assert_eq!(text, format!("a{}b", c.escape_default()), "{c:?}");
        }
    }

    #[test]
    fn what_is_seen_stays() {
        let seen = "a b\nÄé e\u{301} \u{a0}\u{3000}→ 漢字 한글 नमस्ते עברית 🦀 \\ \"";
        assert_eq!(plain(seen), seen);
        assert_eq!(one_row("a\nb\\"), "a\\nb\\");
    }
}
