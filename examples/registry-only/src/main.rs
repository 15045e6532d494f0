//! One tool, one registry, two calls: the contract without the rest of Tenon, and without an async
//! runtime.

use std::error::Error;

use contract_registry::{CallContext, CallRequest, Registry, Tool, ToolError};
use contract_schema::{ContentBlock, Json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the model sends.
#[derive(Deserialize, JsonSchema)]
struct CountArgs {
    /// Text whose words are counted.
    text: String,
}

/// What the tool returns: the only thing it returns.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CountValue {
    /// How many words the text has.
    words: u32,
    /// The longest of them, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    longest_word: Option<String>,
}

struct Count;

impl Tool for Count {
    const NAME: &'static str = "count";
    const FAMILY: &'static str = "text";
    type Args = CountArgs;
    type Value = CountValue;
    type Caps = ();

    fn description(&self) -> String {
        "Count the words of a text.".to_owned()
    }

    fn caps(&self) -> &() {
        &()
    }

    async fn run(&self, args: &CountArgs, _: &CallContext) -> Result<CountValue, ToolError> {
        let words = u32::try_from(args.text.split_whitespace().count())
            .map_err(|_| ToolError::coded("CountError", "TOO_MANY_WORDS", "too many words"))?;
        let longest = args.text.split_whitespace().max_by_key(|word| word.chars().count());
        Ok(CountValue { words, longest_word: longest.map(str::to_owned) })
    }

    fn render((): &(), _: &CountArgs, value: &CountValue) -> Vec<ContentBlock> {
        let text = match &value.longest_word {
            Some(word) => format!("{} words, the longest is {word}", value.words),
            None => "no words".to_owned(),
        };
        vec![ContentBlock::text(text)]
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let registry = Registry::builder().build();
    let _registered = registry.register(Count)?;

    // A success: a value for programs, text for a model, both from one body.
    let arguments = Json::parse(r#"{"text":"one small step"}"#)?;
    let outcome = pollster::block_on(registry.dispatch(CallRequest::new("count", arguments)));
    let value = outcome.value().ok_or("the call failed")?;
    println!("value:   {}", value.json());
    for block in outcome.content() {
        println!("content: {}", block.as_text().unwrap_or_default());
    }

    // A failure: the body never saw these arguments.
    let wrong = Json::parse(r#"{"txt":7}"#)?;
    let refused = pollster::block_on(registry.dispatch(CallRequest::new("count", wrong)));
    let failure = refused.error().ok_or("the call should have failed")?;
    println!("refused: {}", failure.message());

    if value.root().get("words").and_then(|words| words.as_u64()) != Some(3) {
        return Err("three words were expected".into());
    }
    Ok(())
}
