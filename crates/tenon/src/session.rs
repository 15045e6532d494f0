//! `--session`: the log of a call, and the commands on stored sessions.

use std::io::{Write as _, stderr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use contract_registry::{CallId, Outcome};
use contract_schema::Json;
use contract_session::event::{ContextAdded, FailureInfo, ToolCall, ToolFailure, ToolResult};
use contract_session::{
    Entry, Event, Journal, Opened, Opening, SessionError, SessionId, SessionSummary, Sessions,
    SyncPolicy, replay,
};
use contract_spill::{LocalConfig, LocalStore};

use crate::cli::SessionsCommand;
use crate::config::state_root;
use crate::exit::{Exit, Stop, one_row};
use crate::{format, policy, runtime};

/// A session that is open for this run.
#[derive(Debug)]
pub(crate) struct Recorder {
    journal: Arc<dyn Journal>,
    entries: u64,
    folder: PathBuf,
}

impl Recorder {
    /// Opens a session, made if it is not there; `each` gets the entries that are. What a crash cut off,
    /// or somebody took out, is reported on stderr.
    pub(crate) fn open(
        id: &str,
        root: &Path,
        sync: SyncPolicy,
        each: &mut dyn FnMut(&Entry),
    ) -> Result<Self, Stop> {
        let id = SessionId::parse(id).map_err(|error| Stop::usage(error.to_string()))?;
        let opening = Opening {
            program: "tenon".to_owned(),
            program_version: env!("CARGO_PKG_VERSION").to_owned(),
            workspace_root: Some(root.display().to_string()),
        };
        let sessions = store()?.with_sync(sync);
        let opened = sessions.resume_or_create_with(&id, &opening, each).map_err(refused)?;
        if let Some(recovery) = opened.recovery {
            warn(&recovery.to_string());
        }
        if opened.emptied {
            warn(&format!("the log of the session {id} was there and empty; it begins anew"));
        }
        let Opened { journal, entries, .. } = opened;
        Ok(Self { journal, entries, folder: sessions.path(&id) })
    }

    /// The log, for records beside the call's own.
    pub(crate) fn journal(&self) -> Arc<dyn Journal> {
        Arc::clone(&self.journal)
    }

    /// The log's file.
    pub(crate) fn transcript(&self) -> PathBuf {
        self.folder.join("log.jsonl")
    }

    /// The session's id.
    pub(crate) fn id(&self) -> &str {
        self.journal.session().as_str()
    }

    /// The id of this run's call. Each run is a process of its own, so the log says which ids are taken.
    pub(crate) fn call_id(&self) -> CallId {
        CallId::new(format!("call-{}", self.entries + 1))
    }

    /// Notes that a call begins, before it does.
    pub(crate) fn begins(&self, id: &CallId, name: &str, arguments: &Json) -> Result<(), Stop> {
        let call = ToolCall {
            call_id: id.as_str().into(),
            name: name.to_owned(),
            arguments: arguments.clone(),
        };
        self.journal.append(&call.into()).map(drop).map_err(|error| {
            let code = error.code();
            Stop::internal(format!("{code}: {error}; nothing was run"))
        })
    }

    /// Notes what came of it, before it is shown (contract L6).
    pub(crate) fn ends(&self, id: &CallId, name: &str, outcome: &Outcome) -> Result<(), Stop> {
        let result = result(id, name, outcome);
        let contexts = outcome.contexts().iter().cloned();
        let contexts = contexts.map(|context| ContextAdded::of_call(id.as_str().into(), context));
        // Together, so that a replay shows what was shown: all of it or nothing.
        let events: Vec<Event> =
            std::iter::once(result.into()).chain(contexts.map(Event::from)).collect();
        self.journal.append_all(&events).map_err(|error| {
            let code = error.code();
            Stop::internal(format!(
                "{code}: {error}; the call itself ran, and its result is not shown because it is not logged"
            ))
        })?;
        if let Err(error) = self.journal.close() {
            warn(&error.to_string());
        }
        Ok(())
    }
}

/// Content, error and meta: what was shown, never the value (contract L2).
fn result(id: &CallId, name: &str, outcome: &Outcome) -> ToolResult {
    let error = outcome.error().map(|failure| ToolFailure {
        message: failure.message().to_owned(),
        info: failure.info().map(|info| FailureInfo {
            name: info.name.clone().into_owned(),
            code: info.code.clone().into_owned(),
        }),
    });
    ToolResult {
        call_id: id.as_str().into(),
        name: name.to_owned(),
        content: outcome.content().to_vec(),
        error,
        meta: outcome.meta().cloned(),
    }
}

fn store() -> Result<Sessions, Stop> {
    Sessions::open(&state_root()?).map_err(|error| Stop::internal(error.to_string()))
}

/// Sessions that are not there or in use are the user's doing; a store that cannot be used is not.
fn refused(error: SessionError) -> Stop {
    use contract_session::code;
    let theirs = [
        code::SESSION_NOT_FOUND,
        code::SESSION_IN_USE,
        code::SESSION_ID_INVALID,
        code::SESSION_FORMAT_UNSUPPORTED,
    ];
    if theirs.contains(&error.code()) {
        Stop::usage(error.to_string())
    } else {
        Stop::internal(error.to_string())
    }
}

/// `tenon sessions`.
pub(crate) fn run(command: Option<&SessionsCommand>, json: bool) -> Result<Exit, Stop> {
    match command {
        None => list(json)?,
        Some(SessionsCommand::List { json: listed }) => list(json || *listed)?,
        Some(SessionsCommand::Show { id }) => show(&parse(id)?)?,
        Some(SessionsCommand::Rm { id }) => remove(&parse(id)?)?,
    }
    Ok(Exit::Success)
}

/// Removes a session, and the results that were saved for it: nothing points at them any more.
fn remove(id: &SessionId) -> Result<(), Stop> {
    let mut forgotten = Ok(());
    store()?.remove_with(id, || forgotten = forget(id)).map_err(refused)?;
    forgotten
}

/// Removes the results that were saved for a session, which is still there.
fn forget(id: &SessionId) -> Result<(), Stop> {
    let spills = LocalStore::open(policy::spills(&state_root()?), LocalConfig::default());
    let session = contract_registry::SessionId::new(id.as_str());
    let forgotten = match spills {
        Ok(spills) => runtime::start()?.block_on(async move { spills.forget(&session).await }),
        Err(error) => Err(error),
    };
    let why = match forgotten {
        Ok(Some(_)) => return Ok(()),
        Ok(None) => "another process uses them".to_owned(),
        Err(error) => error.to_string(),
    };
    warn(&format!("saved results of the session stay until their age: {why}"));
    Ok(())
}

/// Says on stderr what does not fail the command.
fn warn(what: &str) {
    // Nobody to tell when stderr is gone.
    let _ = writeln!(stderr(), "warning: {}", one_row(what));
}

const EMPTY: &str = "the log of this session is empty: not even its first entry is there";

fn parse(id: &str) -> Result<SessionId, Stop> {
    SessionId::parse(id).map_err(refused)
}

fn list(json: bool) -> Result<(), Stop> {
    let sessions = store()?.list().map_err(refused)?;
    if json {
        return format::json_line(&sessions);
    }
    format::to_stdout(|out| {
        sessions.iter().try_for_each(|session| writeln!(out, "{}", one_row(&row(session))))
    })
}

/// One line a session: id, entries, bytes, whether it is open, what is wrong with it.
fn row(session: &SessionSummary) -> String {
    let mut row = format!("{}  {} entries  {} bytes", session.id, session.entries, session.bytes);
    if session.in_use {
        row.push_str("  in use");
    }
    if let Some(problem) = &session.problem {
        row.push_str("  ");
        row.push_str(problem);
    }
    row
}

/// One line an entry, whatever it holds. Read one at a time: a log may be longer than the memory.
fn show(id: &SessionId) -> Result<(), Stop> {
    let mut entries = store()?.read(id).map_err(refused)?;
    let mut failed = None;
    format::to_stdout(|out| {
        for entry in entries.by_ref() {
            match entry {
                Ok(entry) => writeln!(out, "{}", one_row(&entry_row(&entry)))?,
                Err(error) => failed = Some(error),
            }
        }
        Ok(())
    })?;
    match entries.torn() {
        Some(torn) => warn(&torn.to_string()),
        None if failed.is_none() && entries.count_read() == 0 => warn(EMPTY),
        None => {}
    }
    failed.map_or(Ok(()), |error| Err(refused(error)))
}

/// Number and kind, and what a call was or came to.
fn entry_row(entry: &Entry) -> String {
    let about = match entry.event() {
        Some(Event::ToolCall(call)) => format!("{} {}", call.name, call.arguments),
        Some(Event::ToolResult(result)) => {
            let ended = if result.is_error() { "failed" } else { "succeeded" };
            format!("{} {ended}", result.name)
        }
        Some(Event::ContextAdded(context)) => {
            format!("{} {}", context.source.kind, context.source.name)
        }
        Some(Event::HookInvoked(hook)) => hook.handler_id.clone(),
        Some(Event::HookResult(hook)) => {
            let said = hook.reason.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
            format!("{} {}{said}", hook.handler_id, hook.decision.words())
        }
        _ => return format!("{}  {}", entry.seq, entry.record.kind()),
    };
    format!("{}  {}  {about}", entry.seq, entry.record.kind())
}

/// `tenon replay`: what was shown, from the log alone.
pub(crate) fn replay(id: &str, json: bool) -> Result<Exit, Stop> {
    let entries = store()?.read(&parse(id)?).map_err(refused)?;
    let mut failed = None;
    format::to_stdout(|out| {
        let replayed =
            if json { replay::write_json(entries, out) } else { replay::write_text(entries, out) };
        match replayed {
            Ok(report) => {
                for call in &report.unanswered {
                    let name = &call.name;
                    warn(&format!("a call of {name} has no result: it runs, or was cut off"));
                }
                match report.torn {
                    Some(torn) => warn(&torn.to_string()),
                    None if report.entries == 0 => warn(EMPTY),
                    None => {}
                }
                Ok(())
            }
            Err(replay::ReplayError::Output(error)) => Err(error),
            Err(replay::ReplayError::Log(error)) => {
                failed = Some(error);
                Ok(())
            }
        }
    })?;
    failed.map_or(Ok(Exit::Success), |error| Err(refused(error)))
}
