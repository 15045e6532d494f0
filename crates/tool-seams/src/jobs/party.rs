//! Who has to do with a job: its owner, and those who read its output.

use contract_registry::{AgentId, CallHead, CallId, SessionId};

/// Whose job it is: an agent, within a session if there is one.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobOwner {
    /// The session.
    pub session: Option<SessionId>,
    /// The agent.
    pub agent: AgentId,
}

impl JobOwner {
    /// The agent that makes a call.
    #[must_use]
    pub fn of(call: &CallHead) -> Self {
        Self { session: call.session_id().cloned(), agent: call.agent_id().clone() }
    }
}

/// Who reads: each has a place of its own in a job's output (decisions DR4).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobReader {
    /// The model, through direct calls. What it has seen needs no notice.
    Model,
    /// The program of this call. What it sees, the model has not seen.
    Program(CallId),
}

impl JobReader {
    /// Who reads when this call does.
    #[must_use]
    pub fn of(call: &CallHead) -> Self {
        if call.is_nested() { Self::Program(call.root_call_id().clone()) } else { Self::Model }
    }
}
