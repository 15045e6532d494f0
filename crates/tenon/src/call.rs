//! `tenon call`: one direct call, from what was typed to the exit code.

use std::io::{Write as _, stderr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use contract_registry::{CallId, CallRequest, CancelSource, Outcome, Registry, Runtime, SessionId};
use tokio::time::{MissedTickBehavior, interval};

use crate::approve::Terminal;
use crate::cli::{Call, Common, Format};
use crate::command_hooks::Surroundings;
use crate::config::{Config, Trust, Withheld};
use crate::exit::{Exit, Stop, plain};
use crate::progress::{Latest, Line, QUIET, TICK};
use crate::session::Recorder;
use crate::signals::Signals;
use crate::{arguments, config, format, outputs, policy, runtime, setup};

/// How long the runtime may take to stop once the result is printed. Work that ignores its
/// cancellation ends with the process.
const SHUTDOWN: Duration = Duration::from_millis(100);

/// Makes the call and prints its result.
pub(crate) fn run(call: &Call, common: &Common) -> Result<Exit, Stop> {
    let root = setup::root(common)?;
    let arguments = arguments::read(call.arguments.as_deref())?;
    let state = config::state_root().ok();
    let config = configured(&root, state.as_deref())?;
    let recorder = call.session.as_deref();
    let recorder = recorder.map(|id| Recorder::open(id, &root, config.sync)).transpose()?;
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
    let hooks = policy::hooks(&config, runtime.block_on(store), &seam, terminal, &around)?;
    let outputs = outputs::store(&config, state.as_deref());
    let registry = setup::governed(seam, hooks, &config, outputs)?;
    let environment = setup::environment(common, root, latest.clone(), session);
    let line = Line::new(&call.name, latest);
    let id = CallId::next();
    if let Some(recorder) = &recorder {
        recorder.begins(&id, &call.name, &arguments)?;
    }
    let request =
        CallRequest::new(&call.name, arguments).with_call_id(id.clone()).with_env(environment);
    let (outcome, signalled) = runtime.block_on(dispatch(registry, request, line))?;
    host_process::end_all(SHUTDOWN);
    if let Some(recorder) = &recorder {
        recorder.ends(&id, &call.name, &outcome)?;
    }
    let ended = if outcome.is_error() { Exit::Failed } else { Exit::Success };
    runtime.block_on(print(outcome, call.format))?;
    runtime.shutdown_timeout(SHUTDOWN);
    Ok(signalled.unwrap_or(ended))
}

/// Prints where blocking is allowed, so that a signal ends the program though nobody reads its output.
async fn print(outcome: Outcome, format: Format) -> Result<(), Stop> {
    let mut signals = Signals::listen()?;
    let printing = tokio::task::spawn_blocking(move || format::print(&outcome, format));
    tokio::select! {
        printed = printing => {
            printed.map_err(|error| Stop::internal(format!("the result was lost: {error}")))?
        }
        exit = signals.next() => at_once(exit),
    }
}

/// What is in effect here; what an untrusted folder asks for beyond that is said on stderr.
fn configured(root: &Path, state: Option<&Path>) -> Result<Config, Stop> {
    let trust = Trust::at(state.unwrap_or(Path::new("")));
    let config = config::load(root, &trust)?;
    if let Some(Withheld { path, what }) = &config.withheld {
        // Nobody to tell when stderr is gone.
        let _ = writeln!(
            stderr(),
            "warning: {} asks to {}; that is not in effect before `tenon trust`",
            plain(&path.display().to_string()),
            plain(&what.join(", "))
        );
    }
    Ok(config)
}

/// Runs the call on a worker; meanwhile serves signals and the progress line.
async fn dispatch(
    registry: Registry,
    request: CallRequest,
    mut line: Line,
) -> Result<(Outcome, Option<Exit>), Stop> {
    let mut signals = Signals::listen()?;
    let cancel = CancelSource::new();
    let request = request.with_cancel(cancel.signal());
    let mut call = tokio::spawn(async move { registry.dispatch(request).await });
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks.reset_after(QUIET);
    let mut signalled = None;
    let ended = loop {
        tokio::select! {
            ended = &mut call => break ended,
            exit = signals.next() => {
                line.clear();
                if signalled.replace(exit).is_some() {
                    at_once(exit);
                }
                cancel.cancel();
            }
            _ = ticks.tick() => line.draw(),
        }
    };
    line.clear();
    let outcome = ended.map_err(|error| Stop::internal(format!("the call was lost: {error}")))?;
    Ok((outcome, signalled))
}

/// Ends the program without waiting for the call: the user asked twice.
#[expect(clippy::exit, reason = "a second signal must not wait for anything")]
fn at_once(exit: Exit) -> ! {
    host_process::end_all(SHUTDOWN);
    std::process::exit(exit.code().into())
}
