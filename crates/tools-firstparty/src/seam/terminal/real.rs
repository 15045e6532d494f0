//! Terminals of this system.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use host_process::{
    Command, Environment, ProcessError, Signal, Sink, Status, Terminal, TerminalSize,
};

use super::{
    Exit, OpenTerminal, Pty, PtyError, TerminalHost, TerminalSignal, TerminalSink, WaitingReader,
    probe,
};
use crate::seam::process::{described, inherited};

/// Between two looks at whether typing is to be given up.
const WRITE_STEP: Duration = Duration::from_millis(50);

/// Opens terminals of this system, under the process owner of `host-process` (decisions DR1).
#[derive(Clone, Copy, Debug, Default)]
pub struct HostTerminals;

impl TerminalHost for HostTerminals {
    fn open(
        &self,
        what: &OpenTerminal,
        sink: Box<dyn TerminalSink>,
    ) -> Result<Box<dyn Pty>, PtyError> {
        let [program, arguments @ ..] = what.program.as_slice() else {
            return Err(PtyError::NotStarted("no program is named".to_owned()));
        };
        let set = |all: Environment, (name, value): &(&'static str, String)| all.set(*name, value);
        let environment = what.environment.iter().fold(inherited(&what.allowed_variables), set);
        let mut command = Command::argv(program, arguments)
            .folder(&what.folder)
            .environment(environment)
            .grace(what.grace);
        if let Some(confinement) = &what.confinement {
            command = command.confine(confinement.clone());
        }
        let size = TerminalSize { rows: what.rows, columns: what.cols };
        let terminal = command.open_terminal(size, Forward { sink, answer: Vec::new() })?;
        let pid = as_id(terminal.pid());
        Ok(Box::new(Owned { pid, state: Mutex::new(State::Running(terminal)) }))
    }
}

/// Hands on what comes, and keeps the answer until it is asked for.
struct Forward {
    sink: Box<dyn TerminalSink>,
    answer: Vec<u8>,
}

impl Sink for Forward {
    fn take(&mut self, bytes: &[u8]) {
        self.answer.extend(self.sink.output(bytes));
    }

    fn answer(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.answer)
    }
}

/// A terminal as long as it runs, then how it ended: one that has ended holds nothing.
#[derive(Debug)]
struct Owned {
    pid: i32,
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    Running(Terminal),
    Ended(Exit),
}

impl Owned {
    fn state(&self) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let State::Running(terminal) = &*state
            && let Some(ended) = terminal.ended()
        {
            *state = State::Ended(match ended.status {
                Some(Status::Exited(code)) => Exit::Code(code),
                Some(Status::Signalled(signal)) => Exit::Signal(signal),
                None => Exit::Unknown,
            });
        }
        state
    }

    /// Does something with a terminal that runs.
    fn running<T>(&self, work: impl FnOnce(&Terminal) -> T) -> Result<T, PtyError> {
        match &*self.state() {
            State::Running(terminal) => Ok(work(terminal)),
            State::Ended(_) => Err(PtyError::Ended),
        }
    }
}

impl Pty for Owned {
    fn pid(&self) -> i32 {
        self.pid
    }

    fn write(&self, bytes: &[u8], give_up: &dyn Fn() -> bool) -> Result<usize, PtyError> {
        let mut typed = 0;
        while let Some(rest) = bytes.get(typed..).filter(|rest| !rest.is_empty()) {
            // Others may look at the terminal while this waits.
            let writing = self.running(|terminal| terminal.write(rest))?;
            typed += writing.wait(WRITE_STEP)?;
            if give_up() {
                break;
            }
        }
        Ok(typed)
    }

    fn exit(&self) -> Option<Exit> {
        match &*self.state() {
            State::Running(_) => None,
            State::Ended(exit) => Some(*exit),
        }
    }

    fn foreground(&self) -> Option<i32> {
        self.running(Terminal::foreground_group).ok().flatten().map(as_id)
    }

    fn signal_foreground(&self, signal: TerminalSignal) -> Result<i32, PtyError> {
        let signal = match signal {
            TerminalSignal::SigInt => Signal::Interrupt,
            TerminalSignal::SigTerm => Signal::Terminate,
            TerminalSignal::SigKill => Signal::Kill,
            TerminalSignal::SigTstp => Signal::Suspend,
            TerminalSignal::SigHup => Signal::HangUp,
        };
        Ok(as_id(self.running(|terminal| terminal.signal_foreground(signal))??))
    }

    fn end(&self) {
        // One that has ended needs no end.
        let _ = self.running(end);
    }

    fn waiting_reader(&self) -> Option<WaitingReader> {
        probe::waiting_reader(self.pid, self.foreground()?)
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        self.end();
    }
}

/// An interactive shell ignores the signal to end, but not that its terminal is gone. Whatever does is killed
/// after the grace time.
fn end(terminal: &Terminal) {
    let _ = terminal.signal_foreground(Signal::HangUp);
    let _ = terminal.signal_group(Signal::HangUp);
    terminal.stopper().stop();
}

/// Process ids fit.
fn as_id(id: u32) -> i32 {
    i32::try_from(id).unwrap_or(i32::MAX)
}

impl From<ProcessError> for PtyError {
    fn from(error: ProcessError) -> Self {
        match error {
            ProcessError::Ended => Self::Ended,
            ProcessError::Terminal { source } => Self::Io(source),
            error @ (ProcessError::Start { .. }
            | ProcessError::Folder { .. }
            | ProcessError::NotStarted
            | ProcessError::Watch { .. }
            | _) => Self::NotStarted(described(&error)),
        }
    }
}
