//! What the policy is told: the cap, which tools it leaves alone, and how long it waits for a store.

use std::time::Duration;

use contract_schema::JsonRef;

/// The tool that reads what was saved: bounding it would save a saved text again (contract S5).
const READ: &str = "read";

/// 2^53: above it, a float does not tell neighbouring integers apart.
const FLOAT_LIMIT: f64 = 9_007_199_254_740_992.0;

/// Most bytes of text that a result may show, a whole number.
///
/// What is no whole number of bytes is refused here, when the policy is built, and not when a call
/// happens (contract S2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SpillCap(u64);

/// A cap that is not a whole number of bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the cap for shown text must be a whole number of bytes, not {given}")]
pub struct CapError {
    given: String,
}

impl SpillCap {
    /// A cap of this many bytes.
    #[must_use]
    pub const fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    /// The cap as a configuration file gives it: any JSON number that is a whole number of bytes.
    ///
    /// # Errors
    ///
    /// [`CapError`] for everything else.
    pub fn from_json(value: JsonRef<'_>) -> Result<Self, CapError> {
        if let Some(bytes) = value.as_u64() {
            return Ok(Self(bytes));
        }
        match (value.as_i64(), value.as_f64()) {
            (Some(bytes), _) => Self::try_from(bytes),
            (None, Some(bytes)) => Self::try_from(bytes),
            (None, None) => {
                let given = value.kind().name();
                Err(CapError { given: format!("a value of type {given}") })
            }
        }
    }

    /// The cap in bytes.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        self.0
    }

    /// The cap as a length of text in memory.
    pub(crate) fn length(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl Default for SpillCap {
    /// 50,000 bytes.
    fn default() -> Self {
        Self(50_000)
    }
}

impl TryFrom<i64> for SpillCap {
    type Error = CapError;

    fn try_from(bytes: i64) -> Result<Self, CapError> {
        u64::try_from(bytes).map(Self).map_err(|_| CapError { given: bytes.to_string() })
    }
}

impl TryFrom<f64> for SpillCap {
    type Error = CapError;

    fn try_from(bytes: f64) -> Result<Self, CapError> {
        if bytes.fract() == 0.0 && (0.0..=FLOAT_LIMIT).contains(&bytes) {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a whole number from 0 to 2^53"
            )]
            return Ok(Self(bytes as u64));
        }
        Err(CapError { given: bytes.to_string() })
    }
}

/// Configuration of [`Spill`](crate::Spill).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpillConfig {
    /// Most bytes of text that a result may show; without one, only the pages of tools that declare an
    /// overflow are saved.
    pub max_inline_bytes: Option<SpillCap>,
    /// Tools whose direct results the cap leaves alone, since their own limits bound them (contract S5). What
    /// policy put in place of such a result, as content or as value, is bounded all the same, and so are the
    /// log copies of their nested results.
    pub exempt: Vec<String>,
    /// How long a call waits for any store to save a text before the text stays inline; 60,000 ms. A store
    /// may have a shorter deadline of its own.
    pub save_deadline_ms: u64,
    /// How long it still waits once the call is cancelled; 1,000 ms. Two texts of a call may be saved one
    /// after the other, and a registry waits twice its own grace for policy: so at most that grace.
    pub cancel_grace_ms: u64,
}

impl SpillConfig {
    pub(crate) fn is_exempt(&self, tool: &str) -> bool {
        self.exempt.iter().any(|exempt| exempt == tool)
    }

    pub(crate) fn save_deadline(&self) -> Duration {
        Duration::from_millis(self.save_deadline_ms)
    }

    pub(crate) fn cancel_grace(&self) -> Duration {
        Duration::from_millis(self.cancel_grace_ms)
    }
}

impl Default for SpillConfig {
    /// 50,000 bytes for every tool but `read`; a minute for a store, and a second after a cancellation.
    fn default() -> Self {
        Self {
            max_inline_bytes: Some(SpillCap::default()),
            exempt: vec![READ.to_owned()],
            save_deadline_ms: 60_000,
            cancel_grace_ms: 1_000,
        }
    }
}
