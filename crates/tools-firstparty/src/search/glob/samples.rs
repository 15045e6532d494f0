//! Example calls of `glob`.

use contract_registry::samples::{Sample, ToolSamples};
use serde_json::json;

use super::{Glob, GlobValue};
use crate::search::incomplete::{Incomplete, Reason};

impl ToolSamples for Glob {
    fn samples(&self) -> Vec<Sample<GlobValue>> {
        let max = self.caps.page_max_paths;
        vec![
            Sample {
                name: "some files",
                args: json!({ "pattern": "*.rs" }),
                value: all(&["src/main.rs", "src/lib.rs", "build.rs"]),
            },
            Sample { name: "none", args: json!({ "pattern": "*.zig" }), value: all(&[]) },
            Sample {
                name: "outside the workspace",
                args: json!({ "pattern": "*.conf", "path": "/etc" }),
                value: all(&["/etc/host.conf"]),
            },
            Sample {
                name: "odd names",
                args: json!({ "pattern": "{*,.env}" }),
                value: all(&[".env", "a b", "it's \"x\"", "line\nbreak", "é/😀.txt", "-n"]),
            },
            Sample {
                name: "flat and too many",
                args: json!({ "pattern": "*.log" }),
                value: GlobValue { paths: numbered("logs", max + 1), incomplete: None },
            },
            Sample {
                name: "too many in several folders",
                args: json!({ "pattern": "**/*.log" }),
                value: GlobValue {
                    paths: [numbered("big", max), numbered("small", 3)].concat(),
                    incomplete: None,
                },
            },
            Sample {
                name: "incomplete",
                args: json!({ "pattern": "*" }),
                value: GlobValue {
                    paths: vec!["a".to_owned(), "b\u{FFFD}".to_owned()],
                    incomplete: Some(Incomplete {
                        reasons: vec![Reason::Unreadable, Reason::ByteBudget],
                        skipped: Some(2),
                        lossy_names: Some(1),
                    }),
                },
            },
        ]
    }
}

fn all(paths: &[&str]) -> GlobValue {
    GlobValue { paths: paths.iter().map(ToString::to_string).collect(), incomplete: None }
}

fn numbered(folder: &str, count: usize) -> Vec<String> {
    (1..=count).map(|number| format!("{folder}/{number:03}.log")).collect()
}
