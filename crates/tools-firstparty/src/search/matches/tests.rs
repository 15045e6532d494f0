//! The list behaves as a plain `Vec` of matches does, in every form.

use contract_schema::Json;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// A match as a plain list has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Plain {
    path: String,
    line_number: u64,
    line: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    line_bytes: Option<NonZeroU64>,
}

impl Plain {
    fn found(&self) -> GrepMatch<'_> {
        GrepMatch {
            path: &self.path,
            line_number: self.line_number,
            line: &self.line,
            line_bytes: self.line_bytes,
        }
    }
}

fn of(plain: &[Plain]) -> Matches {
    plain.iter().map(Plain::found).collect()
}

fn plain() -> impl Strategy<Value = Vec<Plain>> {
    let text = "[aé😀\n\"]{0,4}";
    let one = ("[ab]{0,2}", any::<u64>(), text, any::<Option<NonZeroU64>>());
    let one = one.prop_map(|(path, line_number, line, line_bytes)| Plain {
        path,
        line_number,
        line,
        line_bytes,
    });
    proptest::collection::vec(one, 0..20)
}

proptest! {
    #[test]
    fn it_reads_and_writes_as_a_plain_list(plain in plain(), max in 0usize..25) {
        let matches = of(&plain);
        prop_assert_eq!(matches.len(), plain.len());
        prop_assert_eq!(matches.is_empty(), plain.is_empty());
        prop_assert!(matches.iter().eq(plain.iter().map(Plain::found)));
        let snapshot = Json::snapshot(&matches).expect("a snapshot");
        prop_assert_eq!(&snapshot, &Json::snapshot(&plain).expect("a snapshot"));
        prop_assert_eq!(&snapshot.to_typed::<Matches>().expect("reads back"), &matches);
        let text = serde_json::to_string(&plain).expect("json");
        prop_assert_eq!(&serde_json::to_string(&matches).expect("json"), &text);
        prop_assert_eq!(&serde_json::from_str::<Matches>(&text).expect("reads back"), &matches);
        let tree: Value = serde_json::from_str(&text).expect("json");
        prop_assert_eq!(&serde_json::from_value::<Matches>(tree).expect("reads back"), &matches);

        let page = plain.get(..max).unwrap_or(&plain);
        let files: Vec<Vec<GrepMatch<'_>>> =
            page.chunk_by(|a, b| a.path == b.path).map(|file| file.iter().map(Plain::found).collect()).collect();
        let found: Vec<Vec<GrepMatch<'_>>> =
            matches.files(max).map(|file| file.matches().collect()).collect();
        prop_assert_eq!(found, files);
    }

    #[test]
    fn lists_are_equal_when_their_matches_are(a in plain(), b in plain()) {
        prop_assert_eq!(of(&a) == of(&b), a == b);
    }

    #[test]
    fn parts_of_several_threads_are_one_list(plain in plain(), split in 0usize..20) {
        let mut parts = vec![Lines::default(), Lines::default()];
        let mut places = Vec::new();
        for (at, one) in plain.iter().enumerate() {
            let part = usize::from(at % 3 == split % 3);
            parts[part].add_text(&one.line);
            parts[part].end_line(one.line_number, one.line_bytes);
            places.push((part, parts[part].len()));
        }
        let mut matches = Matches::of(parts);
        for ((part, end), one) in places.into_iter().zip(&plain) {
            matches.add_file(part, end - 1..end, |path| path.push_str(&one.path));
        }
        prop_assert_eq!(&matches, &of(&plain));
        matches.push(GrepMatch { path: "z", line_number: 1, line: "last", line_bytes: None });
        prop_assert_eq!(matches.iter().last().map(|found| found.line), Some("last"));
    }
}

#[test]
fn a_path_that_repeats_is_kept_once() {
    let found = |path, line| GrepMatch { path, line_number: 1, line, line_bytes: None };
    let matches: Matches =
        [found("a", "x"), found("a", "y"), found("b", "z")].into_iter().collect();
    assert_eq!((matches.paths.as_str(), matches.files.len()), ("ab", 2));
    let read: Matches =
        Json::snapshot(&matches).expect("a snapshot").to_typed().expect("reads back");
    assert_eq!((read.paths.as_str(), read.files.len()), ("ab", 2));
}

#[test]
fn fields_come_in_any_order() {
    let list = json!([
        { "line": "x", "lineBytes": 9, "lineNumber": 4, "path": "a" },
        { "lineNumber": 5, "line": "y", "path": "a", "lineBytes": null },
    ]);
    let matches: Matches = serde_json::from_value(list).expect("a list");
    let nine = NonZeroU64::new(9);
    let expected = [
        GrepMatch { path: "a", line_number: 4, line: "x", line_bytes: nine },
        GrepMatch { path: "a", line_number: 5, line: "y", line_bytes: None },
    ];
    assert!(matches.iter().eq(expected));
}

#[test]
fn an_integral_float_is_an_integer() {
    let list = Json::parse(r#"[{"path":"a","lineNumber":4.0,"line":"x","lineBytes":9.0}]"#);
    let matches: Matches = list.expect("json").to_typed().expect("a list");
    let found = matches.iter().next().expect("a match");
    assert_eq!((found.line_number, found.line_bytes), (4, NonZeroU64::new(9)));
}

#[test]
fn what_is_no_match_is_refused_with_its_place() {
    let good = r#"{"path":"a","lineNumber":1,"line":"x"}"#;
    for (bad, path, message) in [
        (r#"{"lineNumber":1,"line":"x"}"#, "/1", "missing field `path`"),
        (r#"{"path":"a","line":"x"}"#, "/1", "missing field `lineNumber`"),
        (r#"{"path":"a","lineNumber":1}"#, "/1", "missing field `line`"),
        (r#"{"path":"a","lineNumber":1,"line":"x","more":1}"#, "/1", "unknown field `more`"),
        (r#"{"path":1,"lineNumber":1,"line":"x"}"#, "/1/path", "expected a string"),
        (r#"{"path":"a","lineNumber":"1","line":"x"}"#, "/1/lineNumber", "expected u64"),
        (r#"{"path":"a","lineNumber":-1,"line":"x"}"#, "/1/lineNumber", "expected u64"),
        (r#"{"path":"a","lineNumber":1.5,"line":"x"}"#, "/1/lineNumber", "expected u64"),
        (r#"{"path":"a","lineNumber":1,"line":null}"#, "/1/line", "expected a string"),
        (r#"{"path":"a","lineNumber":1,"line":"x","lineBytes":0}"#, "/1/lineBytes", "nonzero"),
        (r#"{"path":"a","lineNumber":1,"line":"x","lineBytes":[]}"#, "/1/lineBytes", "nonzero"),
        (r#"["a",1,"x"]"#, "/1", "expected a match"),
        ("null", "/1", "expected a match"),
    ] {
        let list = Json::parse(&format!("[{good},{bad},{good}]")).expect("json");
        let error = list.to_typed::<Matches>().expect_err(bad);
        assert_eq!(error.path(), path, "{bad}");
        assert!(error.message().contains(message), "{bad}: {error}");
    }
    for bad in ["{}", "null", "\"a\"", "1"] {
        let error = Json::parse(bad).expect("json").to_typed::<Matches>().expect_err(bad);
        assert!(error.message().contains("expected an array of matches"), "{bad}: {error}");
    }
    let twice = r#"[{"path":"a","path":"a","lineNumber":1,"line":"x"}]"#;
    let error = serde_json::from_str::<Matches>(twice).expect_err("twice").to_string();
    assert!(error.contains("duplicate field `path`"), "{error}");
}

#[test]
fn the_schema_is_that_of_a_plain_list() {
    let plain = schemars::schema_for!(Vec<GrepMatch<'static>>);
    let own = schemars::schema_for!(Matches);
    assert_eq!(own, plain);
}

#[test]
fn a_list_shows_its_matches() {
    let matches: Matches = [GrepMatch { path: "a", line_number: 1, line: "x", line_bytes: None }]
        .into_iter()
        .collect();
    let shown = r#"[GrepMatch { path: "a", line_number: 1, line: "x", line_bytes: None }]"#;
    assert_eq!(format!("{matches:?}"), shown);
}
