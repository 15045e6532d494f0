//! `DynTool`: a tool with its types forgotten, and the one place where they are.

use std::fmt;
use std::sync::Arc;

use contract_schema::{
    Canonical, ContentBlock, DecodeError, Json, Meta, Schema, SnapshotError, argument_schema,
    output_schema,
};
use futures_util::future::{BoxFuture, Either, Ready, ready};
use serde::Serialize;
use serde_json::Value;

use crate::call::CallContext;
use crate::error::{ProjectError, RegisterError, ToolError};
use crate::registry::ToolDefinition;
use crate::tool::{Ended, Overflow, SchemaAdjuster, Tool};

/// A tool as the registry holds it. Implement [`Tool`] or build a [`RawTool`](crate::RawTool); implement
/// this only for tools that render elsewhere, such as a plugin's.
pub trait DynTool: Send + Sync + 'static {
    /// Name, schemas and description.
    fn definition(&self) -> &Arc<ToolDefinition>;

    /// Binds validated arguments to the tool.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] when the arguments pass the schema but not the tool's own type.
    fn prepare(self: Arc<Self>, args: &Canonical) -> Result<Box<dyn PreparedCall>, DecodeError>;

    /// A last change to the content of any outcome of this tool (contract P13).
    fn finalize_content(&self, _ended: &Ended<'_>) -> Option<Vec<ContentBlock>> {
        None
    }
}

/// Who will see a projection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// A model and a user interface: content and meta.
    Direct,
    /// A program: content for the log only, no meta (contract P2, C2).
    Nested,
}

/// One call of a tool, its arguments bound.
pub trait PreparedCall: Send + Sync {
    /// Whether it may overlap with others.
    fn is_parallel_safe(&self) -> bool;

    /// The body.
    fn run<'a>(&'a self, cx: &'a CallContext) -> BoxFuture<'a, Result<Returned, ToolError>>;

    /// Content and meta of a validated value.
    fn project<'a>(&'a self, value: &'a Canonical, audience: Audience) -> Projected<'a>;

    /// The full text behind a rendering that leaves something out.
    ///
    /// # Errors
    ///
    /// [`ProjectError`] when the value does not read back.
    fn overflow(&self, value: &Canonical) -> Result<Option<Overflow>, ProjectError>;
}

/// A projection on its way: at once for typed tools, later for those that render elsewhere.
pub type Projected<'a> = Either<
    Ready<Result<Projection, ProjectError>>,
    BoxFuture<'a, Result<Projection, ProjectError>>,
>;

/// What a value looks like.
#[derive(Debug)]
pub struct Projection {
    /// What a model reads.
    pub content: Vec<ContentBlock>,
    /// What a user interface shows.
    pub meta: Option<Meta>,
}

/// A domain value as it left a body or a policy: not yet a snapshot, not yet validated.
pub struct Returned(Source);

enum Source {
    Typed(Box<dyn Snapshot>),
    Json(Json),
    Tree(Tree),
}

/// A tree whose drop does not recurse, however deep it is (contract V5).
pub(crate) struct Tree(pub(crate) Value);

impl Drop for Tree {
    fn drop(&mut self) {
        contract_schema::json::dismantle(std::mem::take(&mut self.0));
    }
}

trait Snapshot: Send {
    fn snapshot(&self) -> Result<Json, SnapshotError>;
}

impl<T: Serialize + Send> Snapshot for T {
    fn snapshot(&self) -> Result<Json, SnapshotError> {
        Json::snapshot(self)
    }
}

impl Returned {
    /// A Rust value.
    pub fn typed<T: Serialize + Send + 'static>(value: T) -> Self {
        Self(Source::Typed(Box::new(value)))
    }

    /// A document that is a snapshot already.
    #[must_use]
    pub fn json(json: Json) -> Self {
        Self(Source::Json(json))
    }

    /// A `serde_json` tree of any depth.
    #[must_use]
    pub fn tree(value: Value) -> Self {
        Self(Source::Tree(Tree(value)))
    }

    pub(crate) fn snapshot(self) -> Result<Json, SnapshotError> {
        match self.0 {
            Source::Typed(value) => value.snapshot(),
            Source::Json(json) => Ok(json),
            Source::Tree(tree) => Json::snapshot(&tree.0),
        }
    }
}

impl fmt::Debug for Returned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Returned")
    }
}

/// A typed tool with its definition.
#[derive(Debug)]
pub struct TypedTool<T> {
    tool: T,
    definition: Arc<ToolDefinition>,
}

impl<T: Tool> TypedTool<T> {
    /// Derives both schemas and passes them through the gate.
    ///
    /// # Errors
    ///
    /// [`RegisterError`] when the name is malformed, a schema is outside the supported subset
    /// (contract D6), or `adjust_schema` does what it may not.
    pub fn new(tool: T) -> Result<Self, RegisterError> {
        let name = || T::NAME.to_owned();
        let mut parameters = argument_schema::<T::Args>();
        let mut adjuster = SchemaAdjuster::new(&mut parameters);
        tool.adjust_schema(&mut adjuster);
        adjuster.finish().map_err(|what| RegisterError::Adjustment { tool: name(), what })?;
        let parameters = Schema::compile(&parameters)
            .map_err(|error| RegisterError::Parameters { tool: name(), error })?;
        let output = Schema::compile(&output_schema::<T::Value>())
            .map_err(|error| RegisterError::Output { tool: name(), error })?;
        let definition = ToolDefinition::new(T::NAME, T::FAMILY, parameters, output)?
            .with_description(tool.description())
            .with_annotations(tool.annotations())
            .with_timeout(tool.timeout())
            .with_reserved(tool.is_reserved());
        Ok(Self { tool, definition: Arc::new(definition) })
    }
}

impl<T: Tool> DynTool for TypedTool<T> {
    fn definition(&self) -> &Arc<ToolDefinition> {
        &self.definition
    }

    fn prepare(self: Arc<Self>, args: &Canonical) -> Result<Box<dyn PreparedCall>, DecodeError> {
        let args = args.to_typed::<T::Args>()?;
        Ok(Box::new(TypedCall { tool: self, args }))
    }

    fn finalize_content(&self, ended: &Ended<'_>) -> Option<Vec<ContentBlock>> {
        self.tool.finalize_content(ended)
    }
}

struct TypedCall<T: Tool> {
    tool: Arc<TypedTool<T>>,
    args: T::Args,
}

impl<T: Tool> TypedCall<T> {
    fn read_back(value: &Canonical) -> Result<T::Value, ProjectError> {
        value.to_typed().map_err(ProjectError::ReadBack)
    }

    fn project_now(
        &self,
        value: &Canonical,
        audience: Audience,
    ) -> Result<Projection, ProjectError> {
        let value = Self::read_back(value)?;
        let caps = self.tool.tool.caps();
        let content = T::render(caps, &self.args, &value);
        let meta = match audience {
            Audience::Direct => T::presentation_meta(caps, &self.args, &value),
            Audience::Nested => None,
        };
        Ok(Projection { content, meta })
    }
}

impl<T: Tool> PreparedCall for TypedCall<T> {
    fn is_parallel_safe(&self) -> bool {
        self.tool.tool.is_parallel_safe(&self.args)
    }

    fn run<'a>(&'a self, cx: &'a CallContext) -> BoxFuture<'a, Result<Returned, ToolError>> {
        Box::pin(async move { self.tool.tool.run(&self.args, cx).await.map(Returned::typed) })
    }

    fn project<'a>(&'a self, value: &'a Canonical, audience: Audience) -> Projected<'a> {
        Either::Left(ready(self.project_now(value, audience)))
    }

    fn overflow(&self, value: &Canonical) -> Result<Option<Overflow>, ProjectError> {
        Ok(T::overflow(self.tool.tool.caps(), &self.args, &Self::read_back(value)?))
    }
}
