//! What the program is made of: the folder it works in, the registry with its tools, the surroundings
//! of its calls.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use contract_hooks::Hooks;
use contract_registry::{
    AccessMode, CallEnv, CallId, ProgressSink, Registry, RegistryBuilder, Runtime, Services,
    SessionId,
};
use tools_firstparty::seam::process::OutputStore;
use tools_firstparty::{Config, HostLife, Seams};

use crate::cli::{Access, Common};
use crate::exit::Stop;
use crate::progress::Latest;

/// The folder to work in, absolute.
///
/// Its spelling is kept, links included, unless it goes upwards: `a/..` is not the folder that holds `a`
/// when `a` is a link.
pub(crate) fn root(common: &Common) -> Result<PathBuf, Stop> {
    folder("--root ", common.root.as_deref())
}

/// A folder that was named, else the current one, absolute. `by` is how an error names what named it.
pub(crate) fn folder(by: &str, named: Option<&Path>) -> Result<PathBuf, Stop> {
    let spelled = named.unwrap_or(Path::new("."));
    let refuse = |why: &dyn std::fmt::Display| match named {
        Some(named) => Stop::usage(format!("{by}{}: {why}", named.display())),
        None => Stop::usage(format!("the current folder cannot be used: {why}")),
    };
    let metadata = std::fs::metadata(spelled).map_err(|error| refuse(&error))?;
    if !metadata.is_dir() {
        return Err(refuse(&"not a folder"));
    }
    let upwards = spelled.components().any(|part| part == Component::ParentDir);
    let absolute = if upwards { spelled.canonicalize() } else { std::path::absolute(spelled) };
    absolute.map_err(|error| refuse(&error))
}

/// A registry with the first-party tools, for listing.
pub(crate) fn registry(runtime: Arc<dyn Runtime>) -> Result<Registry, Stop> {
    filled(Registry::builder().runtime(runtime), &Config::default(), &Seams::default())
}

/// A registry with the first-party tools, for one call under these hooks.
pub(crate) fn governed(
    runtime: Arc<dyn Runtime>,
    hooks: Hooks,
    config: &Config,
    outputs: Arc<dyn OutputStore>,
) -> Result<Registry, Stop> {
    let config = Config { host_life: HostLife::OneCall, ..config.clone() };
    let seams = Seams { outputs: Some(outputs), ..Seams::default() };
    filled(Registry::builder().runtime(runtime).policy(Arc::new(hooks)), &config, &seams)
}

fn filled(builder: RegistryBuilder, config: &Config, seams: &Seams) -> Result<Registry, Stop> {
    let registry = builder.build();
    let tools = tools_firstparty::tools(config, seams)
        .map_err(|error| Stop::usage(format!("the tools cannot be built: {error}")))?;
    for tool in tools.into_tools() {
        let registered = registry.register_dyn(tool);
        registered.map_err(|error| Stop::internal(error.to_string()))?.keep();
    }
    Ok(registry)
}

/// The surroundings of a call.
pub(crate) fn environment(
    common: &Common,
    root: PathBuf,
    latest: Latest,
    session: Option<SessionId>,
    services: Services,
) -> Arc<CallEnv> {
    let mode = match common.access {
        Access::ReadOnly => AccessMode::ReadOnly,
        Access::WorkspaceWrite => AccessMode::WorkspaceWrite,
        Access::Full => AccessMode::Full,
    };
    let env = CallEnv::new(root).with_access_mode(mode).with_progress(Arc::new(Sink(latest)));
    let env = env.with_services(services);
    Arc::new(match session {
        Some(id) => env.with_session(id),
        None => env,
    })
}

/// Takes what calls say of their progress to the line on stderr.
struct Sink(Latest);

impl ProgressSink for Sink {
    fn progress(&self, _: &CallId, message: &str) {
        self.0.set(message);
    }
}
