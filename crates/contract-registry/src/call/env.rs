//! The surroundings of a call: what all calls of a session share.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use super::ids::{AgentId, CallId, SessionId};

/// How far tools may change things (decisions DF5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AccessMode {
    /// Nothing is changed.
    ReadOnly,
    /// Changes stay under the workspace root and the temporary directory.
    #[default]
    WorkspaceWrite,
    /// No confinement.
    Full,
}

/// Receives progress lines of running calls.
pub trait ProgressSink: Send + Sync {
    /// `message` is one plain line.
    fn progress(&self, call: &CallId, message: &str);
}

/// Values by type, for seams that tools need and hosts provide.
#[derive(Clone, Default)]
pub struct Services {
    by_type: HashMap<TypeId, Arc<dyn Any + Send + Sync>>,
}

impl Services {
    /// Adds a service, replacing one of the same type.
    #[must_use]
    pub fn with<T: Send + Sync + 'static>(mut self, service: T) -> Self {
        self.by_type.insert(TypeId::of::<T>(), Arc::new(service));
        self
    }

    /// The service of that type, if the host provides one.
    #[must_use]
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.by_type.get(&TypeId::of::<T>())?.downcast_ref()
    }
}

impl fmt::Debug for Services {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Services").field("count", &self.by_type.len()).finish()
    }
}

/// What all calls of a session share. Build one, then share it behind an `Arc`.
#[derive(Clone, Default)]
pub struct CallEnv {
    session_id: Option<SessionId>,
    agent_id: AgentId,
    workspace_root: PathBuf,
    access_mode: AccessMode,
    services: Services,
    progress: Option<Arc<dyn ProgressSink>>,
}

impl CallEnv {
    /// Surroundings with this workspace root, which should be absolute.
    pub fn new(workspace_root: impl Into<PathBuf>) -> Self {
        Self { workspace_root: workspace_root.into(), ..Self::default() }
    }

    /// Sets the session.
    #[must_use]
    pub fn with_session(mut self, id: SessionId) -> Self {
        self.session_id = Some(id);
        self
    }

    /// Sets the agent.
    #[must_use]
    pub fn with_agent(mut self, id: AgentId) -> Self {
        self.agent_id = id;
        self
    }

    /// Sets the access mode.
    #[must_use]
    pub fn with_access_mode(mut self, mode: AccessMode) -> Self {
        self.access_mode = mode;
        self
    }

    /// Sets the services.
    #[must_use]
    pub fn with_services(mut self, services: Services) -> Self {
        self.services = services;
        self
    }

    /// Sets the receiver of progress lines.
    #[must_use]
    pub fn with_progress(mut self, sink: Arc<dyn ProgressSink>) -> Self {
        self.progress = Some(sink);
        self
    }

    /// The session, if there is one.
    #[must_use]
    pub fn session_id(&self) -> Option<&SessionId> {
        self.session_id.as_ref()
    }

    /// The agent.
    #[must_use]
    pub fn agent_id(&self) -> &AgentId {
        &self.agent_id
    }

    /// The workspace root.
    #[must_use]
    pub fn workspace_root(&self) -> &Path {
        &self.workspace_root
    }

    /// The access mode.
    #[must_use]
    pub fn access_mode(&self) -> AccessMode {
        self.access_mode
    }

    /// The services.
    #[must_use]
    pub fn services(&self) -> &Services {
        &self.services
    }

    pub(crate) fn progress_sink(&self) -> Option<&Arc<dyn ProgressSink>> {
        self.progress.as_ref()
    }
}

impl fmt::Debug for CallEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallEnv")
            .field("session_id", &self.session_id)
            .field("agent_id", &self.agent_id)
            .field("workspace_root", &self.workspace_root)
            .field("access_mode", &self.access_mode)
            .finish_non_exhaustive()
    }
}
