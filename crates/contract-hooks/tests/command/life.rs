//! Events of a session's life.

use contract_hooks::command::{CommandOptions, Dialect, OnFault};
use contract_hooks::{
    HookError, LifecycleDecision, LifecycleEvent, LifecycleHead, MAX_STOP_ROUNDS, StopRounds,
};
use contract_registry::{AgentId, SessionId};
use serde_json::{Value, json};

use super::support::{World, file, handler, says, specific, world, world_with};

fn head() -> LifecycleHead {
    LifecycleHead { session_id: Some(SessionId::new("s-1")), agent_id: AgentId::default() }
}

fn prompt() -> LifecycleEvent {
    LifecycleEvent::UserPromptSubmit { prompt: "hello".to_owned() }
}

fn stop(stop_hook_active: bool) -> LifecycleEvent {
    LifecycleEvent::Stop { stop_hook_active }
}

async fn ask(world: &World, event: LifecycleEvent) -> Result<LifecycleDecision, HookError> {
    world.hooks.on_event(&head(), &event).await
}

async fn decided(file: &Value, event: LifecycleEvent) -> (Option<String>, Vec<String>) {
    let decision = ask(&world(file), event).await.unwrap();
    let text = |context: &contract_schema::AdditionalContext| {
        context.content[0].as_text().unwrap().to_owned()
    };
    (decision.block, decision.contexts.iter().map(text).collect())
}

#[tokio::test]
async fn a_prompt_can_be_refused_or_added_to() {
    let (block, _) = decided(&file("UserPromptSubmit", &["echo no >&2; exit 2"]), prompt()).await;
    assert_eq!(block.as_deref(), Some("no"));
    let stops = says(&json!({ "continue": false, "stopReason": "closed" }));
    let (block, _) = decided(&file("UserPromptSubmit", &[&stops]), prompt()).await;
    assert_eq!(block.as_deref(), Some("closed"));
    let output = specific("UserPromptSubmit", json!({ "additionalContext": "structured" }));
    let both = file("UserPromptSubmit", &["echo plain", &says(&output)]);
    assert_eq!(decided(&both, prompt()).await, (None, vec!["plain".into(), "structured".into()]));
}

#[tokio::test]
async fn h7_a_prompt_that_a_hook_could_not_judge_is_refused() {
    let hooks = file("UserPromptSubmit", &["kill -9 $$"]);
    let error = ask(&world(&hooks), prompt()).await.unwrap_err();
    assert_eq!(error.0, "the hook UserPromptSubmit/0/0 of hooks.json was ended by signal 9");
    let pass = |options: &mut CommandOptions| options.on_fault = OnFault::Pass;
    let decision = ask(&world_with(Dialect::Claude, &hooks, pass), prompt()).await.unwrap();
    assert_eq!(decision, LifecycleDecision::default());
}

#[tokio::test]
async fn a_prompts_message_may_quote_json_and_hides_no_decision() {
    let quoting = file("UserPromptSubmit", &["printf '```json\\n{\"style\":1}\\n```'"]);
    let (block, contexts) = decided(&quoting, prompt()).await;
    assert_eq!((block, contexts), (None, vec!["```json\n{\"style\":1}\n```".to_owned()]));
    let hiding = file("UserPromptSubmit", &["printf '```json\\n{\"decision\":\"block\"}\\n```'"]);
    assert!(ask(&world(&hiding), prompt()).await.is_err());
    let blank = file("UserPromptSubmit", &["head -c 2000000 /dev/zero | tr '\\0' ' '"]);
    assert!(ask(&world(&blank), prompt()).await.is_err());
}

#[tokio::test]
async fn only_prompts_and_starts_take_plain_text() {
    let start = || LifecycleEvent::SessionStart { source: "startup".to_owned() };
    let (_, contexts) = decided(&file("SessionStart", &["echo welcome"]), start()).await;
    assert_eq!(contexts, ["welcome"]);
    let (_, contexts) = decided(&file("Stop", &["echo bye"]), stop(false)).await;
    assert!(contexts.is_empty());
    // Nothing can be blocked there, nor does a fault matter.
    for script in ["echo no >&2; exit 2", "kill -9 $$"] {
        let (block, contexts) = decided(&file("SessionStart", &[script]), start()).await;
        assert_eq!((block, contexts), (None, Vec::new()));
    }
}

#[tokio::test]
async fn the_source_of_a_start_is_matched() {
    let group = |matcher: &str| json!({ "matcher": matcher, "hooks": [handler(&format!("echo '{matcher}'"))] });
    let file = json!({ "SessionStart": [group("startup"), group("resume|clear"), group("")] });
    let start = LifecycleEvent::SessionStart { source: "clear".to_owned() };
    assert_eq!(decided(&file, start).await.1, ["resume|clear"]);
}

#[tokio::test]
async fn a_matcher_where_nothing_can_be_matched_is_dropped() {
    let file = json!({ "Stop": [{ "matcher": "(", "hooks": [handler("echo on >&2; exit 2")] }] });
    assert_eq!(decided(&file, stop(false)).await.0.as_deref(), Some("on"));
}

#[tokio::test]
async fn a_stop_hook_that_always_blocks_is_ended_after_eight_rounds() {
    let script = "cat >> told; echo again >&2; exit 2";
    let world = world(&file("Stop", &[script]));
    let mut rounds = StopRounds::default();
    let mut worked_on = 0;
    loop {
        let decision = ask(&world, stop(rounds.stop_hook_active())).await.unwrap();
        assert_eq!(decision.block.as_deref(), Some("again"));
        if !rounds.works_on(&decision) {
            break;
        }
        worked_on += 1;
    }
    assert_eq!((worked_on, MAX_STOP_ROUNDS), (8, 8));
    let told = std::fs::read_to_string(world.path().join("told")).unwrap();
    let active: Vec<bool> = told
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["stop_hook_active"] == true)
        .collect();
    assert_eq!(active, [false, true, true, true, true, true, true, true, true]);
}

#[tokio::test]
async fn a_wish_to_stop_beats_a_wish_to_go_on() {
    let stops = says(&json!({ "continue": false, "decision": "block", "reason": "more" }));
    assert_eq!(decided(&file("Stop", &[&stops]), stop(false)).await.0, None);
    assert_eq!(decided(&file("Stop", &["exit 2", &stops]), stop(false)).await.0, None);
}

#[tokio::test]
async fn sub_agents_are_told_of_and_matched() {
    let agent = AgentId::new("explorer");
    let file = json!({
        "SubagentStart": [{ "matcher": "explorer", "hooks": [handler("cat > start.json; exit 2")] }],
        "SubagentStop": [{ "hooks": [handler("cat > stop.json; echo more >&2; exit 2")] }],
    });
    let world = world(&file);
    let started =
        ask(&world, LifecycleEvent::SubagentStart { agent: agent.clone() }).await.unwrap();
    assert_eq!(started.block, None);
    let stops = LifecycleEvent::SubagentStop { agent, stop_hook_active: true };
    assert_eq!(ask(&world, stops).await.unwrap().block.as_deref(), Some("more"));
    assert_eq!(world.json("start.json")["agent_id"], "explorer");
    let told = world.json("stop.json");
    assert_eq!((&told["agent_id"], &told["stop_hook_active"]), (&json!("explorer"), &json!(true)));
    assert_eq!(told["cwd"], world.path().to_str().unwrap());
}
