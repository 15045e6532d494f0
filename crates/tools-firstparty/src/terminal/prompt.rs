//! How the shell says that it is at its prompt: by marks with a nonce of this session, which programs do not
//! know, in a sequence that no screen shows.
//!
//! The mark is at the end of `PS1`, so that it comes when the whole prompt is printed; `PS0` brings one when
//! a command begins. `PROMPT_COMMAND` puts both back where something changed them, and keeps all three from
//! what the shell starts. None of it is the ground for believing that a program reads: see `ready`.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};

/// 128 bits that nobody can guess.
pub(super) fn nonce() -> String {
    // Each state is keyed anew from the system's randomness.
    let half = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", half(), half())
}

/// What a terminal's shell sees of the environment besides what commands usually see.
pub(super) fn environment(
    nonce: &str,
    id: &str,
    session: Option<&str>,
) -> Vec<(&'static str, String)> {
    let mark = |kind: char| format!("\\e]133;{kind};tenon={nonce}\\a");
    let (prompt, command) = (mark('D'), mark('C'));
    let restore = format!(
        "case $PS1 in *tenon={nonce}*) ;; *) PS1=\"$PS1\"'\\[{prompt}\\]' ;; esac; \
         case $PS0 in *tenon={nonce}*) ;; *) PS0='{command}'\"$PS0\" ;; esac; \
         export -n PS1 PS0 PROMPT_COMMAND"
    );
    let mut all = vec![
        ("TERM", "xterm-256color".to_owned()),
        ("PS1", format!("\\w\\$ \\[{prompt}\\]")),
        ("PS0", command),
        ("PROMPT_COMMAND", restore),
        // A pager would wait for keys where output is wanted.
        ("PAGER", "cat".to_owned()),
        ("GIT_PAGER", "cat".to_owned()),
        // What is typed here is not the user's history, nor do the user's key bindings apply.
        ("HISTFILE", String::new()),
        ("LESSHISTFILE", "-".to_owned()),
        ("INPUTRC", "/dev/null".to_owned()),
        ("TENON_SHELL", "1".to_owned()),
        ("TENON_PTY_SESSION_ID", id.to_owned()),
    ];
    all.extend(session.map(|session| ("TENON_SESSION_ID", session.to_owned())));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonces_differ() {
        assert_eq!(nonce().len(), 32);
        assert_ne!(nonce(), nonce());
    }
}
