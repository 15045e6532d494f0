//! `run_code`: runs a program that calls the other tools.
//!
//! The value has what the program logged and what it returned. The text is bounded by nothing here: generic
//! spill bounds it (decisions DC4).

use std::num::NonZeroUsize;
use std::sync::Arc;

use code_runtime::{Bindings, Ended, Program, RunOutcome};
use contract_registry::{Annotations, CallContext, Tool, ToolError};
use contract_schema::{ContentBlock, Json};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::bridge::{self, Bridge};
use super::engine::Engine;
use super::{error, render};
use crate::catalog::Seams;
use crate::config::{CodeCaps, Config, ConfigError, HostLife};

/// Arguments of `run_code`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RunCodeArgs {
    /// The program: the body of an async function, in TypeScript or JavaScript.
    #[schemars(regex(pattern = r"\S"))]
    pub code: String,
    /// What the program does, in 5 to 10 words, for the user.
    #[schemars(regex(pattern = r"\S"))]
    pub description: String,
}

/// What a program left.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunCodeValue {
    /// What it logged, a line a call of `console`.
    pub logs: Vec<String>,
    /// What it returned; absent for `undefined`, which is not `null`.
    #[serde(default, deserialize_with = "returned", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    pub result: Option<Json>,
}

/// A result that is there, `null` included.
fn returned<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

/// The tool `run_code`.
#[derive(Clone, Debug)]
pub struct RunCode {
    engine: Engine,
    overlap: NonZeroUsize,
    caps: Arc<CodeCaps>,
}

impl RunCode {
    /// Builds the tool over the runtime of `seams`, or one of its own that starts with the first program.
    ///
    /// # Errors
    /// The first limit that cannot work.
    pub fn new(config: &Config, seams: &Seams) -> Result<Self, ConfigError> {
        let caps = config.code.clone();
        caps.validate()?;
        let mut runtime = caps.runtime.clone();
        if config.host_life == HostLife::OneCall {
            // The next program's worker would be started for nothing.
            runtime.pool_workers = 0;
        }
        let overlap = NonZeroUsize::new(caps.max_parallel_calls).unwrap_or(NonZeroUsize::MIN);
        Ok(Self { engine: Engine::new(runtime, seams.code.clone()), overlap, caps: Arc::new(caps) })
    }
}

impl Tool for RunCode {
    const NAME: &'static str = "run_code";
    const FAMILY: &'static str = "code";
    type Args = RunCodeArgs;
    type Value = RunCodeValue;
    type Caps = CodeCaps;

    fn description(&self) -> String {
        let limits = &self.caps.runtime.limits;
        format!(
            "Run a program that calls the other tools; give it as code, with a description.\n\
             `await tools.NAME(args)` gives the tool's value, typed as declared, or throws ToolCallError with \
             toolName and message. `tools[\"NAME\"](args)` is the same.\n\
             code is the body of an async function: return the result, as JSON. console.log adds lines before it.\n\
             Only what is logged or returned is shown. Calls that may overlap do so in Promise.all, {} at a time. \
             Calls still running when the program ends are cancelled.\n\
             There are no modules, no files and no network but through tools. {} MiB of memory, {} s of computing, \
             {} s in all.",
            self.caps.max_parallel_calls,
            limits.heap_bytes >> 20,
            limits.compute_ms / 1_000,
            limits.wall_ms / 1_000,
        )
    }

    fn annotations(&self) -> Annotations {
        Annotations { destructive: true, open_world: true, ..Annotations::default() }
    }

    fn caps(&self) -> &CodeCaps {
        &self.caps
    }

    fn is_reserved(&self) -> bool {
        true
    }

    async fn run(&self, args: &RunCodeArgs, cx: &CallContext) -> Result<RunCodeValue, ToolError> {
        let runtime = self.engine.runtime().map_err(|error| error::not_started(&error))?;
        let visible = cx.scope().list();
        let callable = visible.iter().filter(|tool| !tool.is_reserved());
        let names = callable.map(|tool| tool.name()).chain([bridge::DESCRIBE]).map(str::to_owned);
        let names = names.collect();
        let program = Program::new(&*args.code).with(Bindings::tools(names));
        let (host, queues) = Bridge::new(cx, self.overlap);
        let outcome = host.drive(&runtime, program, queues).await;
        host.notes().attach_images(cx);
        self.value(outcome, &host, cx)
    }

    fn render(_: &CodeCaps, _: &RunCodeArgs, value: &RunCodeValue) -> Vec<ContentBlock> {
        let result = value.result.as_ref().map(Json::root);
        vec![ContentBlock::text(render::text(&value.logs, result))]
    }
}

impl RunCode {
    fn value(
        &self,
        outcome: RunOutcome,
        bridge: &Bridge,
        cx: &CallContext,
    ) -> Result<RunCodeValue, ToolError> {
        if let Some(fault) = bridge.notes().fault() {
            return Err(error::unlogged(&fault));
        }
        let deep = |result: &Json| result.max_depth() > error::RESULT_MAX_DEPTH;
        let why = match outcome.failure() {
            Some(_) if outcome.ended == Ended::Stopped && cx.cancel().is_cancelled() => {
                "the call was cancelled, and the program stopped".to_owned()
            }
            Some(why) => why,
            None if outcome.result().is_some_and(deep) => {
                format!("the result is nested deeper than {} levels", error::RESULT_MAX_DEPTH)
            }
            None => {
                let result = outcome.result().cloned();
                return Ok(RunCodeValue { logs: outcome.logs, result });
            }
        };
        let cancelled = outcome.ended == Ended::Stopped;
        Err(error::failed(&why, cancelled, &outcome, &bridge.notes().calls(), &self.caps))
    }
}

#[cfg(feature = "samples")]
mod samples;
