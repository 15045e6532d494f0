//! The registry: layers of tools, who sees what, and the way in to dispatch.

mod changes;
mod definition;
mod layer;
mod registration;
mod scope;

use std::sync::Arc;
use std::time::Duration;

pub use changes::Changes;
pub use definition::ToolDefinition;
pub use layer::{Guard, Presentation, Restriction};
pub use registration::Registration;
pub use scope::Scope;

use crate::call::{CallRequest, Orphans};
use crate::erased::DynTool;
use crate::error::RegisterError;
use crate::outcome::Outcome;
use crate::policy::Policy;
use crate::runtime::{Runtime, ThreadRuntime};
use crate::tool::Tool;

/// How long a cancelled body may take to settle before it is dropped (contract P9).
pub const DEFAULT_CANCEL_GRACE: Duration = Duration::from_secs(2);
/// How long a renderer that runs elsewhere may take (contract P2).
pub const DEFAULT_PROJECTION_DEADLINE: Duration = Duration::from_secs(10);

/// What all scopes of a registry share.
pub(crate) struct Core {
    pub(crate) policy: Option<Arc<dyn Policy>>,
    pub(crate) runtime: Arc<dyn Runtime>,
    pub(crate) cancel_grace: Duration,
    pub(crate) projection_deadline: Duration,
    pub(crate) orphans: Orphans,
    pub(crate) notifier: changes::Notifier,
}

/// Tools by name, in layers. This is the global layer; [`Registry::scope`] puts others over it.
#[derive(Clone, Debug)]
pub struct Registry {
    root: Scope,
}

impl Default for Registry {
    fn default() -> Self {
        Self::builder().build()
    }
}

impl Registry {
    /// A registry with an empty policy and the default runtime.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A registry to be configured.
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// The global layer as a scope.
    #[must_use]
    pub fn root(&self) -> &Scope {
        &self.root
    }

    /// A new layer over the global one.
    #[must_use]
    pub fn scope(&self) -> Scope {
        self.root.scope()
    }

    /// Registers a typed tool globally; see [`Scope::register`].
    ///
    /// # Errors
    ///
    /// As [`Scope::register`].
    pub fn register<T: Tool>(&self, tool: T) -> Result<Registration, RegisterError> {
        self.root.register(tool)
    }

    /// Registers an erased tool globally; see [`Scope::register_dyn`].
    ///
    /// # Errors
    ///
    /// As [`Scope::register_dyn`].
    pub fn register_dyn(&self, tool: Arc<dyn DynTool>) -> Result<Registration, RegisterError> {
        self.root.register_dyn(tool)
    }

    /// What is visible globally, by name.
    #[must_use]
    pub fn list(&self) -> Vec<Arc<ToolDefinition>> {
        self.root.list()
    }

    /// The definition of a globally visible tool.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Arc<ToolDefinition>> {
        self.root.get(name)
    }

    /// Makes a call in the global scope; see [`Scope::dispatch`].
    pub async fn dispatch(&self, request: CallRequest) -> Outcome {
        self.root.dispatch(request).await
    }

    /// Follows registrations, restrictions and guards of all scopes.
    #[must_use]
    pub fn changes(&self) -> Changes {
        self.root.core().notifier.subscribe()
    }

    /// Pieces of blocking work that run on though their calls have settled.
    #[must_use]
    pub fn orphaned_work(&self) -> usize {
        self.root.core().orphans.count()
    }
}

/// Configures a registry.
#[must_use]
pub struct RegistryBuilder {
    policy: Option<Arc<dyn Policy>>,
    runtime: Arc<dyn Runtime>,
    cancel_grace: Duration,
    projection_deadline: Duration,
}

impl Default for RegistryBuilder {
    fn default() -> Self {
        Self {
            policy: None,
            runtime: Arc::new(ThreadRuntime),
            cancel_grace: DEFAULT_CANCEL_GRACE,
            projection_deadline: DEFAULT_PROJECTION_DEADLINE,
        }
    }
}

impl RegistryBuilder {
    /// Fills the policy slot.
    pub fn policy(mut self, policy: Arc<dyn Policy>) -> Self {
        self.policy = Some(policy);
        self
    }

    /// Sets the runtime; without one, threads.
    pub fn runtime(mut self, runtime: Arc<dyn Runtime>) -> Self {
        self.runtime = runtime;
        self
    }

    /// Sets how long a cancelled body may take to settle.
    pub fn cancel_grace(mut self, grace: Duration) -> Self {
        self.cancel_grace = grace;
        self
    }

    /// Sets how long a renderer that runs elsewhere may take.
    pub fn projection_deadline(mut self, deadline: Duration) -> Self {
        self.projection_deadline = deadline;
        self
    }

    /// The registry.
    #[must_use]
    pub fn build(self) -> Registry {
        let core = Core {
            policy: self.policy,
            runtime: self.runtime,
            cancel_grace: self.cancel_grace,
            projection_deadline: self.projection_deadline,
            orphans: Orphans::default(),
            notifier: changes::Notifier::default(),
        };
        Registry { root: Scope::root(Arc::new(core)) }
    }
}

impl std::fmt::Debug for RegistryBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RegistryBuilder")
            .field("policy", &self.policy.is_some())
            .field("cancel_grace", &self.cancel_grace)
            .finish_non_exhaustive()
    }
}
