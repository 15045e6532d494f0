//! Example calls of `grep`.

use std::num::NonZeroU64;

use contract_registry::samples::{Sample, ToolSamples};
use serde_json::json;

use super::{Grep, GrepValue};
use crate::search::incomplete::{Incomplete, Reason};
use crate::search::matches::GrepMatch;

impl ToolSamples for Grep {
    fn samples(&self) -> Vec<Sample<GrepValue>> {
        let max = self.caps.page_max_matches;
        vec![
            Sample {
                name: "two files",
                args: json!({ "pattern": "fn \\w+" }),
                value: all(vec![
                    found("src/lib.rs", 3, "pub fn add(a: i32, b: i32) -> i32 {"),
                    found("src/lib.rs", 12, "    fn helper() {"),
                    found("src/main.rs", 1, "fn main() {"),
                ]),
            },
            Sample {
                name: "one match",
                args: json!({ "pattern": "TODO", "path": "src", "include": "*.{ts,tsx}" }),
                value: all(vec![found("src/a.ts", 7, "// TODO: name it")]),
            },
            Sample { name: "none", args: json!({ "pattern": "zzz" }), value: all(vec![]) },
            Sample {
                name: "text of all kinds",
                args: json!({ "pattern": "." }),
                value: all(vec![
                    found("odd\nname", 1, "\ttab, trailing space "),
                    found("odd\nname", 2, "é 😀 \u{FFFD} a\rb"),
                ]),
            },
            Sample {
                name: "long lines",
                args: json!({ "pattern": "x", "path": "app.min.js" }),
                value: all(vec![
                    found("app.min.js", 1, &"x".repeat(self.caps.line_max_bytes)),
                    found("app.min.js", 2, &"é".repeat(self.caps.line_max_bytes / 2 + 1)),
                    GrepMatch {
                        line_bytes: NonZeroU64::new(812_345),
                        ..found("app.min.js", 3, "var x=1,")
                    },
                ]),
            },
            Sample {
                name: "more than a page",
                args: json!({ "pattern": "row" }),
                value: all(rows(max + 1)),
            },
            Sample {
                name: "incomplete",
                args: json!({ "pattern": "x" }),
                value: GrepValue {
                    matches: [found("a", 1, "x")].into_iter().collect(),
                    incomplete: Some(Incomplete {
                        reasons: vec![Reason::Unreadable, Reason::Timeout],
                        skipped: Some(1),
                        lossy_names: None,
                    }),
                },
            },
        ]
    }
}

fn all(matches: Vec<GrepMatch<'_>>) -> GrepValue {
    GrepValue { matches: matches.into_iter().collect(), incomplete: None }
}

fn found<'m>(path: &'m str, line_number: u64, line: &'m str) -> GrepMatch<'m> {
    GrepMatch { path, line_number, line, line_bytes: None }
}

fn rows(count: usize) -> Vec<GrepMatch<'static>> {
    (1..).take(count).map(|number| found("rows.txt", number, "row")).collect()
}
