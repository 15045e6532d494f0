//! What the stream of a terminal says beside what it shows: the shell's own marks, and questions to the
//! terminal.
//!
//! A second parser finds them, so that the stream is cut right after each: an answer names the cursor's
//! place at that very point. Its buffers are bounded, however long a sequence runs on.

use vte::{Params, Perform};

/// What was found, right before the place where the stream was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// The shell has printed its prompt.
    Prompt,
    /// The shell has taken a command and runs it.
    Command,
    /// Where is the cursor?
    CursorQuery,
    /// Is the terminal well?
    StatusQuery,
    /// What kind of terminal is it?
    KindQuery,
}

/// Finds signs. A mark counts only with this session's nonce.
pub(super) struct Signs {
    parser: vte::Parser,
    found: Finder,
}

struct Finder {
    nonce: Vec<u8>,
    sign: Option<Sign>,
}

impl Signs {
    pub(super) fn new(nonce: &str) -> Self {
        let found = Finder { nonce: format!("tenon={nonce}").into_bytes(), sign: None };
        Self { parser: vte::Parser::new(), found }
    }

    /// How many of `bytes` come up to and with the next sign, and which it is.
    pub(super) fn next(&mut self, bytes: &[u8]) -> (usize, Option<Sign>) {
        let used = self.parser.advance_until_terminated(&mut self.found, bytes);
        (used, self.found.sign.take())
    }
}

impl std::fmt::Debug for Signs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signs").finish_non_exhaustive()
    }
}

impl Perform for Finder {
    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], ignore: bool, action: char) {
        if ignore || !intermediates.is_empty() {
            return;
        }
        let first = params.iter().next().and_then(|parts| parts.first()).copied().unwrap_or(0);
        self.sign = match (action, first) {
            ('n', 5) => Some(Sign::StatusQuery),
            ('n', 6) => Some(Sign::CursorQuery),
            ('c', 0) => Some(Sign::KindQuery),
            _ => None,
        };
    }

    fn osc_dispatch(&mut self, params: &[&[u8]], _: bool) {
        let [b"133", kind, .., nonce] = params else { return };
        if **nonce != *self.nonce {
            return;
        }
        self.sign = match *kind {
            b"D" => Some(Sign::Prompt),
            b"C" => Some(Sign::Command),
            _ => None,
        };
    }

    fn terminated(&self) -> bool {
        self.sign.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signs(chunks: &[&[u8]]) -> Vec<Sign> {
        let mut signs = Signs::new("n1");
        let mut found = Vec::new();
        for chunk in chunks {
            let mut rest = *chunk;
            while !rest.is_empty() {
                let (used, sign) = signs.next(rest);
                rest = &rest[used..];
                found.extend(sign);
            }
        }
        found
    }

    #[test]
    fn a_mark_is_found_however_it_is_cut() {
        let mark = b"x\x1b]133;D;tenon=n1\x07y\x1b]133;C;tenon=n1\x1b\\z";
        for cut in 0..mark.len() {
            let (head, tail) = mark.split_at(cut);
            assert_eq!(signs(&[head, tail]), [Sign::Prompt, Sign::Command], "{cut}");
        }
    }

    #[test]
    fn a_mark_without_the_nonce_is_none() {
        assert_eq!(signs(&[b"\x1b]133;D\x07\x1b]133;D;tenon=n2\x07\x1b]133;D;tenon=n1x\x07"]), []);
    }

    #[test]
    fn questions_are_told_apart() {
        let asked =
            b"\x1b[5n\x1b[6n\x1b[c\x1b[0c\x1b[>c\x1b[?6n\x1b[21t\x1b]52;c;?\x07\x1b]11;?\x07";
        let (status, cursor, kind) = (Sign::StatusQuery, Sign::CursorQuery, Sign::KindQuery);
        assert_eq!(signs(&[asked]), [status, cursor, kind, kind]);
    }
}
