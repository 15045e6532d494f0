//! External command hooks: the files of the configuration, loaded and put into the chains.

use std::error::Error;
use std::io::{Write as _, stderr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use contract_hooks::Hooks;
use contract_hooks::command::{
    CommandHooks, CommandOptions, Dialect, HookDecided, HookEvent, HookFile, HookInvoked,
    HookRecords, HookResult, KnownTools, Replacement, Tracing,
};
use contract_session::event::{self, HookDecision};
use contract_session::{Event, Journal};
use host_process::Environment;

use crate::config::{self, Config, HookFormat};
use crate::exit::{Stop, one_row};
use crate::progress::say;

/// What hooks are told of the call's surroundings, and where their records go.
pub(crate) struct Surroundings<'a> {
    pub(crate) root: &'a Path,
    pub(crate) transcript: Option<PathBuf>,
    pub(crate) journal: Option<Arc<dyn Journal>>,
}

/// Loads every file in effect and registers its hooks.
pub(crate) fn mount(hooks: &Hooks, config: &Config, around: &Surroundings<'_>) -> Result<(), Stop> {
    for named in &config.hook_files {
        let file = parse(named)?;
        for warning in file.warnings() {
            // Nobody to tell when stderr is gone.
            let _ = writeln!(stderr(), "warning: {}", one_row(&warning.to_string()));
        }
        let mut options = CommandOptions::new(around.root);
        options.transcript_path.clone_from(&around.transcript);
        let names = config.hook_environment.iter();
        options.environment = names.fold(Environment::scrubbed(), |all, name| all.allow(name));
        if config.allow_value_replacement {
            options.replacement = Replacement::Value;
        }
        let name = named.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        options.records = Arc::new(Records { file: name, journal: around.journal.clone() });
        let commands = CommandHooks::new(file, options);
        commands.map_err(|error| Stop::usage(error.to_string()))?.register(hooks).keep();
    }
    Ok(())
}

/// Reads what a file of hooks says; one that cannot be used is a configuration error with file and line.
pub(crate) fn parse(named: &config::HookFile) -> Result<HookFile, Stop> {
    let dialect = match named.format {
        HookFormat::Claude => Dialect::Claude,
        HookFormat::Codex => Dialect::Codex,
    };
    let known = KnownTools::default();
    HookFile::parse(&named.path, &named.bytes, dialect, &known).map_err(|error| {
        let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
        Stop::usage(format!("{error}{cause}"))
    })
}

/// Writes records to the session's log, if there is one, and tells the user of hooks that failed without
/// failing the call. What cannot be logged is traced: the call's own entries decide whether the log is whole.
struct Records {
    /// The name of the hook file.
    file: String,
    journal: Option<Arc<dyn Journal>>,
}

impl Records {
    fn append(&self, event: impl Into<Event>) {
        let Some(journal) = &self.journal else { return };
        if let Err(error) = journal.append(&event.into()) {
            tracing::warn!(%error, "a hook record is not logged");
        }
    }

    /// A `PreToolUse` hook that could not judge is in the call's own result.
    fn tell(&self, record: &HookResult) {
        let (id, file) = (&record.invoked.handler_id, &self.file);
        for note in &record.notes {
            say(&one_row(&format!("warning: the hook {id} of {file}: {note}")));
        }
        let is_before = record.invoked.point == HookEvent::PreToolUse.name();
        let so = match record.decision {
            HookDecided::Failed if is_before => return,
            HookDecided::Failed => "",
            HookDecided::Undecided => ", which decides nothing",
            HookDecided::Pass
            | HookDecided::Allow
            | HookDecided::Deny
            | HookDecided::Ask
            | HookDecided::Block
            | HookDecided::ReplaceContent
            | HookDecided::ReplaceValue
            | HookDecided::Stop => return,
        };
        let what = record.reason.as_deref().unwrap_or("failed");
        let said = record.stderr_summary.as_ref().map(|said| format!("; it said: {said}"));
        let said = said.unwrap_or_default();
        say(&one_row(&format!("warning: the hook {id} of {file} {what}{so}{said}")));
    }
}

impl HookRecords for Records {
    fn invoked(&self, record: &HookInvoked) {
        Tracing.invoked(record);
        self.append(event::HookInvoked {
            turn: record.turn,
            point: record.point.to_owned(),
            dialect: record.dialect.to_owned(),
            matcher: record.matcher.clone(),
            handler_id: record.handler_id.clone(),
            call_id: record.call_id.as_ref().map(|id| id.as_str().into()),
        });
    }

    fn result(&self, record: &HookResult) {
        Tracing.result(record);
        self.tell(record);
        self.append(event::HookResult {
            turn: record.invoked.turn,
            point: record.invoked.point.to_owned(),
            handler_id: record.invoked.handler_id.clone(),
            call_id: record.invoked.call_id.as_ref().map(|id| id.as_str().into()),
            decision: decision(record.decision),
            reason: record.reason.clone(),
            exit_code: record.exit_code,
            stderr_summary: record.stderr_summary.clone(),
            duration_ms: u64::try_from(record.duration.as_millis()).unwrap_or(u64::MAX),
        });
    }
}

fn decision(decided: HookDecided) -> HookDecision {
    match decided {
        HookDecided::Pass => HookDecision::Pass,
        HookDecided::Allow => HookDecision::Allow,
        HookDecided::Deny => HookDecision::Deny,
        HookDecided::Ask => HookDecision::Ask,
        HookDecided::Block => HookDecision::Block,
        HookDecided::ReplaceContent => HookDecision::ReplaceContent,
        HookDecided::ReplaceValue => HookDecision::ReplaceValue,
        HookDecided::Stop => HookDecision::Stop,
        HookDecided::Failed | HookDecided::Undecided => HookDecision::Failed,
    }
}
