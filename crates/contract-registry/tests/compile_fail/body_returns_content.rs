//! A body that returns what a model reads, instead of a value.

use contract_registry::{CallContext, Tool, ToolError};
use contract_schema::ContentBlock;

struct Texty;

impl Tool for Texty {
    const NAME: &'static str = "texty";
    const FAMILY: &'static str = "test";
    type Args = String;
    type Value = Vec<ContentBlock>;
    type Caps = ();

    fn description(&self) -> String {
        String::new()
    }

    fn caps(&self) -> &() {
        &()
    }

    async fn run(&self, _: &String, _: &CallContext) -> Result<Vec<ContentBlock>, ToolError> {
        Ok(vec![ContentBlock::text("scrape me")])
    }

    fn render((): &(), _: &String, value: &Vec<ContentBlock>) -> Vec<ContentBlock> {
        value.clone()
    }
}

fn main() {}
