//! One decision of many hooks, in the order of the file.

use contract_schema::Json;

use super::output::{Answer, Judged, Verdict};

/// What all matching hooks came to.
#[derive(Debug, Default)]
pub(crate) struct Merged {
    /// The strongest.
    pub(crate) verdict: Verdict,
    /// The reasons of those that gave it, a blank line between them.
    pub(crate) reason: Option<String>,
    /// Messages for the model.
    pub(crate) contexts: Vec<String>,
    /// The first wish to stop.
    pub(crate) stop: Option<String>,
    /// The first replacement.
    pub(crate) replacement: Option<Json>,
    /// What hooks that could not judge came to, each with the hook's name.
    pub(crate) fault: Option<String>,
    /// The same of hooks that ended in a way that decides nothing.
    pub(crate) undecided: Option<String>,
}

/// Merges what hooks came to, each with the words that name it.
pub(crate) fn merge(judged: impl IntoIterator<Item = (String, Judged)>) -> Merged {
    let mut merged = Merged::default();
    let (mut faults, mut undecided) = (Vec::new(), Vec::new());
    let mut reasons: Vec<(Verdict, Option<String>)> = Vec::new();
    for (name, judged) in judged {
        match judged {
            Judged::Answer(Answer { verdict, reason, contexts, stop, replacement, notes: _ }) => {
                merged.verdict = merged.verdict.max(verdict);
                reasons.push((verdict, reason));
                merged.contexts.extend(contexts);
                merged.stop = merged.stop.take().or(stop);
                if merged.replacement.is_some() && replacement.is_some() {
                    tracing::warn!(hook = name, "a replacement beside an earlier one is dropped");
                }
                merged.replacement = merged.replacement.take().or(replacement);
            }
            Judged::Fault(what) => faults.push(format!("{name} {what}")),
            Judged::Undecided(what) => undecided.push(format!("{name} {what}")),
        }
    }
    if matches!(merged.verdict, Verdict::Ask | Verdict::Deny) {
        let winning = reasons.into_iter().filter(|(verdict, _)| *verdict == merged.verdict);
        merged.reason = joined(winning.filter_map(|(_, reason)| reason).collect(), "\n\n");
    }
    merged.fault = joined(faults, "; ");
    merged.undecided = joined(undecided, "; ");
    merged
}

fn joined(parts: Vec<String>, between: &str) -> Option<String> {
    if parts.is_empty() { None } else { Some(parts.join(between)) }
}
