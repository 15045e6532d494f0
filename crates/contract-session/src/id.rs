//! Ids: newtypes, so that one cannot stand where another belongs.

use std::fmt;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::SessionError;

/// Most bytes of a session id: it is the name of a directory.
const MAX_BYTES: usize = 64;

/// A session. The id is the name of its directory, so it is checked when it is made: 1 to 64 ASCII
/// letters, digits, `-` and `_`, beginning with a letter or a digit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionId(String);

impl SessionId {
    /// Takes an id as a user or a caller has it.
    ///
    /// # Errors
    ///
    /// [`SessionError::InvalidId`] for what cannot name a session.
    pub fn parse(id: &str) -> Result<Self, SessionError> {
        let first = id.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
        let rest = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        if first && rest && id.len() <= MAX_BYTES {
            Ok(Self(id.to_owned()))
        } else {
            Err(SessionError::InvalidId { id: id.chars().take(80).collect() })
        }
    }

    /// A new id that tells when it was made, in UTC: `session-20261201-130512-7f3a09`.
    pub(crate) fn generate(at_ms: u64) -> Self {
        let seconds = at_ms / 1000;
        let (year, month, day) = civil(seconds / 86_400);
        let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
        let random = RandomState::new().build_hasher().finish() & 0xff_ffff;
        Self(format!(
            "session-{year:04}{month:02}{day:02}-{hour:02}{minute:02}{second:02}-{random:06x}"
        ))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SessionId {
    type Err = SessionError;

    fn from_str(id: &str) -> Result<Self, SessionError> {
        Self::parse(id)
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A call, as the model or the host numbers it. One log may use an id again for a later call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallId(String);

impl CallId {
    /// Takes an id as the caller has it.
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for CallId {
    fn from(id: &str) -> Self {
        Self::new(id)
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Year, month and day of a number of days since 1970-01-01, in the Gregorian calendar.
fn civil(mut days: u64) -> (u64, u64, u64) {
    let leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let mut month = 1;
    for length in [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates() {
        let dates = [0, 58, 59, 364, 365, 11_016, 11_017, 20_787, 20_788].map(civil);
        let expected = [
            (1970, 1, 1),
            (1970, 2, 28),
            (1970, 3, 1),
            (1970, 12, 31),
            (1971, 1, 1),
            (2000, 2, 29),
            (2000, 3, 1),
            (2026, 11, 30),
            (2026, 12, 1),
        ];
        assert_eq!(dates, expected);
    }

    #[test]
    fn a_generated_id_is_an_id_and_tells_its_time() {
        let id = SessionId::generate(1_796_130_312_000);
        assert!(id.as_str().starts_with("session-20261201-130512-"), "{id}");
        assert_eq!(SessionId::parse(id.as_str()).unwrap(), id);
    }
}
