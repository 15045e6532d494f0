//! The terminals there are: who owns which, how many there may be, and how they begin and end.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use contract_registry::AccessMode;
use host_process::Confinement;
use tool_seams::JobOwner;

use super::error::TerminalFault;
use super::prompt;
use super::ready::{WaitReason, Watch};
use super::screen::Shown;
use super::session::{Session, Shared, Sink, TerminalType, id};
use crate::config::TerminalCaps;
use crate::seam::terminal::{HostTerminals, OpenTerminal, TerminalHost};

/// Ids of closed terminals that are remembered, so that closing one again is no failure.
const CLOSED_MAX: usize = 256;

/// How long killed programs may take to be gone. What the kernel does not let die is not waited for.
const KILL_PATIENCE: Duration = Duration::from_secs(10);

/// The terminals of a host, each owned by an agent. Cheap to clone; when the last clone is dropped, all that
/// runs in them is ended.
#[derive(Clone, Debug)]
pub struct Terminals {
    host: Arc<dyn TerminalHost>,
    table: Arc<Mutex<Table>>,
}

impl Default for Terminals {
    /// Terminals of this system.
    fn default() -> Self {
        Self::new(Arc::new(HostTerminals))
    }
}

#[derive(Debug, Default)]
struct Table {
    last_number: u64,
    entries: Vec<Entry>,
    closed: VecDeque<(u64, JobOwner)>,
    is_ending: bool,
}

/// A terminal in the table: one that is being opened has its place and its name already.
#[derive(Debug)]
struct Entry {
    number: u64,
    owner: JobOwner,
    name: Option<String>,
    session: Option<Arc<Session>>,
}

/// What is asked for when a terminal is opened.
#[derive(Debug)]
pub(super) struct Opening {
    pub(super) owner: JobOwner,
    pub(super) name: Option<String>,
    pub(super) folder: PathBuf,
    pub(super) access_mode: AccessMode,
    pub(super) confinement: Option<Confinement>,
    pub(super) allowed_variables: Vec<String>,
}

/// What came of closing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closing {
    Closed,
    /// Another call closes it, or has closed it.
    Already,
}

/// A place in the table, given back unless a terminal takes it.
struct Place<'a> {
    terminals: &'a Terminals,
    number: u64,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut table = self.terminals.table();
        table.entries.retain(|entry| entry.number != self.number || entry.session.is_some());
    }
}

impl Place<'_> {
    fn is_taken_away(&self) -> bool {
        !self.terminals.table().entries.iter().any(|entry| entry.number == self.number)
    }

    fn publish(self, session: &Arc<Session>) -> Result<(), TerminalFault> {
        let mut table = self.terminals.table();
        let is_ending = table.is_ending;
        match table.entries.iter_mut().find(|entry| entry.number == self.number) {
            Some(entry) => {
                entry.session = Some(Arc::clone(session));
                drop(table);
                Ok(())
            }
            None => {
                drop(table);
                Err(if is_ending { TerminalFault::Ending } else { TerminalFault::OwnerEnded })
            }
        }
    }
}

impl Terminals {
    /// Terminals of a host.
    #[must_use]
    pub fn new(host: Arc<dyn TerminalHost>) -> Self {
        Self { host, table: Arc::default() }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a terminal and waits for its first prompt; gives it with what it shows by then.
    pub(super) fn open(
        &self,
        caps: &TerminalCaps,
        opening: Opening,
        stop: &dyn Fn() -> bool,
    ) -> Result<(Arc<Session>, Shown), TerminalFault> {
        let place = self.reserve(caps, &opening)?;
        if stop() {
            return Err(TerminalFault::Cancelled("; no terminal was opened"));
        }
        let session = Arc::new(self.start(caps, opening, place.number)?);
        let watch = Watch {
            since: Instant::now(),
            timeout: Duration::from_millis(caps.open_timeout_ms),
            is_startup: true,
            prompts_expected: 1,
            reader_before: None,
        };
        let given_up = || stop() || place.is_taken_away();
        let settled = session.settle(caps, &watch, &given_up);
        let opened = match settled {
            Ok(WaitReason::StdinRead | WaitReason::InferredIdle) => place.publish(&session),
            Ok(WaitReason::SessionExit) => {
                Err(not_opened(caps, &session, "the shell ended at once"))
            }
            Ok(WaitReason::Timeout) => Err(not_opened(caps, &session, "the shell shows no prompt")),
            Err(_) if stop() => Err(TerminalFault::Cancelled("; no terminal was opened")),
            Err(_) => place.publish(&session),
        };
        match opened {
            Ok(()) => {
                let shown = session.shown(caps);
                Ok((session, shown))
            }
            Err(fault) => {
                session.end(caps, &|| false);
                Err(fault)
            }
        }
    }

    fn reserve(&self, caps: &TerminalCaps, opening: &Opening) -> Result<Place<'_>, TerminalFault> {
        let mut table = self.table();
        if table.is_ending {
            return Err(TerminalFault::Ending);
        }
        let own = || table.entries.iter().filter(|entry| entry.owner == opening.owner);
        if let Some(name) = &opening.name
            && own().any(|entry| entry.name.as_ref() == Some(name))
        {
            return Err(TerminalFault::DuplicateName(name.clone()));
        }
        if own().count() >= caps.max_per_agent {
            return Err(TerminalFault::TooMany { max: caps.max_per_agent });
        }
        if table.entries.len() >= caps.max_total {
            return Err(TerminalFault::TooMany { max: caps.max_total });
        }
        table.last_number += 1;
        let (number, owner, name) =
            (table.last_number, opening.owner.clone(), opening.name.clone());
        table.entries.push(Entry { number, owner, name, session: None });
        drop(table);
        Ok(Place { terminals: self, number })
    }

    fn start(
        &self,
        caps: &TerminalCaps,
        opening: Opening,
        number: u64,
    ) -> Result<Session, TerminalFault> {
        let nonce = prompt::nonce();
        let shared = Shared::new(caps, &nonce)
            .map_err(|error| TerminalFault::NotOpened(error.to_string()))?;
        let shared = Arc::new(shared);
        let session = opening.owner.session.as_ref().map(|session| session.as_str());
        let what = OpenTerminal {
            program: caps.shell.clone(),
            folder: opening.folder,
            environment: prompt::environment(&nonce, &id(number), session),
            rows: caps.rows,
            cols: caps.cols,
            grace: Duration::from_millis(caps.close_grace_ms),
            allowed_variables: opening.allowed_variables,
            confinement: opening.confinement,
        };
        let opened = self.host.open(&what, Box::new(Sink(Arc::clone(&shared))));
        let pty = opened.map_err(|error| TerminalFault::NotOpened(error.to_string()))?;
        let Opening { owner, name, access_mode, .. } = opening;
        Ok(Session { number, name, owner, kind: TerminalType::Shell, access_mode, pty, shared })
    }

    /// The owner's terminals, in the order in which they were opened.
    pub(super) fn list(&self, owner: &JobOwner) -> Vec<Arc<Session>> {
        let table = self.table();
        let own = table.entries.iter().filter(|entry| entry.owner == *owner);
        own.filter_map(|entry| entry.session.clone()).collect()
    }

    /// One of the owner's terminals.
    pub(super) fn get(&self, owner: &JobOwner, id: &str) -> Result<Arc<Session>, TerminalFault> {
        self.find(owner, id)?.ok_or_else(|| TerminalFault::Closed(id.to_owned()))
    }

    /// None for one that the owner had and closed.
    fn find(&self, owner: &JobOwner, id: &str) -> Result<Option<Arc<Session>>, TerminalFault> {
        let unknown = || TerminalFault::Unknown(id.to_owned());
        let number = id.strip_prefix("pty-").and_then(|number| number.parse::<u64>().ok());
        let number = number.filter(|number| self::id(*number) == id).ok_or_else(unknown)?;
        let table = self.table();
        let open = table.entries.iter().filter_map(|entry| entry.session.as_ref());
        match open.into_iter().find(|session| session.number == number) {
            Some(session) if session.owner == *owner => Ok(Some(Arc::clone(session))),
            Some(_) => Err(TerminalFault::Foreign(id.to_owned())),
            None if table.closed.contains(&(number, owner.clone())) => Ok(None),
            None => Err(unknown()),
        }
    }

    /// Closes a terminal: ends all that runs there, and waits until it is gone.
    pub(super) fn close(
        &self,
        caps: &TerminalCaps,
        owner: &JobOwner,
        id: &str,
        stop: &dyn Fn() -> bool,
    ) -> Result<Closing, TerminalFault> {
        let Some(session) = self.find(owner, id)? else { return Ok(Closing::Already) };
        let is_first = !std::mem::replace(&mut session.shared.state().is_closing, true);
        if !session.end(caps, stop) {
            session.shared.state().is_closing = false;
            if stop() {
                return Err(TerminalFault::Cancelled("; the terminal is still being closed"));
            }
            return Err(TerminalFault::NotClosed { id: id.to_owned() });
        }
        self.forget(&session);
        Ok(if is_first { Closing::Closed } else { Closing::Already })
    }

    fn forget(&self, session: &Session) {
        let mut table = self.table();
        let before = table.entries.len();
        table.entries.retain(|entry| entry.number != session.number);
        if table.entries.len() == before {
            return;
        }
        table.closed.push_back((session.number, session.owner.clone()));
        if table.closed.len() > CLOSED_MAX {
            table.closed.pop_front();
        }
    }

    /// Ends all terminals of an agent that goes, those that are being opened included. It does not wait: what
    /// runs there is told to end, and killed after the grace time.
    pub fn end_owner(&self, owner: &JobOwner) {
        self.take(|entry| entry.owner == *owner);
    }

    /// Ends all terminals, and opens no more. It does not wait.
    pub fn end_all(&self) {
        self.table().is_ending = true;
        self.take(|_| true);
    }

    fn take(&self, which: impl Fn(&Entry) -> bool) {
        let taken: Vec<Entry> = self.table().entries.extract_if(.., |entry| which(entry)).collect();
        for session in taken.into_iter().filter_map(|entry| entry.session) {
            session.shared.state().is_closing = true;
            session.pty.end();
        }
    }
}

impl Session {
    /// Ends what runs; whether it is gone.
    fn end(&self, caps: &TerminalCaps, stop: &dyn Fn() -> bool) -> bool {
        self.pty.end();
        self.wait_for_end(Duration::from_millis(caps.close_grace_ms) + KILL_PATIENCE, stop)
    }
}

/// What the shell had to say is the best hint there is.
fn not_opened(caps: &TerminalCaps, session: &Session, why: &str) -> TerminalFault {
    let shown = session.shown(caps).text;
    let shown = crate::text::cut::last_bytes(shown.trim(), 2_000);
    let colon = if shown.is_empty() { "" } else { ":\n" };
    TerminalFault::NotOpened(format!("{why}{colon}{shown}"))
}
