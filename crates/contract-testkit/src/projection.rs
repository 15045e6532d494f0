//! A sample's projections, made as the registry makes them.

use std::sync::Arc;

use contract_registry::samples::{ErasedSample, SampledTool};
use contract_registry::{Audience, Overflow, PreparedCall};
use contract_schema::{Canonical, ContentBlock, Json};
use futures_util::FutureExt as _;

/// A sample whose arguments and value passed their schemas, bound to its tool.
pub(crate) struct Projector {
    call: Box<dyn PreparedCall>,
    value: Canonical,
}

impl Projector {
    /// Validates both sides and binds the arguments.
    pub(crate) fn new(tool: &SampledTool, sample: &ErasedSample) -> Result<Self, String> {
        let definition = tool.tool.definition();
        let args = definition
            .parameters()
            .canonicalize(sample.args.clone())
            .map_err(|violations| format!("arguments break the schema: {violations}"))?;
        let value = definition
            .output()
            .canonicalize(sample.value.clone())
            .map_err(|violations| format!("value breaks the schema: {violations}"))?;
        let call = Arc::clone(&tool.tool)
            .prepare(&args)
            .map_err(|error| format!("arguments pass the schema but not the type: {error}"))?;
        Ok(Self { call, value })
    }

    /// Content and meta for an audience.
    pub(crate) fn project(
        &self,
        audience: Audience,
    ) -> Result<(Vec<ContentBlock>, Option<Json>), String> {
        let projected = self.call.project(&self.value, audience).now_or_never();
        let projection = projected
            .ok_or("the projection does not settle at once")?
            .map_err(|error| format!("no projection: {error}"))?;
        let meta = projection.meta.map(contract_schema::Meta::into_json).transpose();
        Ok((projection.content, meta.map_err(|error| format!("meta is not lossless: {error}"))?))
    }

    /// What the rendering leaves out, if it leaves something out.
    pub(crate) fn overflow(&self) -> Result<Option<Overflow>, String> {
        self.call.overflow(&self.value).map_err(|error| format!("no overflow: {error}"))
    }
}
