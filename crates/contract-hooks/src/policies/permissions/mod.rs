//! Permission rules: deny, ask, allow, by tool and arguments (decisions DH2).

mod argument;
mod doubt;
mod number;
mod path;
mod rule;

pub use doubt::RuleDoubt;
pub use rule::{Rule, RuleError};

use contract_registry::{AccessMode, Call, Denial, ErrorInfo};
use futures_util::future::BoxFuture;

use self::argument::Looked;
use crate::error::{HookError, code};
use crate::pre::{PreExecute, PreNext, PreVerdict, Question};

/// Rules in three lists. Any matching deny wins; else any matching ask; else the longest matching allow; else
/// the access mode decides: read-only lets tools through that change nothing, the others let all through.
///
/// Rules on paths look at the file system, link by link, while they judge: a link that is put there between
/// the judgement and the opening is not seen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Permissions {
    deny: Vec<Rule>,
    ask: Vec<Rule>,
    allow: Vec<Rule>,
}

impl Permissions {
    /// No rules.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds refusals.
    #[must_use]
    pub fn deny(mut self, rules: impl IntoIterator<Item = Rule>) -> Self {
        self.deny.extend(rules);
        self
    }

    /// Adds questions.
    #[must_use]
    pub fn ask(mut self, rules: impl IntoIterator<Item = Rule>) -> Self {
        self.ask.extend(rules);
        self
    }

    /// Adds permissions.
    #[must_use]
    pub fn allow(mut self, rules: impl IntoIterator<Item = Rule>) -> Self {
        self.allow.extend(rules);
        self
    }

    fn verdict(&self, call: &Call) -> PreVerdict {
        let looked = Looked::new(call);
        if let Some(rule) = self.deny.iter().find(|rule| rule.touches(&looked)) {
            return refused(format!("the rule `{rule}` forbids this call"));
        }
        if let Some(rule) = self.ask.iter().find(|rule| rule.touches(&looked)) {
            return PreVerdict::Ask(Question { reason: format!("the rule `{rule}` asks first") });
        }
        let allowing = self.allow.iter().filter(|rule| rule.covers(&looked));
        if let Some(rule) = allowing.max_by_key(|rule| rule.len()) {
            tracing::debug!(tool = call.name(), %rule, "allowed by rule");
            return PreVerdict::Allow;
        }
        // A program changes nothing but by its calls, which are judged one by one (contract C1, C5).
        let changes = !call.tool().annotations().read_only && !call.tool().is_reserved();
        match call.access_mode() {
            AccessMode::ReadOnly if changes => refused(format!(
                "{} may change things, and the access mode is read-only; another mode, such as workspace-write, \
                 lets it. An allow rule would let it run, but not change files",
                call.name()
            )),
            AccessMode::ReadOnly | AccessMode::WorkspaceWrite | AccessMode::Full => {
                PreVerdict::Allow
            }
        }
    }
}

fn refused(message: String) -> PreVerdict {
    let info = ErrorInfo::new("PermissionError", code::PERMISSION_DENIED);
    PreVerdict::Deny(Denial::new(message).with_info(info))
}

impl PreExecute for Permissions {
    fn pre_execute<'a>(
        &'a self,
        call: &'a Call,
        _next: PreNext<'a>,
    ) -> BoxFuture<'a, Result<crate::pre::PreReply, HookError>> {
        Box::pin(async { Ok(self.verdict(call).into()) })
    }
}
