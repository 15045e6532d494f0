//! Names of directories and files: made here, and never what a tool or a model wrote.

use std::fmt::Write as _;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use contract_registry::SessionId;
use sha2::{Digest as _, Sha256};

/// Where calls without a session save.
const NO_SESSION: &str = "no-session";

/// How the names of sessions' directories begin.
const SESSION: &str = "session-";

/// Hexadecimal digits of a session's hash and of a file's random part.
const DIGITS: usize = 12;

/// The lock of a directory. No file of a text has this name.
pub(super) const LOCK: &str = ".lock";

/// Most bytes of an encoded name.
const NAME_BYTES: usize = 120;

/// The directory of a session. Two sessions whose hashes begin alike share one, which does no harm.
pub(super) fn session_dir(session: Option<&SessionId>) -> String {
    let Some(session) = session else { return NO_SESSION.to_owned() };
    let mut name = SESSION.to_owned();
    for byte in Sha256::digest(session.as_str()).into_iter().take(DIGITS / 2) {
        // Writing to a string cannot fail.
        let _ = write!(name, "{byte:02x}");
    }
    name
}

/// A new file name that ends in the suggested one. Creation is exclusive: a name that is taken fails the
/// save.
pub(super) fn file(suggested: &str) -> String {
    let random = RandomState::new().build_hasher().finish() & 0xffff_ffff_ffff;
    format!("{random:012x}-{}", encode(suggested))
}

/// Whether `session_dir` could have made the name. Nothing else under the root is touched.
pub(super) fn is_session_dir(name: &str) -> bool {
    name == NO_SESSION || name.strip_prefix(SESSION).is_some_and(is_hash)
}

/// Whether it is the file of a stream that something else wrote.
pub(super) fn is_stream(name: &str) -> bool {
    let stem = name.strip_suffix(".stdout").or_else(|| name.strip_suffix(".stderr"));
    stem.is_some_and(|stem| !stem.is_empty() && stem.bytes().all(is_plain))
}

/// Whether `file` could have made the name.
pub(super) fn is_file(name: &str) -> bool {
    name.split_once('-').is_some_and(|(random, rest)| {
        let plain = |byte: u8| is_plain(byte) || byte == b'~';
        is_hash(random) && !rest.is_empty() && rest.bytes().all(plain)
    })
}

fn is_hash(text: &str) -> bool {
    text.len() == DIGITS && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-')
}

/// Any text as a part of one file name: ASCII letters, digits, `.`, `_` and `-` stand for themselves,
/// everything else is `~` and four hexadecimal digits for each UTF-16 unit. Names differ when texts do, as far
/// as they are not too long.
fn encode(text: &str) -> String {
    let mut name = String::new();
    // Nothing would be left of an empty name, and two names mean a directory.
    let all = matches!(text, "." | "..");
    for c in text.chars() {
        let mut encoded = String::new();
        if u8::try_from(c).is_ok_and(is_plain) && !all {
            encoded.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(encoded, "~{unit:04X}");
            }
        }
        if name.len() + encoded.len() > NAME_BYTES {
            break;
        }
        name.push_str(&encoded);
    }
    if name.is_empty() { "~".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What a name that was not cut stands for.
    fn decode(name: &str) -> String {
        let mut units = Vec::new();
        let mut rest = name;
        while let Some(first) = rest.chars().next() {
            let (unit, length) = match first {
                '~' => (u16::from_str_radix(rest.get(1..5).unwrap(), 16).unwrap(), 5),
                plain => (u16::try_from(u32::from(plain)).unwrap(), 1),
            };
            units.push(unit);
            rest = rest.get(length..).unwrap();
        }
        String::from_utf16(&units).unwrap()
    }

    #[test]
    fn a_name_is_one_segment_whatever_it_was() {
        for (text, expected) in [
            ("grep-results.txt", "grep-results.txt"),
            ("../../etc/passwd", "..~002F..~002Fetc~002Fpasswd"),
            (".", "~002E"),
            ("..", "~002E~002E"),
            ("", "~"),
            ("~", "~007E"),
            ("a b\0c", "a~0020b~0000c"),
            ("é😀", "~00E9~D83D~DE00"),
        ] {
            assert_eq!(encode(text), expected);
        }
    }

    #[test]
    fn the_same_name_twice_is_two_files() {
        assert_ne!(file("a.txt"), file("a.txt"));
    }

    #[test]
    fn a_session_has_the_same_directory_in_every_process() {
        let session = SessionId::new("demo");
        assert_eq!(session_dir(Some(&session)), "session-2a97516c354b");
        assert_eq!(session_dir(None), "no-session");
    }

    #[test]
    fn only_names_made_here_are_known_here() {
        for name in [".lock", "log.jsonl", "0123456789ab", "0123456789ab-", "0123456789aB-a"] {
            assert!(!is_file(name), "{name}");
        }
        for name in ["..", "sessions", "session-", "session-0123456789abc", "no-session-2"] {
            assert!(!is_session_dir(name), "{name}");
        }
    }

    proptest! {
        #[test]
        fn every_text_makes_a_safe_name(text in any::<String>()) {
            let name = file(&text);
            prop_assert!(is_file(&name));
            prop_assert!(name.len() <= 13 + NAME_BYTES);
        }

        #[test]
        fn a_name_that_fits_says_what_it_was(text in "\\PC{1,12}|[./~]{1,20}|[a-z ]{1,24}") {
            prop_assert_eq!(decode(&encode(&text)), text);
        }

        #[test]
        fn every_session_makes_a_directory_name(id in any::<String>()) {
            prop_assert!(is_session_dir(&session_dir(Some(&SessionId::new(id)))));
        }
    }
}
