//! Tools whose values have the shapes and sizes of real ones: a write, a read page, a large grep.

use std::sync::{Arc, Mutex};

use contract_registry::{CallContext, Tool, ToolError};
use contract_schema::{ContentBlock, Meta};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Arguments of every tool here.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Args {
    pub(crate) pattern: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Small {
    pub(crate) path: String,
    pub(crate) operation: String,
    pub(crate) before: Option<String>,
    pub(crate) after: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Medium {
    pub(crate) path: String,
    pub(crate) offset: u64,
    pub(crate) lines: Vec<Line>,
    pub(crate) total_lines: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Line {
    pub(crate) number: u64,
    pub(crate) text: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Large {
    pub(crate) matches: Vec<Match>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Match {
    pub(crate) path: String,
    pub(crate) line_number: u64,
    pub(crate) line: String,
}

/// About 200 bytes of JSON.
pub(crate) fn small() -> Small {
    Small {
        path: "crates/contract-registry/src/pipeline/normalize.rs".to_owned(),
        operation: "update".to_owned(),
        before: Some("let value = canonical(bound)?;".to_owned()),
        after: "let value = canonical(bound, returned)?;\n".to_owned(),
    }
}

/// About 10 KB of JSON.
pub(crate) fn medium() -> Medium {
    let lines = (1..=128).map(|number| Line {
        number,
        text: format!("    let line_{number} = \"some text of an ordinary length\"; // {number}"),
    });
    let lines: Vec<_> = lines.collect();
    Medium { path: "src/main.rs".to_owned(), offset: 1, total_lines: lines.len() as u64, lines }
}

/// `matches` matches; 10,000 are about 1 MB of JSON.
pub(crate) fn large(matches: u64) -> Large {
    let found = (0..matches).map(|n| Match {
        path: format!("crates/some-crate/src/module_{}/file.rs", n / 10),
        line_number: n * 3 % 2000 + 1,
        line: format!("    fn function_number_{n}(argument: &str) -> Result<()> {{"),
    });
    Large { matches: found.collect() }
}

/// A value that a bench tool can return and render.
pub(crate) trait Shape:
    Clone + Serialize + for<'de> Deserialize<'de> + JsonSchema + Send + Sync + 'static
{
    const NAME: &'static str;
    fn text(&self) -> String;
}

impl Shape for Small {
    const NAME: &'static str = "small";
    fn text(&self) -> String {
        format!("{}d {}", self.operation, self.path)
    }
}

impl Shape for Medium {
    const NAME: &'static str = "medium";
    fn text(&self) -> String {
        use std::fmt::Write as _;
        let bytes = self.lines.iter().map(|line| line.text.len() + 8).sum();
        let mut text = String::with_capacity(bytes);
        for line in &self.lines {
            let _ = write!(text, "{}: ", line.number);
            text.push_str(&line.text);
            text.push('\n');
        }
        text
    }
}

impl Shape for Large {
    const NAME: &'static str = "large";
    fn text(&self) -> String {
        use std::fmt::Write as _;
        let mut text = String::new();
        for found in self.matches.iter().take(250) {
            let _ = writeln!(text, "{}:{}: {}", found.path, found.line_number, found.line);
        }
        text
    }
}

/// Returns the value it was handed last; with `META`, repeats it as metadata.
pub(crate) struct Returns<V, const META: bool>(pub(crate) Arc<Mutex<Option<V>>>);

impl<V: Shape, const META: bool> Tool for Returns<V, META> {
    const NAME: &'static str = V::NAME;
    const FAMILY: &'static str = "bench";
    type Args = Args;
    type Value = V;
    type Caps = ();

    fn description(&self) -> String {
        String::new()
    }

    fn caps(&self) -> &() {
        &()
    }

    async fn run(&self, _: &Args, _: &CallContext) -> Result<V, ToolError> {
        self.0.lock().unwrap().take().ok_or_else(|| ToolError::new("no value was handed over"))
    }

    fn render((): &(), _: &Args, value: &V) -> Vec<ContentBlock> {
        vec![ContentBlock::text(value.text())]
    }

    fn presentation_meta((): &(), _: &Args, value: &V) -> Option<Meta> {
        META.then(|| Meta::of(value))
    }
}
