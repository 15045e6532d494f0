//! Tokens: the identity of one call.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// Identity of one call, fresh for each (contract P1).
///
/// Equal only to itself. It cannot be built or chosen outside this crate, has no serialized form and
/// prints no number, so it reaches no model, log or other process.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Token(u64);

impl Token {
    pub(crate) fn fresh() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_equals_only_itself_and_prints_nothing_of_itself() {
        let (a, b) = (Token::fresh(), Token::fresh());
        assert_eq!(a, a);
        assert_ne!(a, b);
        assert_eq!(format!("{a:?}"), "Token");
    }
}
