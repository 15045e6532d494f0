//! `tenon code`: one call of `run_code` with a program from a file, the command line or standard input.

use std::fs::File;
use std::io::{Read, stdin};
use std::path::Path;

use contract_registry::{Services, Tool as _};
use contract_schema::Json;
use serde_json::json;
use tools_firstparty::{Observations, RunCode};

use crate::call::{self, Wanted};
use crate::cli::{Code, Common};
use crate::exit::{Exit, Stop};

/// How many bytes of a program are read; the tool's own limit is below.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Runs the program and prints what came of it.
pub(crate) fn run(code: &Code, common: &Common) -> Result<Exit, Stop> {
    let (source, from) = match (&code.source, code.file.as_deref()) {
        (Some(source), _) => (source.clone(), "the command line".to_owned()),
        (None, Some(path)) if path != Path::new("-") => (file(path)?, path.display().to_string()),
        (None, _) => (text(stdin().lock(), "standard input")?, "standard input".to_owned()),
    };
    let arguments = json!({ "code": source, "description": format!("Run the program of {from}") });
    let arguments =
        Json::snapshot(&arguments).map_err(|error| Stop::internal(error.to_string()))?;
    let wanted = Wanted {
        name: RunCode::NAME,
        arguments,
        format: code.format,
        session: code.session.as_deref(),
        // A program changes only what it has read (decisions DF4).
        services: Services::default().with(Observations::default()),
    };
    call::make(wanted, common)
}

fn file(path: &Path) -> Result<String, Stop> {
    let source = path.display().to_string();
    let file = File::open(path).map_err(|error| unreadable(&source, &error))?;
    text(file, &source)
}

fn text(reader: impl Read, source: &str) -> Result<String, Stop> {
    let mut bytes = Vec::new();
    let read = reader.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| unreadable(source, &error))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Stop::usage(format!("{source} holds more than {MAX_BYTES} bytes")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Stop::usage(format!("{source} is not UTF-8: the byte at {at} begins no character"))
    })
}

fn unreadable(source: &str, error: &std::io::Error) -> Stop {
    Stop::usage(format!("cannot read a program from {source}: {error}"))
}
