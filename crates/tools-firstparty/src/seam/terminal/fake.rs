//! A scripted terminal: what a program would do is told by the test.

use std::sync::{Arc, Mutex, PoisonError};

use super::{
    Exit, OpenTerminal, Pty, PtyError, TerminalHost, TerminalSignal, TerminalSink, WaitingReader,
};

/// What the program does when something is typed.
pub(crate) type Script = Arc<dyn Fn(&Fake, &[u8]) + Send + Sync>;

/// A host whose terminals follow a script.
#[derive(Clone)]
pub(crate) struct FakeHost {
    pub(crate) opened: Arc<Mutex<Vec<(OpenTerminal, Fake)>>>,
    /// Runs when a terminal is opened, with nothing typed, and at every write.
    pub(crate) script: Script,
    pub(crate) fails: bool,
}

impl std::fmt::Debug for FakeHost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FakeHost")
    }
}

/// One scripted terminal, shared by the test and the owner.
#[derive(Clone)]
pub(crate) struct Fake(Arc<Mutex<State>>);

struct State {
    sink: Option<Box<dyn TerminalSink>>,
    nonce: String,
    foreground: Option<i32>,
    reader: Option<WaitingReader>,
    typed: Vec<u8>,
    signals: Vec<(TerminalSignal, i32)>,
    exit: Option<Exit>,
    ends: bool,
    accepts: usize,
}

pub(crate) const SHELL: i32 = 100;

impl FakeHost {
    pub(crate) fn new(script: impl Fn(&Fake, &[u8]) + Send + Sync + 'static) -> Self {
        Self { opened: Arc::default(), script: Arc::new(script), fails: false }
    }

    pub(crate) fn last(&self) -> Fake {
        lock(&self.opened).last().expect("one was opened").1.clone()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TerminalHost for FakeHost {
    fn open(
        &self,
        what: &OpenTerminal,
        sink: Box<dyn TerminalSink>,
    ) -> Result<Box<dyn Pty>, PtyError> {
        if self.fails {
            return Err(PtyError::NotStarted("no such shell".to_owned()));
        }
        let ps1 =
            what.environment.iter().find(|(name, _)| *name == "PS1").map_or("", |(_, ps1)| ps1);
        let nonce =
            ps1.split("tenon=").nth(1).and_then(|rest| rest.split('\\').next()).unwrap_or("");
        let fake = Fake(Arc::new(Mutex::new(State {
            sink: Some(sink),
            nonce: nonce.to_owned(),
            foreground: Some(SHELL),
            reader: None,
            typed: Vec::new(),
            signals: Vec::new(),
            exit: None,
            ends: true,
            accepts: usize::MAX,
        })));
        lock(&self.opened).push((what.clone(), fake.clone()));
        (self.script)(&fake, b"");
        Ok(Box::new(Owned { fake, script: Arc::clone(&self.script) }))
    }
}

impl Fake {
    /// Prints; gives what the terminal answers.
    pub(crate) fn print(&self, text: &str) -> Vec<u8> {
        let Some(mut sink) = lock(&self.0).sink.take() else { return Vec::new() };
        let answer = sink.output(text.as_bytes());
        let mut state = lock(&self.0);
        if state.exit.is_none() {
            state.sink = Some(sink);
        }
        answer
    }

    /// Prints a prompt with its mark.
    pub(crate) fn prompt(&self) {
        let nonce = lock(&self.0).nonce.clone();
        self.print(&format!("$ \x1b]133;D;tenon={nonce}\x07"));
    }

    /// Says that a command begins.
    pub(crate) fn command(&self) {
        let nonce = lock(&self.0).nonce.clone();
        self.print(&format!("\x1b]133;C;tenon={nonce}\x07"));
    }

    pub(crate) fn exit(&self, exit: Exit) {
        let sink = {
            let mut state = lock(&self.0);
            state.exit.get_or_insert(exit);
            state.sink.take()
        };
        drop(sink);
    }

    pub(crate) fn in_front(&self, group: Option<i32>) {
        lock(&self.0).foreground = group;
    }

    pub(crate) fn waits(&self, reader: Option<WaitingReader>) {
        lock(&self.0).reader = reader;
    }

    /// Does not end when told to.
    pub(crate) fn survives(&self, survives: bool) {
        lock(&self.0).ends = !survives;
    }

    /// How many bytes it takes before typing stalls.
    pub(crate) fn accepts(&self, bytes: usize) {
        lock(&self.0).accepts = bytes;
    }

    pub(crate) fn typed(&self) -> String {
        String::from_utf8_lossy(&lock(&self.0).typed).into_owned()
    }

    pub(crate) fn signals(&self) -> Vec<(TerminalSignal, i32)> {
        lock(&self.0).signals.clone()
    }

    pub(crate) fn has_ended(&self) -> bool {
        lock(&self.0).exit.is_some()
    }
}

struct Owned {
    fake: Fake,
    script: Script,
}

impl std::fmt::Debug for Owned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Owned")
    }
}

impl Pty for Owned {
    fn pid(&self) -> i32 {
        SHELL
    }

    fn write(&self, bytes: &[u8], give_up: &dyn Fn() -> bool) -> Result<usize, PtyError> {
        let taken = {
            let mut state = lock(&self.fake.0);
            if state.exit.is_some() {
                return Err(PtyError::Ended);
            }
            let taken = bytes.len().min(state.accepts);
            state.typed.extend_from_slice(&bytes[..taken]);
            taken
        };
        (self.script)(&self.fake, bytes);
        while taken < bytes.len() && !give_up() {
            std::thread::yield_now();
        }
        Ok(taken)
    }

    fn exit(&self) -> Option<Exit> {
        lock(&self.fake.0).exit
    }

    fn foreground(&self) -> Option<i32> {
        lock(&self.fake.0).foreground
    }

    fn signal_foreground(&self, signal: TerminalSignal) -> Result<i32, PtyError> {
        let mut state = lock(&self.fake.0);
        let group = state.foreground.ok_or(PtyError::NoForeground)?;
        state.signals.push((signal, group));
        Ok(group)
    }

    fn end(&self) {
        if lock(&self.fake.0).ends {
            self.fake.exit(Exit::Signal(1));
        }
    }

    fn waiting_reader(&self) -> Option<WaitingReader> {
        lock(&self.fake.0).reader
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        self.fake.exit(Exit::Signal(9));
    }
}
