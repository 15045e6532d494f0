//! Model history, as one line a message.

use contract_session::{Event, LogFormat, Message, history};

use crate::support::{
    assistant, call, context, failure, hooks, nested, nested_start, result, store, user,
};

fn check(events: &[Event], expected: &[&str]) {
    let store = store(LogFormat::JsonLines);
    let journal = store.journal();
    for event in events {
        journal.append(event).unwrap();
    }
    let messages = history(journal.entries().unwrap()).unwrap();
    assert_eq!(messages.iter().map(line).collect::<Vec<_>>(), expected);
}

fn line(message: &Message) -> String {
    let text = |content: &[contract_schema::ContentBlock]| content[0].as_text().unwrap().to_owned();
    match message {
        Message::User { content } => format!("user {}", text(content)),
        Message::Assistant { text, calls } => {
            let ids: Vec<_> = calls.iter().map(|call| call.call_id.as_str()).collect();
            format!("assistant {text} [{}]", ids.join(" "))
        }
        Message::ToolResult { call_id, content, is_error, .. } => {
            format!("result {call_id} {} {is_error}", text(content))
        }
        Message::Unanswered { call_id, .. } => format!("unanswered {call_id}"),
        Message::DirectCall { call_id, arguments, content, .. } => {
            format!("direct {call_id} {} {}", arguments.is_some(), text(content))
        }
        Message::Context(context) => format!("context {}", text(&context.content)),
        _ => unreachable!("every kind of message has a line"),
    }
}

#[test]
fn l5_history_has_messages_and_results_with_their_content() {
    check(
        &[
            user("q"),
            assistant("let me", &["a"]),
            call("a"),
            result("a", "r"),
            assistant("so", &[]),
        ],
        &["user q", "assistant let me [a]", "result a r false", "assistant so []"],
    );
}

#[test]
fn l5_nested_calls_and_hooks_contribute_nothing() {
    let [invoked, ended] = hooks();
    check(
        &[
            assistant("", &["root"]),
            call("root"),
            invoked,
            nested_start("n"),
            nested("n", "secret"),
            ended,
            failure("root", "no"),
        ],
        &["assistant  [root]", "result root Error: no true"],
    );
}

#[test]
fn l5_contexts_follow_all_results_of_their_step() {
    check(
        &[
            context("x", "at the start"),
            user("q"),
            assistant("", &["a", "b"]),
            call("a"),
            call("b"),
            result("a", "1"),
            context("a", "of a"),
            user("meanwhile"),
            result("b", "2"),
            context("b", "of b"),
            assistant("done", &[]),
            context("x", "later"),
        ],
        &[
            "context at the start",
            "user q",
            "assistant  [a b]",
            "result a 1 false",
            "result b 2 false",
            "context of a",
            "user meanwhile",
            "context of b",
            "assistant done []",
            "context later",
        ],
    );
}

#[test]
fn l5_a_call_cut_off_by_a_crash_is_marked() {
    check(
        &[
            assistant("", &["a", "b"]),
            call("a"),
            result("a", "1"),
            call("b"),
            user("go on"),
            assistant("sorry", &[]),
        ],
        &[
            "assistant  [a b]",
            "result a 1 false",
            "unanswered b",
            "user go on",
            "assistant sorry []",
        ],
    );
}

#[test]
fn l5_calls_that_no_model_asked_for_keep_their_arguments() {
    // Two processes of `tenon call` number their calls alike.
    check(
        &[
            call("call-1"),
            result("call-1", "one"),
            context("call-1", "c"),
            call("call-1"),
            result("call-1", "two"),
            result("stray", "three"),
            call("never-ended"),
            user("q"),
        ],
        &[
            "direct call-1 true one",
            "context c",
            "direct call-1 true two",
            "direct stray false three",
            "user q",
        ],
    );
}
