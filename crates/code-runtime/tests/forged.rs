//! A worker that a program took over: it can say what it likes over its socket, and must not be believed.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use code_runtime::{Config, Ended, Limits, RunOutcome, Runtime, Worker};
use tempfile::TempDir;

use crate::support::{NAMES, Tools, alone, config, descendants, program, run_on};

/// Types of frames, as the protocol numbers them.
const SETUP: u8 = 1;
const RETURN: u8 = 3;
const HELLO: u8 = 16;
const STARTED: u8 = 17;
const LOG: u8 = 18;
const CALL: u8 = 19;
const DONE: u8 = 20;
const FAULT: u8 = 21;
const LIMIT: u8 = 22;

fn frame(kind: u8, id: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap();
    [&length.to_le_bytes(), &[kind][..], &id.to_le_bytes(), payload].concat()
}

fn hello() -> Vec<u8> {
    let version = env!("CARGO_PKG_VERSION");
    let length = u8::try_from(version.len()).unwrap();
    frame(HELLO, 0, &[&[length], version.as_bytes(), &[1, 0, 1, 1]].concat())
}

fn call(id: u32, bindings: u32, function: u32, value: &[u8]) -> Vec<u8> {
    let head = [bindings.to_le_bytes(), function.to_le_bytes()].concat();
    frame(CALL, id, &[&head, value].concat())
}

/// The outcome of a run whose worker says these bytes and then waits.
fn said(bytes: &[u8]) -> RunOutcome {
    let folder = TempDir::new().unwrap();
    let (script, words) = (folder.path().join("worker"), folder.path().join("words"));
    fs::write(&words, bytes).unwrap();
    let text =
        format!("#!/bin/sh\n/bin/cat '{}' >&0\nexec /bin/cat <&0 >/dev/null\n", words.display());
    fs::write(&script, text).unwrap();
    fs::set_permissions(&script, Permissions::from_mode(0o700)).unwrap();
    let limits = Limits {
        output_bytes: 64,
        value_bytes: 64,
        calls: 4,
        pending_calls: 2,
        ..Limits::default()
    };
    let config = Config { worker: Worker::Path(script), ..config(limits) };
    let runtime = Runtime::new(config).unwrap();
    let outcome = run_on(&runtime, program("return 1"), &Tools);
    drop(runtime);
    assert_eq!(descendants(), Vec::<i32>::new());
    outcome
}

#[test]
fn what_keeps_to_the_protocol_is_believed() {
    let _alone = alone();
    let echo = u32::try_from(NAMES.iter().position(|&name| name == "echo").unwrap()).unwrap();
    let words = [
        hello(),
        frame(STARTED, 0, &[]),
        frame(LOG, 0, b"a"),
        call(1, 0, echo, &[0]),
        frame(DONE, 1, &[3, 7]),
    ];
    let outcome = said(&words.concat());
    assert_eq!(outcome.result().unwrap().to_string(), "7", "{outcome:?}");
    assert_eq!(outcome.logs, ["a"]);
    assert_eq!(outcome.calls.len(), 1);
}

#[test]
fn what_does_not_is_not() {
    let _alone = alone();
    let started = [hello(), frame(STARTED, 0, &[])].concat();
    let after = |bytes: Vec<u8>| [started.clone(), bytes].concat();
    for (what, bytes) in [
        ("nothing before the greeting", frame(DONE, 0, &[])),
        ("another version", frame(HELLO, 0, &[1, b'9', 1, 0, 1, 1])),
        ("half a greeting", frame(HELLO, 0, &[])),
        ("two greetings", [hello(), hello()].concat()),
        ("a frame of no kind", after(frame(99, 0, &[]))),
        ("a frame without end", after(vec![0xff, 0xff, 0xff, 0xff, LOG, 0, 0, 0, 0])),
        ("a frame of the host", after(frame(RETURN, 1, &[0]))),
        ("a setup", after(frame(SETUP, 0, &[0; 12]))),
        ("a call before the start", [hello(), call(1, 0, 0, &[0])].concat()),
        ("a call of no bindings", after(call(1, 7, 0, &[0]))),
        ("a call of no function", after(call(1, 0, 4_000_000_000, &[0]))),
        ("a call out of order", after(call(2, 0, 0, &[0]))),
        ("a call twice", after([call(1, 0, 3, &[0]), call(1, 0, 3, &[0])].concat())),
        ("half a call", after(frame(CALL, 1, &[0; 7]))),
        ("a call without a value", after(call(1, 0, 0, &[]))),
        ("a call with two values", after(call(1, 0, 0, &[0, 0]))),
        ("a value of no kind", after(call(1, 0, 0, &[77]))),
        ("an array longer than its bytes", after(call(1, 0, 0, &[7, 0xff, 0xff, 0xff, 0x7f]))),
        ("a key never spelled", after(call(1, 0, 0, &[8, 9, 0, 0]))),
        ("a key twice", after(call(1, 0, 0, &[8, 1, 1, b'a', 0, 1, 0, 0]))),
        ("text that is none", after(call(1, 0, 0, &[6, 1, 0xff]))),
        ("not a number", after(call(1, 0, 0, &[5, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f]))),
        ("negative zero", after(call(1, 0, 0, &[5, 0, 0, 0, 0, 0, 0, 0, 0x80]))),
        ("a value too large", after(call(1, 0, 0, &[&[6, 80][..], &[b'x'; 80]].concat()))),
        (
            "too many calls at one time",
            after((1..=3).flat_map(|id| call(id, 0, 3, &[0])).collect()),
        ),
        ("a line that is no text", after(frame(LOG, 0, &[0xff]))),
        ("a line too long", after(frame(LOG, 0, &[b'x'; 65]))),
        ("too many lines", after((0..99).flat_map(|_| frame(LOG, 0, b"")).collect())),
        ("a result too long", after(frame(DONE, 1, &[&[6, 70][..], &[b'x'; 70]].concat()))),
        ("half a fault", after(frame(FAULT, 1, &[1, b'x']))),
        ("a limit of no name", after(frame(LIMIT, 77, &[]))),
    ] {
        let outcome = said(&bytes);
        let Ended::Broken(why) = &outcome.ended else { panic!("{what}: {outcome:?}") };
        assert!(why.starts_with("it sent "), "{what}: {why}");
    }
}

#[test]
fn a_place_that_does_not_exist_is_not_shown() {
    let _alone = alone();
    let fault = [&[1, b'E', 1, b'm'][..], &[0xff, 0xff, 0xff, 0xff, 0x0f, 1]].concat();
    let outcome = said(&[hello(), frame(STARTED, 0, &[]), frame(FAULT, 1, &fault)].concat());
    assert_eq!(outcome.failure().as_deref(), Some("E: m"));
}
