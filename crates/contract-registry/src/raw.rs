//! Raw tools: definitions from schema documents (contract D3).

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use contract_schema::{Canonical, ContentBlock, DecodeError, Meta, Schema, SchemaError};
use futures_util::future::{BoxFuture, Either, ready};
use serde_json::Value;

use crate::call::CallContext;
use crate::erased::{Audience, DynTool, PreparedCall, Projected, Projection, Returned, Tree};
use crate::error::{ProjectError, RegisterError, ToolError};
use crate::registry::ToolDefinition;
use crate::tool::{Annotations, Overflow};

type Body =
    dyn Fn(Canonical, CallContext) -> BoxFuture<'static, Result<Returned, ToolError>> + Send + Sync;
type Render = dyn Fn(&Canonical, &Canonical) -> Vec<ContentBlock> + Send + Sync;
type MetaOf = dyn Fn(&Canonical, &Canonical) -> Option<Meta> + Send + Sync;
type ParallelSafe = dyn Fn(&Canonical) -> bool + Send + Sync;

/// A tool whose schemas are documents and whose value is JSON: an MCP server's, a plugin's.
///
/// Registration rejects what the supported subset does not cover, with every offending path; a schema is
/// enforced or refused, never accepted and ignored.
#[must_use]
pub struct RawTool {
    name: String,
    family: String,
    description: String,
    annotations: Annotations,
    timeout: Option<Duration>,
    reserved: bool,
    parameters: Option<Tree>,
    output: Option<Tree>,
    enforced: (bool, bool),
    body: Option<Arc<Body>>,
    render: Option<Arc<Render>>,
    meta: Option<Arc<MetaOf>>,
    parallel_safe: Option<Arc<ParallelSafe>>,
}

impl RawTool {
    /// A definition to be completed.
    pub fn new(name: impl Into<String>, family: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            family: family.into(),
            description: String::new(),
            annotations: Annotations::default(),
            timeout: None,
            reserved: false,
            parameters: None,
            output: None,
            enforced: (true, true),
            body: None,
            render: None,
            meta: None,
            parallel_safe: None,
        }
    }

    /// What the model is told about the tool.
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.description = text.into();
        self
    }

    /// Hints for hosts and policies.
    pub fn annotations(mut self, annotations: Annotations) -> Self {
        self.annotations = annotations;
        self
    }

    /// The tool's deadline.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Reserves the name (contract C5).
    pub fn reserved(mut self) -> Self {
        self.reserved = true;
        self
    }

    /// The parameter schema.
    pub fn parameters(mut self, document: Value) -> Self {
        self.parameters = Some(Tree(document));
        self
    }

    /// The output schema.
    pub fn output(mut self, document: Value) -> Self {
        self.output = Some(Tree(document));
        self
    }

    /// Takes any arguments, and says so in the listing (contract M5).
    pub fn unenforced_parameters(mut self) -> Self {
        self.parameters = Some(Tree(Value::Bool(true)));
        self.enforced.0 = false;
        self
    }

    /// Takes any value, and says so in the listing (contract M2).
    pub fn unenforced_output(mut self) -> Self {
        self.output = Some(Tree(Value::Bool(true)));
        self.enforced.1 = false;
        self
    }

    /// The body. It returns JSON of any depth; what is not lossless is refused afterwards.
    pub fn run<F, R>(mut self, body: F) -> Self
    where
        F: Fn(Canonical, CallContext) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Returned, ToolError>> + Send + 'static,
    {
        self.body = Some(Arc::new(move |args, cx| Box::pin(body(args, cx))));
        self
    }

    /// What a model reads, from arguments and value alone.
    pub fn render(
        mut self,
        render: impl Fn(&Canonical, &Canonical) -> Vec<ContentBlock> + Send + Sync + 'static,
    ) -> Self {
        self.render = Some(Arc::new(render));
        self
    }

    /// What a user interface shows.
    pub fn presentation_meta(
        mut self,
        meta: impl Fn(&Canonical, &Canonical) -> Option<Meta> + Send + Sync + 'static,
    ) -> Self {
        self.meta = Some(Arc::new(meta));
        self
    }

    /// Which calls may overlap; none by default.
    pub fn parallel_safe(
        mut self,
        classify: impl Fn(&Canonical) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.parallel_safe = Some(Arc::new(classify));
        self
    }

    /// Compiles both schemas.
    ///
    /// # Errors
    ///
    /// [`RegisterError`] when the name is malformed, a part is missing, or a schema is outside the
    /// supported subset.
    pub fn build(self) -> Result<Arc<dyn DynTool>, RegisterError> {
        let missing = |part| RegisterError::Incomplete { tool: self.name.clone(), part };
        let parameters = self.parameters.as_ref().ok_or_else(|| missing("parameter schema"))?;
        let output = self.output.as_ref().ok_or_else(|| missing("output schema"))?;
        let body = self.body.ok_or_else(|| missing("body"))?;
        let render = self.render.ok_or_else(|| missing("renderer"))?;
        let parameters = compiled(&parameters.0)
            .map_err(|error| RegisterError::Parameters { tool: self.name.clone(), error })?;
        let output = compiled(&output.0)
            .map_err(|error| RegisterError::Output { tool: self.name.clone(), error })?;
        let definition = ToolDefinition::new(self.name, self.family, parameters, output)?
            .with_description(self.description)
            .with_annotations(self.annotations)
            .with_timeout(self.timeout)
            .with_reserved(self.reserved)
            .with_enforcement(self.enforced.0, self.enforced.1);
        Ok(Arc::new(BuiltTool {
            definition: Arc::new(definition),
            body,
            render,
            meta: self.meta,
            parallel_safe: self.parallel_safe,
        }))
    }
}

/// Through the gate and the validator at once: what the validator could not build is refused here, not at
/// the first call.
fn compiled(document: &Value) -> Result<Schema, SchemaError> {
    let schema = Schema::compile(document)?;
    schema.try_force()?;
    Ok(schema)
}

impl fmt::Debug for RawTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawTool").field("name", &self.name).finish_non_exhaustive()
    }
}

struct BuiltTool {
    definition: Arc<ToolDefinition>,
    body: Arc<Body>,
    render: Arc<Render>,
    meta: Option<Arc<MetaOf>>,
    parallel_safe: Option<Arc<ParallelSafe>>,
}

impl DynTool for BuiltTool {
    fn definition(&self) -> &Arc<ToolDefinition> {
        &self.definition
    }

    fn prepare(self: Arc<Self>, args: &Canonical) -> Result<Box<dyn PreparedCall>, DecodeError> {
        Ok(Box::new(RawCall { tool: self, args: args.clone() }))
    }
}

struct RawCall {
    tool: Arc<BuiltTool>,
    args: Canonical,
}

impl PreparedCall for RawCall {
    fn is_parallel_safe(&self) -> bool {
        self.tool.parallel_safe.as_ref().is_some_and(|classify| classify(&self.args))
    }

    fn run<'a>(&'a self, cx: &'a CallContext) -> BoxFuture<'a, Result<Returned, ToolError>> {
        (self.tool.body)(self.args.clone(), cx.clone())
    }

    fn project<'a>(&'a self, value: &'a Canonical, audience: Audience) -> Projected<'a> {
        let content = (self.tool.render)(&self.args, value);
        let meta = match (audience, &self.tool.meta) {
            (Audience::Direct, Some(meta)) => meta(&self.args, value),
            (Audience::Direct | Audience::Nested, _) => None,
        };
        Either::Left(ready(Ok(Projection { content, meta })))
    }

    fn overflow(&self, _: &Canonical) -> Result<Option<Overflow>, ProjectError> {
        Ok(None)
    }
}
