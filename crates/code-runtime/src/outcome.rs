//! How a run ended.

use std::fmt;

use contract_schema::Json;

use crate::sandbox::Confinement;

/// What is left of a run.
#[derive(Debug, Clone)]
pub struct RunOutcome {
    /// Lines of the console in order, as far as the limit lets them through.
    pub logs: Vec<String>,
    /// How it ended.
    pub ended: Ended,
    /// The calls that started, in order, and how each ended (decisions DC3).
    pub calls: Vec<CallRecord>,
    /// How the worker was confined; `None` when none of it came to run.
    pub confinement: Option<Confinement>,
}

impl RunOutcome {
    /// What the program returned: `None` when it did not, or returned `undefined`.
    #[must_use]
    pub fn result(&self) -> Option<&Json> {
        match &self.ended {
            Ended::Returned(result) => result.as_ref(),
            Ended::Threw(_)
            | Ended::Refused(_)
            | Ended::Limit(_)
            | Ended::Stalled
            | Ended::Stopped
            | Ended::Broken(_) => None,
        }
    }

    /// The failure in words, with its place in the program; `None` when it returned.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        Some(match &self.ended {
            Ended::Returned(_) => return None,
            Ended::Threw(fault) | Ended::Refused(fault) => fault.to_string(),
            Ended::Limit(hit) => hit.to_string(),
            Ended::Stalled => "the program waits for a promise that nothing can settle".to_owned(),
            Ended::Stopped => "the program was stopped".to_owned(),
            Ended::Broken(why) => format!("the worker failed: {why}"),
        })
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ended {
    /// The program returned; `None` is `undefined`, which is not `null`.
    Returned(Option<Json>),
    /// The program threw, or rejected.
    Threw(Fault),
    /// The program cannot be run as it is written.
    Refused(Fault),
    /// A limit was hit.
    Limit(LimitHit),
    /// The program waits, and nothing is left that could end the waiting.
    Stalled,
    /// Its owner stopped it.
    Stopped,
    /// The worker could not start, or did what no worker does.
    Broken(String),
}

/// What was thrown, or why the program was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The name of the error: `TypeError`, or what else was thrown.
    pub name: String,
    /// Its message.
    pub message: String,
    /// Where in the program as written, if it is known.
    pub place: Option<Place>,
}

/// A place in the program as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// The line with a mark under the column.
    pub excerpt: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.name.is_empty(), self.message.is_empty()) {
            (false, false) => write!(f, "{}: {}", self.name, self.message)?,
            (false, true) => f.write_str(&self.name)?,
            (true, _) => f.write_str(&self.message)?,
        }
        if let Some(Place { line, column, excerpt }) = &self.place {
            write!(f, "\nat line {line}, column {column}\n{excerpt}")?;
        }
        Ok(())
    }
}

/// Which limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Limit {
    /// JavaScript heap.
    Heap,
    /// Stack of the engine, or nesting of the source.
    Stack,
    /// Processor time.
    Compute,
    /// Time from start to end.
    Wall,
    /// Console lines and result together.
    Output,
    /// One value to or from a binding.
    ValueBytes,
    /// Calls in all.
    Calls,
    /// Calls at one time.
    PendingCalls,
}

impl Limit {
    /// Its name in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Heap => "heap",
            Self::Stack => "stack",
            Self::Compute => "compute",
            Self::Wall => "wall",
            Self::Output => "output",
            Self::ValueBytes => "bytes per binding",
            Self::Calls => "calls",
            Self::PendingCalls => "pending calls",
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Self::Heap | Self::Stack | Self::Output | Self::ValueBytes => " bytes",
            Self::Compute | Self::Wall => " ms",
            Self::Calls | Self::PendingCalls => "",
        }
    }
}

/// A limit that was hit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitHit {
    /// Which.
    pub limit: Limit,
    /// What was allowed, in the limit's unit.
    pub allowed: u64,
    /// Where, if the program was told and did not catch it.
    pub fault: Option<Fault>,
}

impl fmt::Display for LimitHit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, unit) = (self.limit.name(), self.limit.unit());
        write!(f, "the program hit its limit on {name} ({}{unit})", self.allowed)?;
        match &self.fault {
            Some(fault) => write!(f, "\n{fault}"),
            None => Ok(()),
        }
    }
}

/// A call that started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRecord {
    /// Its number, from 1 in the order of the calls.
    pub id: u32,
    /// The object whose function was called.
    pub global: String,
    /// The function.
    pub name: String,
    /// How it ended.
    pub ended: CallEnd,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallEnd {
    /// It was answered with a value.
    Returned,
    /// It was answered with an error of this message.
    Failed(String),
    /// The run ended first; the call was dropped.
    Dropped,
}
