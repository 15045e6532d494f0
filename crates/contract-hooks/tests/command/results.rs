//! What `PostToolUse` hooks decide.

use contract_hooks::command::{CommandOptions, Dialect, HookDecided, Replacement};
use contract_registry::{RawTool, ToolError};
use serde_json::{Value, json};

use super::support::{World, file, says, specific, world, world_with};
use crate::support::{code, contexts, counter, message, text, value};

fn replacing(output: &Value) -> Value {
    file("PostToolUse", &[&says(&specific("PostToolUse", json!({ "updatedToolOutput": output })))])
}

fn by_value(options: &mut CommandOptions) {
    options.replacement = Replacement::Value;
}

fn failing(world: &World) {
    let tool: RawTool =
        counter("broken").run(|_, _| async { Err(ToolError::coded("X", "BROKEN", "it broke")) });
    world.registry.register_dyn(tool.build().unwrap()).unwrap().keep();
}

#[tokio::test]
async fn a_block_comes_with_its_context() {
    let mut output = specific("PostToolUse", json!({ "additionalContext": "look again" }));
    output["decision"] = json!("block");
    output["reason"] = json!("tests fail");
    let blocking = world(&file("PostToolUse", &[&says(&output)]));
    let outcome = blocking.call("grep").await;
    assert_eq!((code(&outcome), text(&outcome).as_str()), ("TOOL_BLOCKED", "tests fail"));
    assert_eq!(contexts(&outcome), ["look again"]);
    assert!(outcome.value().is_none());
    assert_eq!(blocking.kept.one().decision, HookDecided::Block);

    let world = world(&file("PostToolUse", &["echo 'not so' >&2; exit 2"]));
    assert_eq!(text(&world.call("grep").await), "not so");
}

#[tokio::test]
async fn a_context_alone_leaves_the_result() {
    let output = specific("PostToolUse", json!({ "additionalContext": "one more thing" }));
    let world = world(&file("PostToolUse", &[&says(&output)]));
    let outcome = world.call("grep").await;
    assert_eq!(
        (text(&outcome).as_str(), contexts(&outcome)),
        ("count is 1", vec!["one more thing"])
    );
}

#[tokio::test]
async fn an_updated_output_is_content_and_the_value_stays() {
    for (output, shown) in [
        (json!("short"), "short"),
        (json!([{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }]), "ab"),
        (json!({ "text": "told", "isError": false, "value": { "count": 9 } }), "told"),
        (json!({ "count": 2 }), "{\"count\":2}"),
        (json!([1, 2]), "[1,2]"),
    ] {
        let world = world(&replacing(&output));
        let outcome = world.call("grep").await;
        assert_eq!(text(&outcome), shown, "{output}");
        assert_eq!(value(&outcome), json!({ "count": 1 }));
        assert_eq!(world.kept.one().decision, HookDecided::ReplaceContent);
    }
}

#[tokio::test]
async fn it_is_a_value_only_where_asked_for_and_checked_anew() {
    for output in
        [json!({ "count": 2 }), json!({ "text": "x", "isError": false, "value": { "count": 2 } })]
    {
        let world = world_with(Dialect::Claude, &replacing(&output), by_value);
        let outcome = world.call("grep").await;
        assert_eq!(
            (value(&outcome), text(&outcome).as_str()),
            (json!({ "count": 2 }), "count is 2")
        );
        assert_eq!(world.kept.one().decision, HookDecided::ReplaceValue);
    }
    let world = world_with(Dialect::Claude, &replacing(&json!("not a count")), by_value);
    assert_eq!(code(&world.call("grep").await), "INVALID_TOOL_OUTPUT");
}

#[tokio::test]
async fn a_failure_has_content_to_replace_and_no_value() {
    let world = world_with(Dialect::Claude, &replacing(&json!("softer")), by_value);
    failing(&world);
    let outcome = world.call("broken").await;
    assert_eq!((code(&outcome), text(&outcome).as_str()), ("BROKEN", "softer"));
    assert_eq!(message(&outcome), "it broke");
}

#[tokio::test]
async fn a_wish_to_stop_is_told_to_the_model() {
    let output = json!({ "continue": false, "stopReason": "lunch" });
    let world = world(&file("PostToolUse", &[&says(&output)]));
    let outcome = world.call("grep").await;
    assert_eq!((outcome.is_error(), contexts(&outcome)), (false, vec!["lunch"]));
    assert_eq!(world.kept.one().decision, HookDecided::Stop);
}

#[tokio::test]
async fn an_updated_output_before_the_call_means_nothing() {
    let output = specific("PreToolUse", json!({ "updatedToolOutput": "x" }));
    let world = world(&file("PreToolUse", &[&says(&output)]));
    assert_eq!(text(&world.call("grep").await), "count is 1");
}
