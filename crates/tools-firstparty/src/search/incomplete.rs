//! `incomplete`: what a search could not see (decisions DG6).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::seam::budget::Stop;

/// What is missing from a result, or shown other than it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Incomplete {
    /// Why something is missing; empty when only `lossyNames` is of note.
    pub reasons: Vec<Reason>,
    /// Files and folders that could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_u64))]
    pub skipped: Option<u64>,
    /// Files whose names are not UTF-8. Their paths hold U+FFFD instead, and open nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 9_007_199_254_740_991_u64))]
    pub lossy_names: Option<u64>,
}

/// Why something is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Reason {
    /// Some files or folders could not be read.
    Unreadable,
    /// The result reached its size limit.
    ByteBudget,
    /// The search looked at as many entries as it may.
    EntryCap,
    /// The search ran out of time.
    Timeout,
}

impl Incomplete {
    /// `None` when nothing is missing and every name is shown as it is.
    pub(super) fn of(stop: Option<Stop>, skipped: u64, lossy_names: u64) -> Option<Self> {
        let unreadable = (skipped > 0).then_some(Reason::Unreadable);
        let stopped = stop.and_then(|stop| match stop {
            Stop::Bytes => Some(Reason::ByteBudget),
            Stop::Entries => Some(Reason::EntryCap),
            Stop::Time => Some(Reason::Timeout),
            Stop::Cancelled => None,
        });
        let reasons: Vec<Reason> = unreadable.into_iter().chain(stopped).collect();
        let positive = |count: u64| (count > 0).then_some(count);
        if reasons.is_empty() && lossy_names == 0 {
            return None;
        }
        Some(Self { reasons, skipped: positive(skipped), lossy_names: positive(lossy_names) })
    }

    /// One row about what is missing, without a line break.
    pub(super) fn row(&self) -> String {
        let skipped = self.skipped.unwrap_or_default();
        let mut facts: Vec<String> = self.reasons.iter().map(|why| why.fact(skipped)).collect();
        if let Some(count) = self.lossy_names {
            let what = plural(count, "file has a name that is", "files have names that are");
            facts.push(format!("{what} not UTF-8, shown with \u{FFFD}"));
        }
        format!("(Incomplete: {}.)", facts.join("; "))
    }
}

impl Reason {
    fn fact(self, skipped: u64) -> String {
        match self {
            Self::Unreadable => {
                format!("{} not be read", plural(skipped, "entry could", "entries could"))
            }
            Self::ByteBudget => {
                "the result reached its size limit, so narrow the search".to_owned()
            }
            Self::EntryCap => "the tree has more entries than one search looks at".to_owned(),
            Self::Timeout => "the search ran out of time, so narrow it".to_owned(),
        }
    }
}

/// A count with the right words after it.
pub(super) fn plural(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complete_result_has_none() {
        assert_eq!(Incomplete::of(None, 0, 0), None);
    }

    #[test]
    fn the_row_states_every_fact() {
        let all = Incomplete::of(Some(Stop::Time), 2, 1).expect("incomplete");
        assert_eq!(
            all.row(),
            "(Incomplete: 2 entries could not be read; the search ran out of time, so narrow it; \
             1 file has a name that is not UTF-8, shown with \u{FFFD}.)"
        );
        let one = Incomplete::of(None, 1, 0).expect("incomplete");
        assert_eq!(one.row(), "(Incomplete: 1 entry could not be read.)");
    }
}
