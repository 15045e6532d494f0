//! Random events, written and read.

use contract_schema::{AdditionalContext, ContentBlock, ContextSource, Json};
use contract_session::event::{
    AssistantMessage, ContextAdded, FailureInfo, HookDecision, HookInvoked, HookResult,
    PtcDispatch, PtcDispatchStart, RequestedCall, ToolCall, ToolFailure, ToolResult, UserMessage,
};
use contract_session::{CallId, Event, LogFormat, Record};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::support::store;

fn text() -> impl Strategy<Value = String> {
    prop_oneof![vec(any::<char>(), 0..12).prop_map(String::from_iter), "[ -~\n\"\\\\]{0,60}"]
}

fn json() -> impl Strategy<Value = Json> {
    let float = any::<f64>().prop_filter("JSON", |f| f.is_finite() && *f != 0.0);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        float.prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    let tree = leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            vec((text(), inner), 0..6).prop_map(|members| Value::from(Map::from_iter(members))),
        ]
    });
    tree.prop_map(|value| Json::snapshot(&value).unwrap())
}

fn content() -> impl Strategy<Value = Vec<ContentBlock>> {
    let block = prop_oneof![
        text().prop_map(ContentBlock::text),
        (text(), text()).prop_map(|(mime, data)| ContentBlock::image(mime, data)),
    ];
    vec(block, 0..4)
}

fn call_id() -> impl Strategy<Value = CallId> {
    text().prop_map(CallId::new)
}

fn direct() -> impl Strategy<Value = Event> {
    let info = (text(), text()).prop_map(|(name, code)| FailureInfo { name, code });
    let error =
        (text(), option::of(info)).prop_map(|(message, info)| ToolFailure { message, info });
    prop_oneof![
        (call_id(), text(), json()).prop_map(|(call_id, name, arguments)| ToolCall {
            call_id,
            name,
            arguments
        }
        .into()),
        (call_id(), text(), content(), option::of(error), option::of(json())).prop_map(
            |(call_id, name, content, error, meta)| {
                ToolResult { call_id, name, content, error, meta }.into()
            }
        ),
    ]
}

fn dispatch() -> impl Strategy<Value = Event> {
    let ids = (call_id(), call_id(), call_id());
    (ids, text(), json(), option::of((content(), any::<bool>()))).prop_map(
        |((root_call_id, parent_call_id, sub_call_id), name, arguments, ended)| match ended {
            None => PtcDispatchStart { root_call_id, parent_call_id, sub_call_id, name, arguments }
                .into(),
            Some((content, is_error)) => PtcDispatch {
                root_call_id,
                parent_call_id,
                sub_call_id,
                name,
                arguments,
                content,
                is_error,
            }
            .into(),
        },
    )
}

fn message() -> impl Strategy<Value = Event> {
    let call = (call_id(), text(), json()).prop_map(|(call_id, name, arguments)| RequestedCall {
        call_id,
        name,
        arguments,
    });
    let source = (text(), text()).prop_map(|(kind, name)| ContextSource { kind, name });
    prop_oneof![
        content().prop_map(|content| UserMessage { content }.into()),
        (text(), vec(call, 0..4)).prop_map(|(text, tool_calls)| AssistantMessage {
            text,
            tool_calls
        }
        .into()),
        (call_id(), source, content()).prop_map(|(call_id, source, content)| {
            ContextAdded::of_call(call_id, AdditionalContext { source, content }).into()
        }),
    ]
}

fn hook() -> impl Strategy<Value = Event> {
    let decision = prop_oneof![
        Just(HookDecision::Pass),
        Just(HookDecision::Deny),
        Just(HookDecision::ReplaceContent),
        Just(HookDecision::Failed),
    ];
    let common = || (option::of(any::<u64>()), text(), text(), option::of(call_id()));
    prop_oneof![
        (common(), text(), option::of(text())).prop_map(
            |((turn, point, handler_id, call_id), dialect, matcher)| {
                HookInvoked { turn, point, dialect, matcher, handler_id, call_id }.into()
            }
        ),
        (common(), decision, option::of(text()), option::of(any::<i32>()), any::<u64>()).prop_map(
            |((turn, point, handler_id, call_id), decision, reason, exit_code, duration_ms)| {
                let stderr_summary = reason.clone();
                HookResult {
                    turn,
                    point,
                    handler_id,
                    call_id,
                    decision,
                    reason,
                    exit_code,
                    stderr_summary,
                    duration_ms,
                }
                .into()
            }
        ),
    ]
}

/// What an entry may have at its top, over all kinds. `value` is not among it (contract X2).
const MEMBERS: &[&str] = &[
    "v",
    "seq",
    "at",
    "type",
    "content",
    "text",
    "toolCalls",
    "callId",
    "name",
    "arguments",
    "error",
    "meta",
    "rootCallId",
    "parentCallId",
    "subCallId",
    "isError",
    "source",
    "turn",
    "point",
    "dialect",
    "matcher",
    "handlerId",
    "decision",
    "reason",
    "exitCode",
    "stderrSummary",
    "durationMs",
];

fn check(format: LogFormat, events: &[Event]) {
    let store = store(format);
    let journal = store.journal();
    for event in events {
        journal.append(event).unwrap();
    }
    journal.close().unwrap();
    let entries = store.entries();
    assert_eq!(entries.len(), events.len() + 1);
    for (entry, event) in entries.iter().skip(1).zip(events) {
        assert_eq!(entry.record, Record::Event(event.clone()));
        let body = serde_json::to_string(event).unwrap();
        let head = format!(r#"{{"v":1,"seq":{},"at":{},"#, entry.seq, entry.at);
        assert_eq!(entry.line(), format!("{head}{}", body.strip_prefix('{').unwrap()));
        let members: Map<String, Value> = serde_json::from_str(entry.line()).unwrap();
        assert!(members.keys().all(|key| MEMBERS.contains(&key.as_str())), "{}", entry.line());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn l4_l6_x2_random_events_round_trip_byte_for_byte(
        events in vec(prop_oneof![direct(), dispatch(), message(), hook()], 1..8)
    ) {
        check(LogFormat::JsonLines, &events);
        #[cfg(feature = "sqlite")]
        check(LogFormat::Sqlite, &events);
    }
}
