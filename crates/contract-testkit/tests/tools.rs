//! `echo`, a tool that keeps the contract, and ways to break it.

use contract_registry::samples::{Sample, SampledTool, ToolSamples};
use contract_registry::{Annotations, CallContext, Overflow, Tool, ToolError};
use contract_schema::{ContentBlock, Meta};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema)]
pub(crate) struct EchoArgs {
    /// What to give back.
    text: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct EchoValue {
    /// What was sent.
    text: String,
}

/// How the tool behaves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Echo {
    Well,
    WithoutBlocks,
    WithoutSamples,
    WithASampleThatIsRefused,
    WithASeparatorInTheName,
}

impl Tool for Echo {
    const NAME: &'static str = "echo";
    const FAMILY: &'static str = "text";
    type Args = EchoArgs;
    type Value = EchoValue;
    type Caps = Echo;

    fn description(&self) -> String {
        "Give back what was sent.".to_owned()
    }

    fn annotations(&self) -> Annotations {
        Annotations { read_only: true, idempotent: true, ..Annotations::default() }
    }

    fn caps(&self) -> &Echo {
        self
    }

    async fn run(&self, args: &EchoArgs, _: &CallContext) -> Result<EchoValue, ToolError> {
        Ok(EchoValue { text: args.text.clone() })
    }

    fn render(echo: &Echo, _: &EchoArgs, value: &EchoValue) -> Vec<ContentBlock> {
        match echo {
            Echo::WithoutBlocks => Vec::new(),
            Echo::Well
            | Echo::WithoutSamples
            | Echo::WithASampleThatIsRefused
            | Echo::WithASeparatorInTheName => {
                vec![ContentBlock::text(&value.text), ContentBlock::image("image/png", "AAAA")]
            }
        }
    }

    fn presentation_meta(_: &Echo, _: &EchoArgs, value: &EchoValue) -> Option<Meta> {
        (!value.text.is_empty()).then(|| Meta::of(&json!({ "bytes": value.text.len() })))
    }

    fn overflow(echo: &Echo, _: &EchoArgs, value: &EchoValue) -> Option<Overflow> {
        let name = if *echo == Echo::WithASeparatorInTheName { "a/b.txt" } else { "echo.txt" };
        (value.text.len() > 4).then(|| Overflow {
            suggested_name: name.to_owned(),
            full_text: value.text.clone(),
            page: Box::new(|place| vec![ContentBlock::text(place.unwrap_or("not saved"))]),
        })
    }
}

impl ToolSamples for Echo {
    fn samples(&self) -> Vec<Sample<EchoValue>> {
        let sample = |name, args: Value, text: &str| Sample {
            name,
            args,
            value: EchoValue { text: text.to_owned() },
        };
        match self {
            Echo::WithoutSamples => Vec::new(),
            Echo::WithASampleThatIsRefused => vec![sample("wrong", json!({ "txt": "a" }), "a")],
            Echo::Well | Echo::WithoutBlocks | Echo::WithASeparatorInTheName => vec![
                sample("two lines", json!({ "text": "a \n\tb\r\n" }), "a \n\tb\r\n"),
                sample("nothing", json!({ "text": "" }), ""),
            ],
        }
    }
}

pub(crate) fn sampled(echo: Echo) -> SampledTool {
    SampledTool::new(echo).unwrap()
}
