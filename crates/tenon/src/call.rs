//! `tenon call`: one direct call, from what was typed to the exit code.

use std::sync::Arc;
use std::time::Duration;

use contract_registry::{CallEnv, CallRequest, CancelSource, Outcome, Registry};
use contract_schema::Json;
use tokio::time::{MissedTickBehavior, interval};

use crate::cli::{Call, Common};
use crate::exit::{Exit, Stop};
use crate::progress::{Latest, Line, QUIET, TICK};
use crate::signals::Signals;
use crate::{arguments, format, runtime, setup};

/// How long the runtime may take to stop once the result is printed. Work that ignores its
/// cancellation ends with the process.
const SHUTDOWN: Duration = Duration::from_millis(100);

/// Makes the call and prints its result.
pub(crate) fn run(call: &Call, common: &Common) -> Result<Exit, Stop> {
    let root = setup::root(common)?;
    let arguments = arguments::read(call.arguments.as_deref())?;
    let runtime = runtime::start()?;
    let latest = Latest::default();
    let registry = setup::registry(Arc::new(runtime::Tokio::new(runtime.handle().clone())))?;
    let environment = setup::environment(common, root, latest.clone());
    let line = Line::new(&call.name, latest);
    let dispatch = dispatch(registry, &call.name, arguments, environment, line);
    let (outcome, signalled) = runtime.block_on(dispatch)?;
    runtime.shutdown_timeout(SHUTDOWN);
    format::print(&outcome, call.format)?;
    Ok(signalled.unwrap_or(if outcome.is_error() { Exit::Failed } else { Exit::Success }))
}

/// Runs the call on a worker; meanwhile serves signals and the progress line.
async fn dispatch(
    registry: Registry,
    name: &str,
    arguments: Json,
    environment: Arc<CallEnv>,
    mut line: Line,
) -> Result<(Outcome, Option<Exit>), Stop> {
    let mut signals = Signals::listen()?;
    let cancel = CancelSource::new();
    let request =
        CallRequest::new(name, arguments).with_env(environment).with_cancel(cancel.signal());
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
    std::process::exit(exit.code().into())
}
