//! `--log`: tracing to stderr.

use std::io::{IsTerminal, stderr};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

use crate::exit::Stop;

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
