//! `Tool`: what a tool author writes.

use std::fmt;
use std::future::Future;
use std::time::Duration;

use contract_schema::{ContentBlock, Meta};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::call::CallContext;
use crate::error::ToolError;
use crate::outcome::Outcome;

/// A typed tool (contract D1, D2).
///
/// The body returns only `Value`. What a model reads and what an interface shows are projections of it:
/// associated functions without `self`, so that no clock, file or connection is within their reach
/// (contract X4). `render` must give the same blocks for the same input, always.
pub trait Tool: Send + Sync + Sized + 'static {
    /// The name a model calls: unique in its layer.
    const NAME: &'static str;
    /// The family it is listed under, such as `files`.
    const FAMILY: &'static str;

    /// Arguments. Their schema is derived for reading, and closed.
    type Args: DeserializeOwned + JsonSchema + Send + Sync + 'static;
    /// The domain value. Its schema is derived for writing, and closed.
    type Value: Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static;
    /// Fixed configuration the projections may read.
    type Caps: Send + Sync + 'static;

    /// What the model is told about the tool.
    fn description(&self) -> String;

    /// Hints for hosts and policies.
    fn annotations(&self) -> Annotations {
        Annotations::default()
    }

    /// The configuration that the projections read.
    fn caps(&self) -> &Self::Caps;

    /// The body. Implement it as `async fn`.
    ///
    /// # Errors
    ///
    /// [`ToolError`] becomes a failed result.
    fn run(
        &self,
        args: &Self::Args,
        cx: &CallContext,
    ) -> impl Future<Output = Result<Self::Value, ToolError>> + Send;

    /// What a model reads. `value` is what the canonical value gives back, not what the body held.
    fn render(caps: &Self::Caps, args: &Self::Args, value: &Self::Value) -> Vec<ContentBlock>;

    /// What a user interface shows beside it; asked for direct calls only.
    fn presentation_meta(_: &Self::Caps, _: &Self::Args, _: &Self::Value) -> Option<Meta> {
        None
    }

    /// The full text behind a rendering that leaves something out (contract P17).
    fn overflow(_: &Self::Caps, _: &Self::Args, _: &Self::Value) -> Option<Overflow> {
        None
    }

    /// A last change to the content of any outcome, failures and blocks included (contract P13).
    fn finalize_content(&self, _: &Ended<'_>) -> Option<Vec<ContentBlock>> {
        None
    }

    /// Whether this call may overlap with others; if not, it runs alone (contract P10).
    fn is_parallel_safe(&self, _: &Self::Args) -> bool {
        false
    }

    /// Whether its name is reserved, for a tool that does nothing but run programs that call others: nothing
    /// shadows or masks it, nothing it calls may call it, and what changes things are its calls (contract C5).
    fn is_reserved(&self) -> bool {
        false
    }

    /// The tool's deadline, for the policy that enforces deadlines.
    fn timeout(&self) -> Option<Duration> {
        None
    }

    /// States this instance's effective limits in the argument schema.
    fn adjust_schema(&self, _: &mut SchemaAdjuster<'_>) {}
}

/// Hints about what a tool does, for hosts and policies. They promise nothing a policy may rely on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four independent hints, named as MCP names them"
)]
pub struct Annotations {
    /// Changes nothing outside the process.
    pub read_only: bool,
    /// May destroy what was there.
    pub destructive: bool,
    /// Doing it twice is doing it once.
    pub idempotent: bool,
    /// Reaches beyond the workspace, to the network say.
    pub open_world: bool,
}

/// Full text to save and the page that stands for it (contract P17).
pub struct Overflow {
    /// File name to suggest to a store.
    pub suggested_name: String,
    /// Everything, rendered.
    pub full_text: String,
    /// The page to show, given where the full text can be read, or `None` when it was not saved.
    pub page: Page,
}

/// Makes the page that stands for an overflow.
pub type Page = Box<dyn Fn(Option<&str>) -> Vec<ContentBlock> + Send>;

impl fmt::Debug for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Overflow")
            .field("suggested_name", &self.suggested_name)
            .field("full_text_bytes", &self.full_text.len())
            .finish_non_exhaustive()
    }
}

/// An outcome after all policy, as `finalize_content` sees it.
#[derive(Debug, Clone, Copy)]
pub struct Ended<'a>(pub(crate) &'a Outcome);

impl<'a> Ended<'a> {
    /// The outcome.
    #[must_use]
    pub fn outcome(self) -> &'a Outcome {
        self.0
    }
}

/// Lets an instance state its effective limits in the derived argument schema: tighten a bound, describe
/// it, drop an optional argument it does not offer. Nothing else (contract D2).
#[derive(Debug)]
pub struct SchemaAdjuster<'a> {
    schema: &'a mut Value,
    problem: Option<String>,
}

impl<'a> SchemaAdjuster<'a> {
    pub(crate) fn new(schema: &'a mut Value) -> Self {
        Self { schema, problem: None }
    }

    /// The first adjustment that was refused.
    pub(crate) fn finish(self) -> Result<(), String> {
        self.problem.map_or(Ok(()), Err)
    }

    fn property(&mut self, name: &str) -> Option<&mut serde_json::Map<String, Value>> {
        let found = self.schema.get_mut("properties").and_then(|all| all.get_mut(name));
        if found.is_none() {
            self.problem.get_or_insert_with(|| format!("there is no argument `{name}`"));
        }
        found.and_then(Value::as_object_mut)
    }

    /// Replaces the description of an argument.
    pub fn describe(&mut self, argument: &str, text: impl Into<String>) {
        if let Some(property) = self.property(argument) {
            property.insert("description".to_owned(), text.into().into());
        }
    }

    /// Lowers the greatest value of a numeric argument.
    pub fn maximum(&mut self, argument: &str, maximum: u64) {
        self.bound(argument, "maximum", maximum, |new, old| new <= old);
    }

    /// Raises the least value of a numeric argument.
    pub fn minimum(&mut self, argument: &str, minimum: u64) {
        self.bound(argument, "minimum", minimum, |new, old| new >= old);
    }

    fn bound(&mut self, argument: &str, keyword: &str, new: u64, tightens: fn(f64, f64) -> bool) {
        let Some(property) = self.property(argument) else { return };
        let old = property.get(keyword).and_then(Value::as_f64);
        if old.is_none_or(|old| tightens(new as f64, old)) {
            property.insert(keyword.to_owned(), new.into());
        } else {
            let problem = format!("{keyword} {new} of `{argument}` would widen the schema");
            self.problem.get_or_insert(problem);
        }
    }

    /// Removes an optional argument.
    pub fn drop_optional(&mut self, argument: &str) {
        let required = self.schema.get("required").and_then(Value::as_array);
        if required.is_some_and(|names| names.iter().any(|name| name == argument)) {
            self.problem.get_or_insert_with(|| format!("`{argument}` is required"));
            return;
        }
        if self.property(argument).is_some()
            && let Some(all) = self.schema.get_mut("properties").and_then(Value::as_object_mut)
        {
            all.shift_remove(argument);
        }
    }
}
