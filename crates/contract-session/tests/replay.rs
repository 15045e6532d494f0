//! Replay: the bytes that were shown.

use std::io;

use contract_schema::ContentBlock;
use contract_session::event::{Event, ToolResult};
use contract_session::replay::{self, ReplayError};
use contract_session::{LogFormat, native};

use crate::support::{
    Store, assistant, call, context, failure, id, json, nested, nested_start, one_of_each, result,
    store, user,
};

each_format!(
    l4_replay_gives_content_and_meta_as_they_were,
    l4_text_is_what_the_calls_printed,
    l4_lines_are_the_entries_of_the_log,
    l4_replay_tells_of_calls_without_a_result,
);

fn filled(format: LogFormat, events: &[Event]) -> Store {
    let store = store(format);
    let journal = store.journal();
    for event in events {
        journal.append(event).unwrap();
    }
    journal.close().unwrap();
    store
}

/// Results with every byte that could get lost on the way.
fn awkward() -> Vec<ToolResult> {
    let blocks = |blocks: &[&str]| blocks.iter().map(|text| ContentBlock::text(*text)).collect();
    let result = |content, meta: Option<&str>| ToolResult {
        call_id: "call-1".into(),
        name: "t".to_owned(),
        content,
        error: None,
        meta: meta.map(json),
    };
    vec![
        result(blocks(&["no line feed"]), None),
        result(
            blocks(&["line\n\n", "", "\r\ttab \u{0}\u{7f}\u{2028}\u{feff}\u{10ffff}"]),
            Some("null"),
        ),
        result(vec![], Some(r#"{"b":1,"a":[1.0,1e-7,0.30000000000000004,12345678901234567890]}"#)),
        result(vec![ContentBlock::image("image/png", "AAAA")], Some("[{},[],\"\"]")),
    ]
}

fn l4_replay_gives_content_and_meta_as_they_were(format: LogFormat) {
    let shown = awkward();
    let events: Vec<Event> = shown.iter().cloned().map(Event::from).collect();
    let store = filled(format, &events);
    let replayed: Vec<_> =
        replay::results(store.sessions.read(&id("s")).unwrap()).map(Result::unwrap).collect();
    assert_eq!(replayed, shown);
    for (now, then) in replayed.iter().zip(&shown) {
        assert_eq!(
            now.meta.as_ref().map(ToString::to_string),
            then.meta.as_ref().map(ToString::to_string)
        );
    }
}

fn l4_text_is_what_the_calls_printed(format: LogFormat) {
    let mut printed = Vec::new();
    let mut events = Vec::new();
    for result in awkward() {
        native::write_native(&result.content, &mut printed).unwrap();
        events.extend([call("call-1"), nested_start("s"), nested("s", "not shown"), result.into()]);
        events.push(context("call-1", "not printed"));
    }
    events.push(failure("call-1", "no"));
    printed.extend_from_slice(b"Error: no\n");
    events.extend([user("typed"), assistant("said", &[]), assistant("", &[])]);
    printed.extend_from_slice(b"said\n");
    let store = filled(format, &events);
    let mut shown = Vec::new();
    let report = replay::write_text(store.sessions.read(&id("s")).unwrap(), &mut shown).unwrap();
    assert_eq!(shown, printed);
    assert_eq!((report.entries, report.results), (events.len() as u64 + 1, 5));
    assert!(report.unanswered.is_empty() && report.unknown.is_empty() && report.torn.is_none());
}

fn l4_lines_are_the_entries_of_the_log(format: LogFormat) {
    let store = filled(format, &one_of_each());
    let mut shown = Vec::new();
    replay::write_json(store.sessions.read(&id("s")).unwrap(), &mut shown).unwrap();
    let lines: String = store.entries().iter().map(|entry| format!("{}\n", entry.line())).collect();
    assert_eq!(String::from_utf8(shown).unwrap(), lines);
    assert_eq!(lines.lines().count(), one_of_each().len() + 1);
}

fn l4_replay_tells_of_calls_without_a_result(format: LogFormat) {
    let store = filled(format, &[call("a"), call("b"), result("a", "x"), call("a")]);
    let report =
        replay::write_text(store.sessions.read(&id("s")).unwrap(), &mut io::sink()).unwrap();
    let ids: Vec<_> = report.unanswered.iter().map(|call| call.call_id.as_str()).collect();
    assert_eq!(ids, ["b", "a"]);
}

#[test]
fn l4_json_lines_are_replayed_byte_for_byte_with_kinds_not_known() {
    let store = filled(LogFormat::JsonLines, &one_of_each());
    let mut log = std::fs::read(store.log()).unwrap();
    let seq = one_of_each().len() + 2;
    log.extend(format!("{{\"v\":1,\"seq\":{seq},\"at\":1,\"type\":\"plan/mode\"}}\n").bytes());
    std::fs::write(store.log(), [&log[..], b"{\"v\":"].concat()).unwrap();
    let mut shown = Vec::new();
    let report = replay::write_json(store.sessions.read(&id("s")).unwrap(), &mut shown).unwrap();
    assert_eq!(shown, log);
    assert_eq!(report.unknown.get("plan/mode"), Some(&1));
    assert_eq!(report.torn.unwrap().dropped_bytes, 5);
}

#[test]
fn l4_what_stands_before_damage_is_replayed() {
    let store = filled(LogFormat::JsonLines, &[result("a", "shown")]);
    let mut log = std::fs::read(store.log()).unwrap();
    log.extend_from_slice(b"garbage\n{}\n");
    std::fs::write(store.log(), log).unwrap();
    let mut shown = Vec::new();
    let error = replay::write_text(store.sessions.read(&id("s")).unwrap(), &mut shown).unwrap_err();
    assert!(matches!(error, ReplayError::Log(_)));
    assert!(error.to_string().contains("line 3"), "{error}");
    assert_eq!(shown, b"shown\n");
}

#[test]
fn l4_an_output_that_ends_early_ends_the_replay() {
    let store = filled(LogFormat::JsonLines, &[result("a", "shown")]);
    let mut none: &mut [u8] = &mut [];
    let error = replay::write_text(store.sessions.read(&id("s")).unwrap(), &mut none).unwrap_err();
    assert!(matches!(error, ReplayError::Output(_)), "{error}");
}
