//! The frames that are neither values nor texts alone.

use super::reader::{Broken, Reader};
use super::write::Writer;
use crate::config::Limits;
use crate::outcome::Limit;
use crate::program::{Bindings, ErrorClass, Program};

/// Writes the limits and how long to poll, in microseconds.
pub(crate) fn write_setup(writer: &mut Writer<'_>, limits: &Limits, poll_us: u64) {
    for number in [
        limits.heap_bytes as u64,
        limits.stack_bytes as u64,
        limits.compute_ms,
        limits.wall_ms,
        limits.output_bytes as u64,
        limits.value_bytes as u64,
        limits.calls.into(),
        limits.pending_calls.into(),
        limits.timers.into(),
        limits.source_bytes as u64,
        limits.message_bytes as u64,
        poll_us,
    ] {
        writer.number(number);
    }
}

pub(crate) fn read_setup(payload: &[u8]) -> Result<(Limits, u64), Broken> {
    let mut reader = Reader::new(payload);
    let limits = Limits {
        heap_bytes: reader.size()?,
        stack_bytes: reader.size()?,
        compute_ms: reader.number()?,
        wall_ms: reader.number()?,
        output_bytes: reader.size()?,
        value_bytes: reader.size()?,
        calls: reader.number32()?,
        pending_calls: reader.number32()?,
        timers: reader.number32()?,
        source_bytes: reader.size()?,
        message_bytes: reader.size()?,
    };
    Ok((limits, reader.number()?))
}

pub(crate) fn write_program(writer: &mut Writer<'_>, program: &Program) {
    writer.text(&program.source);
    writer.number(program.bindings.len() as u64);
    for bindings in &program.bindings {
        writer.text(&bindings.global);
        writer.text(&bindings.error.name);
        writer.text(&bindings.error.function_property);
        writer.number(bindings.functions.len() as u64);
        for name in &bindings.functions {
            writer.text(name);
        }
    }
}

pub(crate) fn read_program(payload: &[u8]) -> Result<Program, Broken> {
    let mut reader = Reader::new(payload);
    let source = reader.text()?.to_owned();
    let count = reader.count()?;
    let bindings = (0..count).map(|_| read_bindings(&mut reader)).collect::<Result<_, _>>()?;
    Ok(Program { source, bindings })
}

fn read_bindings(reader: &mut Reader<'_>) -> Result<Bindings, Broken> {
    let global = reader.text()?.to_owned();
    let name = reader.text()?.to_owned();
    let error = ErrorClass { name, function_property: reader.text()?.to_owned() };
    let count = reader.count()?;
    let names = (0..count).map(|_| reader.text().map(str::to_owned));
    Ok(Bindings { global, functions: names.collect::<Result<_, _>>()?, error })
}

/// The number of a limit that a worker may report; `Wall` is the host's own.
pub(crate) fn limit_number(limit: Limit) -> u32 {
    match limit {
        Limit::Heap => 1,
        Limit::Stack => 2,
        Limit::Compute => 3,
        Limit::Wall => 4,
        Limit::Output => 5,
        Limit::ValueBytes => 6,
        Limit::Calls => 7,
        Limit::PendingCalls => 8,
    }
}

pub(crate) fn limit_of(number: u32) -> Result<Limit, Broken> {
    Ok(match number {
        1 => Limit::Heap,
        2 => Limit::Stack,
        3 => Limit::Compute,
        4 => Limit::Wall,
        5 => Limit::Output,
        6 => Limit::ValueBytes,
        7 => Limit::Calls,
        8 => Limit::PendingCalls,
        _ => return Err(Broken("a limit of no known name")),
    })
}
