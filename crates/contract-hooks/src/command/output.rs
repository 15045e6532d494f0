//! What a hook's end says: its exit code, and what it wrote.

use std::ops::RangeInclusive;

use contract_schema::{Json, JsonRef};
use host_process::{Finished, Status, Stop};

use super::event::HookEvent;
use super::opening::{Begins, bare, begins};
use super::options::HookLimits;

/// Exit code of a hook that blocks; its stderr says why.
const BLOCKS: i32 = 2;

/// Exit codes of a shell that could not start the command.
const NOT_STARTED: [i32; 2] = [126, 127];

/// What a shell adds to the number of the signal that ended the command it ran, to make its own exit code.
const SIGNALLED: i32 = 128;

/// The exit codes that it gets so.
const SIGNALS: RangeInclusive<i32> = SIGNALLED + 1..=SIGNALLED + 64;

/// Keys that make a decision of a JSON object.
const DECISION_KEYS: [&str; 3] = ["hookSpecificOutput", "permissionDecision", "decision"];

/// Keys that put another output in place of a result.
const UPDATED_OUTPUT: [&str; 2] = ["updatedToolOutput", "updatedMCPToolOutput"];

/// What came of one hook.
#[derive(Debug)]
pub(crate) enum Judged {
    /// It answered.
    Answer(Answer),
    /// It could not judge, in one plain line that goes on from the hook's name.
    Fault(String),
    /// It ended in a way that decides nothing, by the same kind of line.
    Undecided(String),
}

/// What a hook answered.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) verdict: Verdict,
    pub(crate) reason: Option<String>,
    pub(crate) contexts: Vec<String>,
    /// The agent is to stop, and why.
    pub(crate) stop: Option<String>,
    /// What is to be shown, or to be the value, instead of the result.
    pub(crate) replacement: Option<Json>,
    /// What had no effect, in plain lines.
    pub(crate) notes: Vec<String>,
}

/// Verdicts, the strongest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Verdict {
    #[default]
    None,
    Allow,
    Ask,
    /// Deny, or block.
    Deny,
}

/// Reads what a hook that ran came to.
pub(crate) fn read(event: HookEvent, finished: &Finished, limits: &HookLimits) -> Judged {
    match finished.stopped {
        Some(Stop::Deadline) => {
            let ran_ms = finished.duration.as_millis();
            return Judged::Fault(format!("did not end in time and was stopped after {ran_ms} ms"));
        }
        Some(Stop::Cancelled) => return Judged::Fault("was cancelled".to_owned()),
        None => {}
    }
    match finished.status {
        Status::Signalled(signal) => Judged::Fault(format!("was ended by signal {signal}")),
        Status::Exited(0) => decision(event, finished, limits),
        Status::Exited(BLOCKS) => {
            let said = finished.stderr.text();
            let reason = Some(said.trim()).filter(|said| !said.is_empty());
            let reason = reason.map(|reason| clip(reason, limits.text_max_bytes));
            Judged::Answer(Answer { verdict: Verdict::Deny, reason, ..Answer::default() })
        }
        Status::Exited(code) if NOT_STARTED.contains(&code) => {
            Judged::Fault(format!("could not be started (exit code {code})"))
        }
        Status::Exited(code) if SIGNALS.contains(&code) => {
            let signal = code - SIGNALLED;
            Judged::Fault(format!("was ended by signal {signal} (exit code {code})"))
        }
        Status::Exited(code) => Judged::Undecided(format!("ended with exit code {code}")),
    }
}

/// What a hook that succeeded wrote: a JSON object is a decision, text that does not begin like one is plain.
/// What may hold a decision and cannot be read as one is a fault, since to miss it would let the call in.
fn decision(event: HookEvent, finished: &Finished, limits: &HookLimits) -> Judged {
    let stdout = &finished.stdout;
    let begins = begins(stdout.head());
    let Some(bytes) = stdout.whole() else {
        let (total, cap) = (stdout.total_bytes(), limits.stdout_max_bytes);
        return match begins {
            Begins::Decision | Begins::Wrapped => {
                Judged::Fault(format!("wrote a decision of {total} bytes; at most {cap} are read"))
            }
            Begins::Blank => Judged::Fault(cut(total, cap)),
            Begins::Plain if event == HookEvent::PreToolUse => Judged::Fault(cut(total, cap)),
            Begins::Plain => Judged::Answer(plain(event, finished, limits)),
        };
    };
    // Where text is a message for the model, it may quote JSON.
    let quotes = || event.takes_plain_text() && decision_key(&stdout.text()).is_none();
    match begins {
        Begins::Blank | Begins::Plain => Judged::Answer(plain(event, finished, limits)),
        Begins::Wrapped if quotes() => Judged::Answer(plain(event, finished, limits)),
        Begins::Wrapped => unreadable("it must be one JSON object in UTF-8 and nothing else"),
        Begins::Decision => match Json::parse_bytes(bare(&bytes)) {
            Ok(json) => structured(event, json.root(), limits),
            Err(error) => unreadable(error),
        },
    }
}

/// A key in a text that makes one think of a decision.
fn decision_key(text: &str) -> Option<&'static str> {
    let quoted = |c: &char| c.is_alphanumeric() || *c == '"';
    let text: String = text.chars().filter(quoted).flat_map(char::to_lowercase).collect();
    DECISION_KEYS.into_iter().find(|key| text.contains(&format!("\"{}\"", key.to_lowercase())))
}

fn cut(total: u64, cap: usize) -> String {
    format!("wrote {total} bytes; at most {cap} are read, so what it decided is not known")
}

fn unreadable(what: impl std::fmt::Display) -> Judged {
    Judged::Fault(format!("wrote a decision that cannot be read: {what}"))
}

fn plain(event: HookEvent, finished: &Finished, limits: &HookLimits) -> Answer {
    let mut answer = Answer::default();
    let stdout = &finished.stdout;
    if !stdout.is_whole() {
        answer.notes.push(format!("wrote {} bytes", stdout.total_bytes()));
    }
    let text = stdout.text();
    if let Some(key) = decision_key(&text) {
        let why = "only a JSON object alone is one";
        answer.notes.push(format!("`{key}` in its plain text is no decision: {why}"));
    }
    if event.takes_plain_text() && !text.trim().is_empty() {
        answer.contexts.push(clip(text.trim(), limits.text_max_bytes));
    }
    answer
}

fn structured(event: HookEvent, root: JsonRef<'_>, limits: &HookLimits) -> Judged {
    let reader = Reader { event, limits };
    match reader.answer(root) {
        Ok(answer) => Judged::Answer(answer),
        Err(what) => unreadable(what),
    }
}

struct Reader<'a> {
    event: HookEvent,
    limits: &'a HookLimits,
}

impl Reader<'_> {
    fn answer(&self, root: JsonRef<'_>) -> Result<Answer, String> {
        self.is_not_in(root, "permissionDecision", "belongs in `hookSpecificOutput`")?;
        let mut answer = Answer {
            verdict: match word(root, "decision")?.as_deref() {
                None => Verdict::None,
                Some("approve") => Verdict::Allow,
                Some("block") => Verdict::Deny,
                Some(other) => return Err(unknown("decision", other)),
            },
            reason: self.clipped(root, "reason")?,
            ..Answer::default()
        };
        match member(root, "continue")?.map(|flag| flag.as_bool()) {
            None | Some(Some(true)) => {}
            Some(Some(false)) => {
                let reason = self.clipped(root, "stopReason")?;
                let default = || "a hook asks to stop and gave no reason".to_owned();
                answer.stop = Some(reason.unwrap_or_else(default));
            }
            Some(None) => return Err("`continue` is neither true nor false".to_owned()),
        }
        if let Some(specific) = member(root, "hookSpecificOutput")? {
            self.specific(specific, &mut answer)?;
        }
        Ok(answer)
    }

    /// The part for one event. Where it names another than the one that fired, it is ignored as a whole; but
    /// with a decision for this one in it, it is not known what was meant.
    fn specific(&self, specific: JsonRef<'_>, answer: &mut Answer) -> Result<(), String> {
        if specific.kind() != contract_schema::JsonKind::Object {
            return Err("`hookSpecificOutput` is no object".to_owned());
        }
        let named = text(specific, "hookEventName")?;
        if let Some(other) = named.filter(|name| !is_same(name, self.event.name())) {
            let name: String = other.chars().take(40).collect();
            for key in self.deciding() {
                if member(specific, key)?.is_some() {
                    return Err(format!("`{key}` stands in an output for `{name}`"));
                }
            }
            answer.notes.push(format!("its output for `{name}` was ignored"));
            return Ok(());
        }
        self.is_not_in(specific, "decision", "does not belong in `hookSpecificOutput`")?;
        answer.contexts.extend(self.clipped(specific, "additionalContext")?);
        if member(specific, "updatedInput")?.is_some() {
            answer
                .notes
                .push("`updatedInput` was refused: arguments are never rewritten".to_owned());
        }
        match self.event {
            HookEvent::PreToolUse => self.permission(specific, answer),
            HookEvent::PostToolUse => {
                for key in UPDATED_OUTPUT {
                    if let Some(output) = member(specific, key)? {
                        let output = Json::snapshot(&output).map_err(|error| error.to_string())?;
                        answer.replacement = Some(output);
                        break;
                    }
                }
                Ok(())
            }
            HookEvent::UserPromptSubmit
            | HookEvent::Stop
            | HookEvent::SessionStart
            | HookEvent::SubagentStart
            | HookEvent::SubagentStop => Ok(()),
        }
    }

    /// A permission decision overrides the general one.
    fn permission(&self, specific: JsonRef<'_>, answer: &mut Answer) -> Result<(), String> {
        answer.verdict = match word(specific, "permissionDecision")?.as_deref() {
            None => return Ok(()),
            Some("allow") => Verdict::Allow,
            Some("ask") => Verdict::Ask,
            Some("deny") => Verdict::Deny,
            Some(other) => return Err(unknown("permissionDecision", other)),
        };
        answer.reason =
            self.clipped(specific, "permissionDecisionReason")?.or(answer.reason.take());
        Ok(())
    }

    /// A decision in a place where nobody looks for it would let the call in.
    fn is_not_in(&self, object: JsonRef<'_>, key: &str, but: &str) -> Result<(), String> {
        let misplaced = self.event.lets_in() && member(object, key)?.is_some();
        if misplaced { Err(format!("`{key}` {but}")) } else { Ok(()) }
    }

    /// The keys of an output for this event that decide something.
    fn deciding(&self) -> &'static [&'static str] {
        match self.event {
            HookEvent::PreToolUse | HookEvent::UserPromptSubmit => &DECISION_KEYS,
            HookEvent::PostToolUse => &UPDATED_OUTPUT,
            HookEvent::Stop
            | HookEvent::SessionStart
            | HookEvent::SubagentStart
            | HookEvent::SubagentStop => &[],
        }
    }

    fn clipped(&self, object: JsonRef<'_>, key: &str) -> Result<Option<String>, String> {
        let given = text(object, key)?.map(str::trim).filter(|text| !text.is_empty());
        Ok(given.map(|text| clip(text, self.limits.text_max_bytes)))
    }
}

fn unknown(key: &str, found: &str) -> String {
    let found: String = found.chars().take(40).collect();
    format!("`{key}` is `{found}`, which means nothing here")
}

/// A member that is there and not null. Scripts in many languages write decisions: a key in another case, or
/// with words set apart, is the same key, and one that is there twice so tells nothing.
fn member<'a>(object: JsonRef<'a>, key: &str) -> Result<Option<JsonRef<'a>>, String> {
    let is_it = |(name, value): &(&str, JsonRef<'_>)| is_same(name, key) && !value.is_null();
    let mut found = object.members().filter(is_it).map(|(_, value)| value);
    match (found.next(), found.next()) {
        (_, Some(_)) => Err(format!("`{key}` is there twice")),
        (found, None) => Ok(found),
    }
}

/// Whether two names differ in case and separators at most.
fn is_same(one: &str, other: &str) -> bool {
    let folded =
        |c: char| Some(c).filter(|c| c.is_alphanumeric()).into_iter().flat_map(char::to_lowercase);
    one.chars().flat_map(folded).eq(other.chars().flat_map(folded))
}

fn text<'a>(object: JsonRef<'a>, key: &str) -> Result<Option<&'a str>, String> {
    let Some(value) = member(object, key)? else { return Ok(None) };
    value.as_str().map(Some).ok_or_else(|| format!("`{key}` is no text"))
}

/// A text that is one word of few, in lower case.
fn word(object: JsonRef<'_>, key: &str) -> Result<Option<String>, String> {
    Ok(text(object, key)?.map(|word| word.trim().to_lowercase()))
}

/// A text of at most `max_bytes`, with how much more there was.
pub(crate) fn clip(text: &str, max_bytes: usize) -> String {
    let cut = text.floor_char_boundary(max_bytes);
    match text.split_at_checked(cut) {
        Some((kept, rest)) if !rest.is_empty() => {
            format!("{kept}… (+{} more bytes)", rest.len())
        }
        Some(_) | None => text.to_owned(),
    }
}
