//! The rules of the contract that one journal shows.

use contract_session::event::{Event, Record, ToolCall, ToolFailure, ToolResult};
use contract_session::{LogFormat, SessionError, code};

use crate::support::{
    assistant, call, context, failure, id, json, nested, nested_start, one_of_each, opening,
    result, store, text, user,
};

each_format!(
    l1_entries_are_appended_and_kept_in_order,
    l1_a_resumed_log_goes_on_where_it_ended,
    l1_a_closed_log_takes_no_more,
    l1_a_reader_sees_what_was_appended_before_it_began,
    l2_a_result_has_exactly_these_members,
    l3_a_nested_result_has_exactly_these_members_after_its_start,
    l6_every_kind_has_its_wire_form,
    l6_the_first_entry_is_session_open,
    l6_documents_as_deep_as_documents_may_be_fit_in,
    l6_numbers_keep_their_digits,
    x2_no_kind_of_entry_has_a_value,
);

/// Appends the events and gives the entries' text from `"type"` on.
fn logged(format: LogFormat, events: &[Event]) -> Vec<String> {
    let store = store(format);
    let journal = store.journal();
    for event in events {
        journal.append(event).unwrap();
    }
    let entries = store.entries();
    assert_eq!(entries.len(), events.len() + 1);
    let wire = entries.into_iter().skip(1).zip(events).map(|(entry, event)| {
        assert_eq!(entry.record, Record::Event(event.clone()));
        let head = format!(r#"{{"v":1,"seq":{},"at":{},"#, entry.seq, entry.at);
        entry.line().strip_prefix(&head).unwrap().to_owned()
    });
    wire.collect()
}

fn l1_entries_are_appended_and_kept_in_order(format: LogFormat) {
    let store = store(format);
    let journal = store.journal();
    let mut stamps = Vec::new();
    for event in &one_of_each() {
        stamps.push(journal.append(event).unwrap());
    }
    let read = store.entries();
    assert_eq!(read.len(), stamps.len() + 1);
    for (entry, stamp) in read.iter().skip(1).zip(&stamps) {
        assert_eq!((entry.seq, entry.at), (stamp.seq, stamp.at));
    }
    assert!(read.iter().map(|entry| entry.seq).eq(1..=read.len() as u64));
}

fn l1_a_resumed_log_goes_on_where_it_ended(format: LogFormat) {
    let store = store(format);
    for round in 0..3 {
        let opened = store.sessions.resume_or_create(&id("s"), &opening()).unwrap();
        assert_eq!((opened.created, opened.recovery), (round == 0, None));
        let seq = opened.journal.append(&user("again")).unwrap().seq;
        assert_eq!(seq, round + 2);
        opened.journal.close().unwrap();
    }
    assert_eq!(store.entries().len(), 4);
}

fn l1_a_closed_log_takes_no_more(format: LogFormat) {
    let store = store(format);
    let journal = store.journal();
    journal.close().unwrap();
    journal.close().unwrap();
    let error = journal.append(&user("late")).unwrap_err();
    assert!(matches!(error, SessionError::Closed));
    assert_eq!(error.code(), code::SESSION_WRITE_FAILED);
    assert!(matches!(journal.entries().unwrap_err(), SessionError::Closed));
    assert!(matches!(journal.sync().unwrap_err(), SessionError::Closed));
    assert_eq!(store.entries().len(), 1);
}

fn l1_a_reader_sees_what_was_appended_before_it_began(format: LogFormat) {
    let store = store(format);
    let journal = store.journal();
    for _ in 0..200 {
        journal.append(&user("before")).unwrap();
    }
    let entries = journal.entries().unwrap();
    journal.append(&user("after")).unwrap();
    assert_eq!(entries.map(Result::unwrap).count(), 201);
    assert_eq!(journal.entries().unwrap().count(), 202);
}

fn l2_a_result_has_exactly_these_members(format: LogFormat) {
    let full = ToolResult {
        call_id: "c".into(),
        name: "read".to_owned(),
        content: text("a\u{0}\n\u{1b}é"),
        error: Some(ToolFailure { message: "no".to_owned(), info: None }),
        meta: Some(json(r#"{"z":[1,2.0,null],"a":"\u0001"}"#)),
    };
    let wire = logged(format, &[result("c", ""), full.into(), failure("c", "m")]);
    let expected = [
        r#""type":"tool/result","callId":"c","name":"t","content":[{"type":"text","text":""}]}"#,
        r#""type":"tool/result","callId":"c","name":"read","content":[{"type":"text","text":"a\u0000\n\u001bé"}],"error":{"message":"no"},"meta":{"z":[1,2.0,null],"a":"\u0001"}}"#,
        r#""type":"tool/result","callId":"c","name":"t","content":[{"type":"text","text":"Error: m"}],"error":{"message":"m","info":{"name":"ToolError","code":"BAD"}},"meta":null}"#,
    ];
    assert_eq!(wire, expected);
}

fn l3_a_nested_result_has_exactly_these_members_after_its_start(format: LogFormat) {
    let wire = logged(format, &[nested_start("s"), nested("s", "x")]);
    let expected = [
        r#""type":"tool/ptc-dispatch-start","rootCallId":"root","parentCallId":"parent","subCallId":"s","name":"t","arguments":[1.5]}"#,
        r#""type":"tool/ptc-dispatch","rootCallId":"root","parentCallId":"parent","subCallId":"s","name":"t","arguments":[1.5],"content":[{"type":"text","text":"x"}],"isError":true}"#,
    ];
    assert_eq!(wire, expected);
}

fn l6_every_kind_has_its_wire_form(format: LogFormat) {
    let mut events = vec![user("u"), assistant("t", &["a"]), assistant("", &[]), call("a")];
    events.push(context("a", "x"));
    events.extend(crate::support::hooks());
    let expected = [
        r#""type":"user/message","content":[{"type":"text","text":"u"}]}"#,
        r#""type":"assistant/message","text":"t","toolCalls":[{"callId":"a","name":"t","arguments":{}}]}"#,
        r#""type":"assistant/message","text":"","toolCalls":[]}"#,
        r#""type":"tool/call","callId":"a","name":"t","arguments":{"n":9007199254740993}}"#,
        r#""type":"context/added","callId":"a","source":{"kind":"hook","name":"h"},"content":[{"type":"text","text":"x"}]}"#,
        r#""type":"hook/invoked","turn":1,"point":"PreToolUse","dialect":"claude","matcher":"Bash","handlerId":"hooks.json:3","callId":"a"}"#,
        r#""type":"hook/result","point":"PreToolUse","handlerId":"hooks.json:3","decision":"replaceValue","exitCode":-1,"stderrSummary":"no\n","durationMs":12}"#,
    ];
    assert_eq!(logged(format, &events), expected);
}

fn l6_the_first_entry_is_session_open(format: LogFormat) {
    let store = store(format);
    drop(store.journal());
    let entries = store.entries();
    let [first] = &entries[..] else { panic!("{entries:?}") };
    let expected = format!(
        r#"{{"v":1,"seq":1,"at":{},"type":"session/open","sessionId":"s","program":"test","programVersion":"0.0.1","workspaceRoot":"/w"}}"#,
        first.at
    );
    assert_eq!(first.line(), expected);
    assert_eq!(first.record.kind(), "session/open");
    assert!(first.event().is_none());
}

fn l6_documents_as_deep_as_documents_may_be_fit_in(format: LogFormat) {
    let deep = json(&format!("{}{}", "[".repeat(127), "]".repeat(127)));
    let mut step = assistant("", &["a"]);
    if let Event::AssistantMessage(message) = &mut step {
        message.tool_calls[0].arguments = deep.clone();
    }
    let begun = ToolCall { call_id: "a".into(), name: "t".to_owned(), arguments: deep.clone() };
    let mut ended = result("a", "");
    if let Event::ToolResult(result) = &mut ended {
        result.meta = Some(deep);
    }
    logged(format, &[step, begun.into(), ended]);
}

fn l6_numbers_keep_their_digits(format: LogFormat) {
    let numbers =
        "[18446744073709551615,-9223372036854775808,9007199254740993,0.1,1e300,5e-324,1.0]";
    let arguments = json(numbers);
    let shown = arguments.to_string();
    let event = ToolCall { call_id: "a".into(), name: "t".to_owned(), arguments };
    let wire = logged(format, &[event.into()]);
    assert!(wire[0].ends_with(&format!("\"arguments\":{shown}}}")), "{}", wire[0]);
}

fn x2_no_kind_of_entry_has_a_value(format: LogFormat) {
    for wire in logged(format, &one_of_each()) {
        assert!(!wire.contains("\"value\":"), "{wire}");
    }
}
