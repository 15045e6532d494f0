//! Tracing to stderr: what `--log` lets through; without it warnings, in plain lines.

use std::fmt;
use std::io::{IsTerminal, stderr};

use tracing::{Event, Level, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::{FmtSpan, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::exit::{Stop, plain};
use crate::progress::say;

/// What hooks came to is told with the name of their file: see `command_hooks`.
const TOLD_ELSEWHERE: &str = "contract_hooks::command";

/// Starts to write what the filter lets through.
pub(crate) fn start(filter: &str) -> Result<(), Stop> {
    let filter = EnvFilter::try_new(filter)
        .map_err(|error| Stop::usage(format!("--log {filter}: {error}")))?;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(stderr)
        .with_ansi(stderr().is_terminal())
        .with_span_events(FmtSpan::CLOSE)
        .try_init()
        .map_err(|error| Stop::internal(format!("cannot start the log: {error}")))
}

/// Starts to write warnings, as the program's own are written.
pub(crate) fn start_plain() -> Result<(), Stop> {
    let warnings =
        Targets::new().with_default(Level::WARN).with_target(TOLD_ELSEWHERE, LevelFilter::OFF);
    let layer = tracing_subscriber::fmt::layer().event_format(Plain).with_writer(stderr);
    let started = tracing_subscriber::registry().with(layer).with(warnings).try_init();
    started.map_err(|error| Stop::internal(format!("cannot start the log: {error}")))
}

/// A warning in one line.
struct Plain;

impl<S, N> FormatEvent<S, N> for Plain
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        _: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut text = String::new();
        context.format_fields(Writer::new(&mut text), event)?;
        say(&plain(&format!("warning: {text}")));
        Ok(())
    }
}
