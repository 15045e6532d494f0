//! Samples: example calls of a tool, from which its sheet and its catalogue checks are made.

use std::fmt;
use std::sync::Arc;

use contract_schema::{Json, SnapshotError};
use serde_json::Value;

use crate::erased::{DynTool, TypedTool};
use crate::error::RegisterError;
use crate::tool::Tool;

/// One example: what a model would send, and the value such a call returns.
#[derive(Debug, Clone)]
pub struct Sample<V> {
    /// Names the case in the sheet, unique within the tool.
    pub name: &'static str,
    /// Arguments as a model sends them.
    pub args: Value,
    /// The value.
    pub value: V,
}

/// A tool that knows examples of itself. The catalogue requires it.
pub trait ToolSamples: Tool {
    /// The examples, in the order of the sheet: the ordinary case first.
    fn samples(&self) -> Vec<Sample<Self::Value>>;
}

/// An example with its types forgotten.
#[derive(Debug, Clone)]
pub struct ErasedSample {
    /// Names the case.
    pub name: &'static str,
    /// Arguments.
    pub args: Json,
    /// The value.
    pub value: Json,
}

/// A tool with its examples, types forgotten.
#[derive(Clone)]
pub struct SampledTool {
    /// The tool.
    pub tool: Arc<dyn DynTool>,
    /// Its examples.
    pub samples: Vec<ErasedSample>,
}

impl fmt::Debug for SampledTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SampledTool")
            .field("tool", &self.tool.definition().name())
            .field("samples", &self.samples.len())
            .finish()
    }
}

/// Why a tool's samples cannot be taken.
#[derive(Debug, thiserror::Error)]
pub enum SampleError {
    /// The tool itself cannot be registered.
    #[error(transparent)]
    Register(#[from] RegisterError),
    /// A sample is not lossless JSON.
    #[error("sample `{sample}` of `{tool}`: {error}")]
    NotLossless {
        /// The tool.
        tool: &'static str,
        /// The sample.
        sample: &'static str,
        /// What is wrong.
        error: SnapshotError,
    },
}

impl SampledTool {
    /// Takes the samples of a tool.
    ///
    /// # Errors
    ///
    /// [`SampleError`] when the tool cannot be registered or a sample is not lossless JSON.
    pub fn new<T: ToolSamples>(tool: T) -> Result<Self, SampleError> {
        let samples = tool.samples().into_iter().map(erase::<T>).collect::<Result<_, _>>()?;
        Ok(Self { tool: Arc::new(TypedTool::new(tool)?), samples })
    }
}

fn erase<T: ToolSamples>(sample: Sample<T::Value>) -> Result<ErasedSample, SampleError> {
    let failed = |error| SampleError::NotLossless { tool: T::NAME, sample: sample.name, error };
    let args = Json::snapshot(&sample.args).map_err(failed)?;
    let value = Json::snapshot(&sample.value).map_err(failed)?;
    Ok(ErasedSample { name: sample.name, args, value })
}
