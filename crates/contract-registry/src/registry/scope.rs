//! Scopes: a stack of layers, and what can be seen and run through it (contract P11).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::layer::{Guard, Layer, Presentation, Restriction};
use super::registration::Registration;
use super::{Core, ToolDefinition};
use crate::call::{Call, CallRequest, Orphans};
use crate::erased::{DynTool, TypedTool};
use crate::error::RegisterError;
use crate::outcome::Outcome;
use crate::pipeline;
use crate::policy::Denial;
use crate::runtime::Runtime;
use crate::tool::Tool;

/// A view through a stack of layers. What a scope can see is what it can run, and what it lists.
#[derive(Clone)]
pub struct Scope {
    core: Arc<Core>,
    /// Innermost first.
    layers: Arc<[Arc<Layer>]>,
}

impl Scope {
    pub(super) fn root(core: Arc<Core>) -> Self {
        Self { core, layers: Arc::new([Arc::default()]) }
    }

    /// A new, empty layer over this scope, for an agent say. It lives as long as a scope over it.
    #[must_use]
    pub fn scope(&self) -> Self {
        let layers = std::iter::once(Arc::default()).chain(self.layers.iter().cloned());
        Self { core: Arc::clone(&self.core), layers: layers.collect() }
    }

    fn innermost(&self) -> &Arc<Layer> {
        &self.layers[0]
    }

    /// Registers a typed tool in this scope's own layer, where it shadows an inherited one of its name.
    ///
    /// # Errors
    ///
    /// [`RegisterError`] when the layer has a tool of that name, the name is malformed, or a schema is
    /// outside the supported subset.
    pub fn register<T: Tool>(&self, tool: T) -> Result<Registration, RegisterError> {
        self.register_dyn(Arc::new(TypedTool::new(tool)?))
    }

    /// Registers an erased tool in this scope's own layer.
    ///
    /// # Errors
    ///
    /// [`RegisterError::DuplicateName`]; [`RegisterError::Reserved`] for the name of a reserved tool below.
    pub fn register_dyn(&self, tool: Arc<dyn DynTool>) -> Result<Registration, RegisterError> {
        let name = tool.definition().name();
        if self.layers[1..].iter().filter_map(|layer| layer.tool(name)).any(is_reserved) {
            return Err(RegisterError::Reserved(name.to_owned()));
        }
        let id = self.innermost().add_tool(tool)?;
        Ok(Registration::new(self.innermost(), &self.core, id))
    }

    /// Masks what this scope inherits. Several restrictions all apply.
    pub fn restrict(&self, restriction: Restriction) -> Registration {
        let id = self.innermost().add_restriction(restriction);
        Registration::new(self.innermost(), &self.core, id)
    }

    /// Sets what a model may call directly in this scope and those over it that set nothing else. The latest
    /// that is in place counts.
    pub fn present(&self, presentation: Presentation) -> Registration {
        let id = self.innermost().add_presentation(presentation);
        Registration::new(self.innermost(), &self.core, id)
    }

    /// What is in effect here: that of the innermost layer that sets one.
    #[must_use]
    pub fn presentation(&self) -> Presentation {
        self.layers.iter().find_map(|layer| layer.presentation()).unwrap_or_default()
    }

    /// What a model may call directly here, by name: the tools to offer it.
    #[must_use]
    pub fn presented(&self) -> Vec<Arc<ToolDefinition>> {
        let presentation = self.presentation();
        let mut tools = self.list();
        tools.retain(|tool| presentation.offers(tool));
        tools
    }

    /// Adds a guard for every call made through this scope or one over it.
    pub fn guard(
        &self,
        guard: impl Fn(&Call) -> Option<Denial> + Send + Sync + 'static,
    ) -> Registration {
        let id = self.innermost().add_guard(Arc::new(guard));
        Registration::new(self.innermost(), &self.core, id)
    }

    /// What is visible here, by name.
    #[must_use]
    pub fn list(&self) -> Vec<Arc<ToolDefinition>> {
        let mut visible = BTreeMap::<String, Arc<ToolDefinition>>::new();
        for (depth, layer) in self.layers.iter().enumerate() {
            for tool in layer.tools() {
                let (tool, name) = (tool.definition(), tool.definition().name());
                let masked = self.layers[..depth].iter().any(|inner| !inner.inherits(name));
                let seen = visible.get(name);
                let is_free = !masked && seen.is_none();
                if is_free || tool.is_reserved() && seen.is_none_or(|seen| !seen.is_reserved()) {
                    visible.insert(name.to_owned(), Arc::clone(tool));
                }
            }
        }
        visible.into_values().collect()
    }

    /// The definition of a visible tool.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Arc<ToolDefinition>> {
        self.resolve(name).map(|tool| Arc::clone(tool.definition()))
    }

    /// The visible tool of that name. A reserved one is neither shadowed nor masked, whenever it came
    /// (contract C5).
    #[must_use]
    pub fn resolve(&self, name: &str) -> Option<Arc<dyn DynTool>> {
        let (mut found, mut masked) = (None, false);
        for layer in &*self.layers {
            if let Some(tool) = layer.tool(name) {
                if tool.definition().is_reserved() {
                    return Some(tool);
                }
                if !masked {
                    found.get_or_insert(tool);
                }
            }
            masked = masked || !layer.inherits(name);
        }
        found
    }

    /// Makes a call: arguments check, policy, body, normalize, policy again, observers. It always ends in
    /// an outcome; no panic and no error of a tool or a policy reaches the caller.
    ///
    /// Needs no particular async runtime. Dropping the future drops the body and what it owns.
    pub async fn dispatch(&self, request: CallRequest) -> Outcome {
        pipeline::dispatch(self, request, None).await
    }

    /// Visits the guards, outermost layer first, until one refuses.
    pub(crate) fn each_guard<E>(
        &self,
        mut visit: impl FnMut(&Guard) -> Result<(), E>,
    ) -> Result<(), E> {
        self.layers
            .iter()
            .rev()
            .flat_map(|layer| layer.guards())
            .try_for_each(|guard| visit(&guard))
    }

    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.core
    }

    pub(crate) fn blocking_parts(&self) -> (&dyn Runtime, &Orphans) {
        (&*self.core.runtime, &self.core.orphans)
    }
}

fn is_reserved(tool: Arc<dyn DynTool>) -> bool {
    tool.definition().is_reserved()
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").field("layers", &self.layers).finish_non_exhaustive()
    }
}
