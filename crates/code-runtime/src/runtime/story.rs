//! What a worker tells, checked as it comes: a worker that a program took over can lie, but not forge a shape.

use contract_schema::Json;

use super::exit::{allowed, hit};
use crate::config::Limits;
use crate::host::CallStart;
use crate::outcome::{CallEnd, CallRecord, Ended, Fault, Limit, LimitHit, Place};
use crate::program::Program;
use crate::sandbox::Confinement;
use crate::script;
use crate::wire::{Broken, DecodeError, Frame, FrameKind, Reader, decode, limit_of};
use crate::worker::VERSION;

/// What is known of a run so far.
#[derive(Debug)]
pub(super) struct Story {
    pub(super) program: Program,
    limits: Limits,
    pub(super) logs: Vec<String>,
    pub(super) calls: Vec<CallRecord>,
    pub(super) confinement: Option<Confinement>,
    pub(super) started: bool,
    pending: u32,
    output_bytes: usize,
}

/// What a frame means for the run.
#[derive(Debug)]
pub(super) enum Turn {
    Nothing,
    /// The worker spoke for the first time.
    Spoke,
    Call(CallStart),
    Ended(Ended),
}

impl Story {
    pub(super) fn new(program: Program, limits: Limits) -> Self {
        Self {
            program,
            limits,
            logs: Vec::new(),
            calls: Vec::new(),
            confinement: None,
            started: false,
            pending: 0,
            output_bytes: 0,
        }
    }

    /// Takes a frame in. What no worker says ends the run.
    pub(super) fn hear(&mut self, frame: &Frame<'_>) -> Turn {
        match self.turn(frame) {
            Ok(turn) => turn,
            Err(broken) => Turn::Ended(Ended::Broken(format!("it sent {broken}"))),
        }
    }

    fn turn(&mut self, frame: &Frame<'_>) -> Result<Turn, Broken> {
        let Frame { kind, id, payload } = *frame;
        if self.confinement.is_none() && kind != FrameKind::Hello {
            return Err(Broken("something before its greeting"));
        }
        match kind {
            FrameKind::Hello if self.confinement.is_none() => self.greeting(payload),
            FrameKind::Started => {
                self.started = true;
                Ok(Turn::Nothing)
            }
            FrameKind::Log => self.log(payload),
            FrameKind::Call => self.call(id, payload),
            FrameKind::Done => self.done(id, payload),
            FrameKind::Fault => {
                let fault = self.fault(payload)?;
                let ended = if id == 0 { Ended::Refused(fault) } else { Ended::Threw(fault) };
                Ok(Turn::Ended(ended))
            }
            FrameKind::Limit => self.limit(id, payload),
            FrameKind::Stalled => Ok(Turn::Ended(Ended::Stalled)),
            FrameKind::Hello
            | FrameKind::Setup
            | FrameKind::Program
            | FrameKind::Return
            | FrameKind::Reject => Err(Broken("a frame that only a host sends")),
        }
    }

    fn greeting(&mut self, payload: &[u8]) -> Result<Turn, Broken> {
        let mut reader = Reader::new(payload);
        if reader.text()? != VERSION {
            return Err(Broken("the version of another build"));
        }
        self.confinement = Some(Confinement::read(&mut reader)?);
        Ok(Turn::Spoke)
    }

    fn log(&mut self, payload: &[u8]) -> Result<Turn, Broken> {
        let line = std::str::from_utf8(payload).map_err(|_| Broken("a line that is not UTF-8"))?;
        // The worker counts a byte for each line, too; the last may be over by that byte.
        let allowed = self.limits.output_bytes;
        if self.output_bytes > allowed || line.len() > allowed - self.output_bytes {
            return Err(Broken("more output than it may"));
        }
        self.output_bytes += line.len() + 1;
        self.logs.push(line.to_owned());
        Ok(Turn::Nothing)
    }

    fn call(&mut self, id: u32, payload: &[u8]) -> Result<Turn, Broken> {
        let next = u32::try_from(self.calls.len()).unwrap_or(u32::MAX).saturating_add(1);
        if id != next || !self.started {
            return Err(Broken("a call out of order"));
        }
        if id > self.limits.calls || self.pending >= self.limits.pending_calls {
            return Err(Broken("more calls than it may"));
        }
        let (head, value) = payload.split_at_checked(8).ok_or(Broken("half a call"))?;
        if value.len() > self.limits.value_bytes {
            return Err(Broken("a value that is too large"));
        }
        let number = |bytes: Option<&[u8; 4]>| {
            bytes.map_or(usize::MAX, |bytes| u32::from_le_bytes(*bytes) as usize)
        };
        let bindings = self.program.bindings.get(number(head.first_chunk()));
        let bindings = bindings.ok_or(Broken("a call of nothing"))?;
        let name = bindings.functions.get(number(head.last_chunk()));
        let name = name.ok_or(Broken("a call of nothing"))?.clone();
        let args = document(value)?;
        let global = bindings.global.clone();
        self.pending += 1;
        let (named, of) = (name.clone(), global.clone());
        self.calls.push(CallRecord { id, global: of, name: named, ended: CallEnd::Dropped });
        Ok(Turn::Call(CallStart { id, global, name, args }))
    }

    /// Notes how a call ended.
    pub(super) fn answered(&mut self, id: u32, ended: CallEnd) {
        self.pending = self.pending.saturating_sub(1);
        let index = (id as usize).wrapping_sub(1);
        if let Some(record) = self.calls.get_mut(index) {
            record.ended = ended;
        }
    }

    fn done(&self, id: u32, payload: &[u8]) -> Result<Turn, Broken> {
        if payload.len() > self.limits.output_bytes.saturating_sub(self.output_bytes) {
            return Err(Broken("more output than it may"));
        }
        let result = if id == 0 { None } else { Some(document(payload)?) };
        Ok(Turn::Ended(Ended::Returned(result)))
    }

    fn limit(&self, id: u32, payload: &[u8]) -> Result<Turn, Broken> {
        let limit = limit_of(id)?;
        let fault = if payload.is_empty() { None } else { Some(self.fault(payload)?) };
        let allowed = allowed(&self.limits, limit);
        Ok(Turn::Ended(Ended::Limit(LimitHit { limit, allowed, fault })))
    }

    /// An error, with its place shown in the program as written.
    fn fault(&self, payload: &[u8]) -> Result<Fault, Broken> {
        let mut reader = Reader::new(payload);
        let (name, message) = (reader.text()?.to_owned(), reader.text()?.to_owned());
        let (line, column) = (reader.number32()?, reader.number32()?);
        let excerpt = script::excerpt(&self.program.source, line, column);
        let place = excerpt.map(|excerpt| Place { line, column, excerpt });
        Ok(Fault { name, message, place })
    }

    /// Why the program cannot even be sent, if it cannot.
    pub(super) fn refused(&self) -> Option<Ended> {
        let message = if let Some(message) = self.program.misnamed() {
            message
        } else if self.program.source.len() > self.limits.source_bytes {
            let (is, most) = (self.program.source.len(), self.limits.source_bytes);
            format!("the program is {is} bytes, more than the {most} that are read")
        } else {
            return None;
        };
        Some(Ended::Refused(Fault { name: String::new(), message, place: None }))
    }

    pub(super) fn wall(&self) -> Ended {
        hit(Limit::Wall, self.limits.wall_ms)
    }
}

fn document(bytes: &[u8]) -> Result<Json, Broken> {
    decode(bytes).map_err(|error| match error {
        DecodeError::Broken(broken) => broken,
        DecodeError::Snapshot(_) => Broken("a value that is no JSON"),
    })
}
