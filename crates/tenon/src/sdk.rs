//! `tenon sdk`: what a program is written against.

use std::sync::Arc;

use contract_registry::{ThreadRuntime, declarations, declarations_within};

use crate::cli::{Common, Sdk};
use crate::exit::{Exit, Stop};
use crate::format::to_stdout;
use crate::setup;

/// Runs the command. It makes no call, so it starts no runtime.
pub(crate) fn run(sdk: &Sdk, common: &Common) -> Result<Exit, Stop> {
    setup::root(common)?;
    let tools = setup::registry(Arc::new(ThreadRuntime))?.list();
    let text = match sdk.max_bytes {
        None => declarations(&tools),
        Some(max_bytes) => declarations_within(&tools, max_bytes)
            .map_err(|error| Stop::usage(format!("--max-bytes: {error}")))?,
    };
    to_stdout(|out| out.write_all(text.as_bytes()))?;
    Ok(Exit::Success)
}
