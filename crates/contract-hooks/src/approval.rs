//! The approval seam: who answers when a policy asks (contract H3).

use contract_registry::{Call, Denial, ErrorInfo};
use futures_util::future::BoxFuture;

use crate::error::code;
use crate::pre::Question;

/// Answers questions about calls: a person at a terminal, an editor's dialog, a test.
pub trait Approver: Send + Sync + 'static {
    /// Asks. Dropping the future withdraws the question.
    fn ask<'a>(&'a self, call: &'a Call, question: &'a Question) -> BoxFuture<'a, Answer>;
}

/// What came of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The call goes on.
    Approved,
    /// No, with the reason given, if any.
    Rejected(Option<String>),
    /// The question was withdrawn or dismissed without an answer.
    Cancelled,
    /// There is nobody to ask after all, with what is missing.
    Unavailable(String),
}

/// A refusal for every answer but yes: three different ones, so that a model can tell them apart.
pub(crate) fn denial(answer: Answer, question: &Question) -> Option<Denial> {
    let (message, code) = match answer {
        Answer::Approved => return None,
        Answer::Rejected(Some(why)) => {
            (format!("the user did not approve this call: {why}"), code::APPROVAL_REJECTED)
        }
        Answer::Rejected(None) => {
            ("the user did not approve this call".to_owned(), code::APPROVAL_REJECTED)
        }
        Answer::Cancelled => (
            "the question whether to make this call was not answered".to_owned(),
            code::APPROVAL_CANCELLED,
        ),
        Answer::Unavailable(what) => (
            format!("this call needs approval ({}), and {what}", question.reason),
            code::APPROVAL_UNAVAILABLE,
        ),
    };
    Some(Denial::new(message).with_info(ErrorInfo::new("ApprovalError", code)))
}
