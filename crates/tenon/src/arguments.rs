//! The arguments of a call: inline, from a file or from standard input.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, stdin};
use std::path::Path;

use contract_schema::Json;

use crate::exit::Stop;

/// How many bytes of arguments are read. More is refused, so that an endless stream cannot fill the
/// memory.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// Reads the arguments of a call; none typed means `{}`.
pub(crate) fn read(typed: Option<&OsStr>) -> Result<Json, Stop> {
    let Some(typed) = typed else { return parse(b"{}", "the arguments") };
    let bytes = typed.as_encoded_bytes();
    if bytes == b"-" {
        return parse(&all(stdin().lock(), "standard input")?, "standard input");
    }
    match bytes.strip_prefix(b"@") {
        Some(_) => from_file(file_name(typed)),
        None => parse(bytes, "the arguments"),
    }
}

/// The name behind the `@`.
fn file_name(typed: &OsStr) -> &Path {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        Path::new(OsStr::from_bytes(typed.as_bytes().get(1..).unwrap_or_default()))
    }
    #[cfg(not(unix))]
    {
        Path::new(typed.to_str().and_then(|name| name.strip_prefix('@')).unwrap_or_default())
    }
}

fn from_file(path: &Path) -> Result<Json, Stop> {
    let source = path.display().to_string();
    let file = File::open(path).map_err(|error| unreadable(&source, &error))?;
    parse(&all(file, &source)?, &source)
}

fn all(reader: impl Read, source: &str) -> Result<Vec<u8>, Stop> {
    let mut bytes = Vec::new();
    let mut bounded = reader.take(MAX_BYTES + 1);
    let read = bounded.read_to_end(&mut bytes).map_err(|error| unreadable(source, &error))?;
    if read as u64 > MAX_BYTES {
        let limit = MAX_BYTES / (1024 * 1024);
        return Err(Stop::usage(format!("{source} holds more than {limit} MiB of arguments")));
    }
    Ok(bytes)
}

fn parse(bytes: &[u8], source: &str) -> Result<Json, Stop> {
    Json::parse_bytes(bytes).map_err(|error| {
        Stop::usage(format!(
            "{source} cannot be read as JSON: {error}\n\
             Give the arguments as one JSON object, as @FILE, or as - for standard input."
        ))
    })
}

fn unreadable(source: &str, error: &std::io::Error) -> Stop {
    Stop::usage(format!("cannot read arguments from {source}: {error}"))
}
