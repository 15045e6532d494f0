//! The reader: the standard's test suite, positions, and what is refused beyond the standard.

use std::fs;

use contract_schema::{Json, ReadFault};

use crate::support::{say, skipped, suite};

fn refused(text: &str) -> (ReadFault, usize, usize) {
    let error = Json::parse(text).unwrap_err();
    (error.fault(), error.line(), error.column())
}

fn round(text: &str) -> String {
    Json::parse(text).unwrap().to_string()
}

#[test]
fn the_json_test_suite_is_read_and_refused_as_it_should_be() {
    let Some(schemas) = suite::folder() else {
        return skipped("JSONTestSuite", "no suites; set TENON_SUITES");
    };
    let folder = schemas.with_file_name("json-parsing").join("test_parsing");
    let mut counts = [0; 3];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let bytes = fs::read(&path).unwrap();
        let read = Json::parse_bytes(&bytes);
        match &name[..2] {
            "y_" if name.contains("duplicated_key") => {
                assert_eq!(read.unwrap_err().fault(), ReadFault::DuplicateKey, "{name}");
                counts[1] += 1;
            }
            "y_" => {
                let json = read.unwrap_or_else(|error| panic!("{name}: {error}"));
                assert_eq!(Json::parse(&json.to_string()).unwrap(), json, "{name}");
                counts[0] += 1;
            }
            "n_" => {
                let error = read.expect_err(&name);
                assert!(error.offset() <= bytes.len() && error.line() > 0, "{name}");
                counts[1] += 1;
            }
            // Left open by the standard: read exactly or refused, never both, never a crash.
            _ => {
                if let Ok(json) = read {
                    assert_eq!(Json::parse(&json.to_string()).unwrap(), json, "{name}");
                }
                counts[2] += 1;
            }
        }
    }
    let [read, refused, open] = counts;
    say(&format!(
        "JSONTestSuite: {read} read, {refused} refused, {open} left open by the standard"
    ));
    assert!(counts.iter().sum::<i32>() > 250);
}

#[test]
fn integers_and_floats_are_told_apart() {
    assert_eq!(
        round("[-0, 0, 18446744073709551615, -9223372036854775808]"),
        "[0,0,18446744073709551615,-9223372036854775808]"
    );
    assert_eq!(round("[1.0, 1e2, 0.0, 1E-2]"), "[1.0,100.0,0.0,0.01]");
    for (text, fault) in [
        ("18446744073709551616", ReadFault::IntegerOutOfRange),
        ("-9223372036854775809", ReadFault::IntegerOutOfRange),
        ("100000000000000000000000", ReadFault::IntegerOutOfRange),
        ("-0.0", ReadFault::NegativeZero),
        ("-0e1", ReadFault::NegativeZero),
        ("-1e-999", ReadFault::NegativeZero),
        ("1e999", ReadFault::NumberOutOfRange),
        ("-1e999", ReadFault::NumberOutOfRange),
        ("01", ReadFault::InvalidNumber),
        ("-01", ReadFault::InvalidNumber),
    ] {
        assert_eq!(Json::parse(text).unwrap_err().fault(), fault, "{text}");
        let error = Json::parse(&format!("{{\"a\": [1, {text}]}}")).unwrap_err();
        assert_eq!((error.fault(), error.path()), (fault, "/a/1"), "{text}");
    }
}

#[test]
fn a_fault_is_reported_where_it_is() {
    assert_eq!(refused(""), (ReadFault::UnexpectedEnd("a value"), 1, 1));
    assert_eq!(
        refused("{\n  \"é\": tru\n}"),
        (ReadFault::Expected("a value (true, false or null is misspelt)"), 2, 8)
    );
    assert_eq!(refused("[1 2]"), (ReadFault::Expected("`,` or `]`"), 1, 4));
    assert_eq!(refused("{\"a\" 1}"), (ReadFault::Expected("`:` after a key"), 1, 6));
    assert_eq!(refused("{'a': 1}"), (ReadFault::Expected("a key in double quotes"), 1, 2));
    assert_eq!(refused("[1,]"), (ReadFault::Expected("a value"), 1, 4));
    assert_eq!(refused("[1] x"), (ReadFault::Trailing, 1, 5));
    assert_eq!(refused("\"a\nb\""), (ReadFault::ControlCharacter, 1, 3));
    assert_eq!(refused("\"\\x\""), (ReadFault::InvalidEscape, 1, 2));
    assert_eq!(refused("\"ab\\ud800\""), (ReadFault::LoneSurrogate, 1, 4));
    assert_eq!(refused("\"\\ud800\\u0041\""), (ReadFault::LoneSurrogate, 1, 2));
    assert_eq!(refused("\"\\udc00\""), (ReadFault::LoneSurrogate, 1, 2));
    assert_eq!(refused("\"abc"), (ReadFault::UnexpectedEnd("the closing quote of a string"), 1, 5));
    assert_eq!(refused("\u{feff}{}").0, ReadFault::Expected("a value"));
    let bytes = Json::parse_bytes(b"[\"a\xff\"]").unwrap_err();
    assert_eq!((bytes.fault(), bytes.offset()), (ReadFault::NotUtf8, 3));
}

#[test]
fn the_message_has_fault_position_and_path() {
    let error = Json::parse("{\n\"list\": [1, -0.0]}").unwrap_err();
    assert_eq!(
        error.to_string(),
        "negative zero as a float; write 0 at line 2, column 13 (in /list/1)"
    );
}

#[test]
fn duplicate_keys_are_refused_whatever_their_spelling() {
    for text in [r#"{"a":1,"a":1}"#, r#"{"a":1,"\u0061":2}"#, r#"{"b":{},"a":[],"a":{}}"#] {
        let error = Json::parse(text).unwrap_err();
        assert_eq!((error.fault(), error.path()), (ReadFault::DuplicateKey, "/a"), "{text}");
    }
    assert!(Json::parse(r#"{"a":{"a":{"a":1}},"b":{"a":1}}"#).is_ok());
    // At the second key, wherever its object ends.
    assert_eq!(
        refused("[{\"a\":{},\n \"b\":[{\"a\":1}],\"a\" : 2}, 7]"),
        (ReadFault::DuplicateKey, 2, 16)
    );
}

#[test]
fn escapes_and_surrogate_pairs_are_read() {
    let json = Json::parse(r#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\u0000""#).unwrap();
    assert_eq!(json.root().as_str(), Some("\"\\/\u{8}\u{c}\n\r\té😀\0"));
}

#[test]
fn a_million_levels_and_a_long_line_are_errors_with_a_position() {
    let deep = "[".repeat(1_000_000);
    assert_eq!(refused(&deep), (ReadFault::TooDeep, 1, 128));
    let message = Json::parse(&"{\"a\":".repeat(1_000_000)).unwrap_err().to_string();
    assert!(message.len() < 200, "{message}");
}

#[test]
fn views_find_what_is_there() {
    let json = Json::parse(r#"{"a":[{"b":null},2,[3,4]],"~/":true,"":-1}"#).unwrap();
    let root = json.root();
    assert_eq!(root.len(), 3);
    assert_eq!(root.pointer("/a/2/1").unwrap().as_u64(), Some(4));
    assert!(root.pointer("/a/0/b").unwrap().is_null());
    assert_eq!(root.pointer("/~0~1").unwrap().as_bool(), Some(true));
    assert_eq!(root.pointer("/").unwrap().as_i64(), Some(-1));
    assert!(root.pointer("/a/9").is_none() && root.pointer("/a/x").is_none());
    assert!(root.pointer("a").is_none() && root.get("zzz").is_none());
    assert_eq!(root.members().map(|(key, _)| key).collect::<Vec<_>>(), ["a", "~/", ""]);
    assert_eq!(root.get("a").unwrap().elements().len(), 3);
    assert_eq!(format!("{:?}", root.get("a").unwrap().at(2).unwrap()), "[3,4]");
}
