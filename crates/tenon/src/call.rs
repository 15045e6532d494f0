//! `tenon call`, and the call of `tenon code`: one direct call, from what was typed to the exit code.

use std::io::{Write as _, stderr};
use std::path::Path;
use std::sync::Arc;

use contract_hooks::Hooks;
use contract_registry::{
    CallId, CallRequest, CancelSource, Outcome, Registry, Runtime, Services, SessionId,
};
use contract_schema::Json;
use contract_session::Entry;
use tokio::time::{MissedTickBehavior, interval};
use tools_firstparty::NestedCalls;

use crate::approve::Terminal;
use crate::cli::{Call, Common, Format};
use crate::command_hooks::Surroundings;
use crate::config::{Config, Trust, Withheld};
use crate::exit::{Exit, Stop, one_row};
use crate::nested::Nested;
use crate::progress::{Latest, Line, QUIET, TICK};
use crate::session::Recorder;
use crate::signals::{SHUTDOWN, Served};
use crate::{arguments, config, format, outputs, policy, runtime, setup};

/// A call to be made.
pub(crate) struct Wanted<'a> {
    pub(crate) name: &'a str,
    pub(crate) arguments: Json,
    pub(crate) format: Format,
    pub(crate) session: Option<&'a str>,
    pub(crate) services: Services,
}

/// Makes the call that was typed and prints its result.
pub(crate) fn run(call: &Call, common: &Common) -> Result<Exit, Stop> {
    setup::root(common)?;
    let wanted = Wanted {
        name: &call.name,
        arguments: arguments::read(call.arguments.as_deref())?,
        format: call.format,
        session: call.session.as_deref(),
        services: Services::default(),
    };
    make(wanted, common)
}

/// Makes a call and prints its result.
pub(crate) fn make(wanted: Wanted<'_>, common: &Common) -> Result<Exit, Stop> {
    let Wanted { name, arguments, format: form, session, services } = wanted;
    let (root, name) = (setup::root(common)?, name.to_owned());
    let state = config::state_root().ok();
    let config = configured(&root, state.as_deref())?;
    let reminder = policy::reminder(&config)?;
    let mut recall = |entry: &Entry| policy::recall(&reminder, entry);
    let recorder =
        session.map(|id| Recorder::open(id, &root, config.sync, &mut recall)).transpose()?;
    let runtime = runtime::start()?;
    let seam: Arc<dyn Runtime> = Arc::new(runtime::Tokio::new(runtime.handle().clone()));
    let latest = Latest::default();
    let terminal = Terminal::new(Arc::clone(&seam), latest.clone());
    let around = Surroundings {
        root: &root,
        transcript: recorder.as_ref().map(Recorder::transcript),
        journal: recorder.as_ref().map(Recorder::journal),
    };
    let session = recorder.as_ref().map(|recorder| SessionId::new(recorder.id()));
    let store = policy::store(&config, state.as_deref(), &seam, session.as_ref());
    let hooks =
        policy::hooks(&config, runtime.block_on(store), &seam, terminal, reminder, &around)?;
    let services = match &recorder {
        Some(recorder) => services.with(nested(recorder, &hooks)),
        None => services,
    };
    let outputs = outputs::store(&config, state.as_deref());
    let registry = setup::governed(seam, hooks, &config.tools, outputs)?;
    policy::warn_of_rules(&config, &registry);
    policy::warn_of_roots(&config);
    let environment = setup::environment(common, root, latest.clone(), session, services);
    let line = Line::new(&name, latest);
    let id = recorder.as_ref().map_or_else(CallId::next, Recorder::call_id);
    if let Some(recorder) = &recorder {
        recorder.begins(&id, &name, &arguments)?;
    }
    let request = CallRequest::new(&name, arguments).with_call_id(id.clone()).with_env(environment);
    let exit = runtime.block_on(async move {
        let mut served = Served::start()?;
        let outcome = dispatch(registry, request, line, &mut served).await?;
        let ended = if outcome.is_error() { Exit::Failed } else { Exit::Success };
        let logged = aside(move || logged(recorder.as_ref(), &id, &name, outcome));
        let outcome = served.during(logged).await??;
        // A signal ends the program though nobody reads its output.
        served.until(aside(move || format::print(&outcome, form))).await??;
        Ok(served.exit().unwrap_or(ended))
    })?;
    runtime.shutdown_timeout(SHUTDOWN);
    Ok(exit)
}

/// The log of what a program calls.
fn nested(recorder: &Recorder, hooks: &Hooks) -> NestedCalls {
    NestedCalls(Arc::new(Nested::new(recorder.journal(), hooks.clone())))
}

/// Ends what the call has left running and logs its result, before it is shown (contract L6).
fn logged(
    recorder: Option<&Recorder>,
    id: &CallId,
    name: &str,
    outcome: Outcome,
) -> Result<Outcome, Stop> {
    host_process::end_all(SHUTDOWN);
    if let Some(recorder) = recorder {
        recorder.ends(id, name, &outcome)?;
    }
    Ok(outcome)
}

/// Works where blocking is allowed, so that signals are served meanwhile.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Stop> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Stop::internal(format!("the result was lost: {error}")))
}

/// What is in effect here; what an untrusted folder asks for beyond that is said on stderr.
fn configured(root: &Path, state: Option<&Path>) -> Result<Config, Stop> {
    let config = config::load(root, state.map(Trust::at).as_ref())?;
    if let Some(Withheld { path, what, fault }) = &config.withheld {
        let (path, what) = (one_row(&path.display().to_string()), one_row(&what.join(", ")));
        let fault = fault.as_ref().map_or(String::new(), |fault| format!(" ({})", one_row(fault)));
        // Nobody to tell when stderr is gone.
        let _ = writeln!(
            stderr(),
            "warning: {path} asks to {what}; that is not in effect before `tenon trust`{fault}"
        );
    }
    Ok(config)
}

/// Runs the call on a worker; meanwhile serves signals and the progress line. The first signal cancels it.
async fn dispatch(
    registry: Registry,
    request: CallRequest,
    mut line: Line,
    served: &mut Served,
) -> Result<Outcome, Stop> {
    let cancel = CancelSource::new();
    let request = request.with_cancel(cancel.signal());
    let mut call = tokio::spawn(async move { registry.dispatch(request).await });
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks.reset_after(QUIET);
    let ended = loop {
        tokio::select! {
            ended = &mut call => break ended,
            () = served.next() => {
                line.clear();
                cancel.cancel();
            }
            _ = ticks.tick() => line.draw(),
        }
    };
    line.clear();
    ended.map_err(|error| Stop::internal(format!("the call was lost: {error}")))
}
