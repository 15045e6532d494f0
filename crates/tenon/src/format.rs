//! What is printed of an outcome, byte for byte.

use std::io::{self, BufWriter, Write, stderr, stdout};

use contract_registry::Outcome;
use contract_schema::{ContentBlock, ContextSource};
use contract_session::native::write_native;
use serde::Serialize;

use crate::cli::Format;
use crate::exit::{Stop, one_row, plain, written};

/// Prints an outcome: the result to stdout, diagnostics to stderr.
pub(crate) fn print(outcome: &Outcome, format: Format) -> Result<(), Stop> {
    if format != Format::Result {
        tell_contexts(outcome);
    }
    match (format, outcome.result()) {
        (Format::Native, _) => to_stdout(|out| write_native(outcome.content(), out)),
        (Format::Result, _) => json_line(&outcome.union()),
        (Format::Value, Ok(success)) => json_line(success.value()),
        (Format::Value, Err(failure)) => {
            // Nobody to tell when stderr is gone.
            let _ = writeln!(stderr(), "error: {}", plain(failure.message()));
            Ok(())
        }
    }
}

/// Tells on stderr what the model gets beside the result: stdout has the result alone.
fn tell_contexts(outcome: &Outcome) {
    for context in outcome.contexts() {
        let ContextSource { kind, name } = &context.source;
        let from = format!("message from {kind} {name}");
        let texts = context.content.iter().filter_map(ContentBlock::as_text);
        let text = texts.collect::<Vec<_>>().join("\n");
        // Nobody to tell when stderr is gone.
        let _ = writeln!(stderr(), "{}: {}", one_row(&from), plain(&text));
    }
}

/// Prints a value as one line of JSON.
pub(crate) fn json_line<T: Serialize + ?Sized>(value: &T) -> Result<(), Stop> {
    to_stdout(|out| {
        serde_json::to_writer(&mut *out, value).map_err(io::Error::from)?;
        out.write_all(b"\n")
    })
}

/// Writes to stdout through a buffer.
pub(crate) fn to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Stop> {
    let mut out = BufWriter::with_capacity(64 * 1024, stdout().lock());
    let result = write(&mut out).and_then(|()| out.flush());
    // What is left in the buffer has nowhere to go.
    let _ = out.into_parts();
    written(result)
}
