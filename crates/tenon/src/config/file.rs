//! One configuration file: its keys, and errors that name file, line and key.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use contract_hooks::policies::Rule;
use serde::Deserialize;
use toml::Spanned;

use crate::exit::Stop;

/// What a file may say. Every table and every key is optional; an unknown one is an error.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct File {
    pub(crate) spill: Spill,
    pub(crate) permissions: Permissions,
    pub(crate) reminder: Reminder,
    pub(crate) session: Session,
    pub(crate) hooks: Hooks,
    pub(crate) access: Access,
    pub(crate) commands: Commands,
}

/// `[access]`: what the access mode leaves open.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Access {
    pub(crate) writable_roots: Vec<PathBuf>,
    pub(crate) network: Option<bool>,
}

/// `[commands]`: what commands see, and what confines them.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Commands {
    pub(crate) bubblewrap: bool,
    pub(crate) environment: Vec<String>,
}

/// `[spill]`: how much a result may show, and what is kept of the rest.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Spill {
    pub(crate) max_inline_bytes: Option<u64>,
    pub(crate) max_total_bytes: Option<u64>,
    pub(crate) max_age_days: Option<u64>,
}

/// `[permissions]`: rules, by tool and arguments.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Permissions {
    pub(crate) deny: Vec<Spanned<String>>,
    pub(crate) ask: Vec<Spanned<String>>,
    pub(crate) allow: Vec<Spanned<String>>,
}

/// `[reminder]`: when a model is told that it repeats a call.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Reminder {
    pub(crate) thresholds: Option<Spanned<Vec<u32>>>,
    pub(crate) include: Option<Vec<String>>,
    pub(crate) exclude: Option<Vec<String>>,
    pub(crate) arguments_preview_chars: Option<Spanned<usize>>,
}

/// `[session]`: how the log is kept.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Session {
    pub(crate) sync: Option<Sync>,
}

/// When an entry of a log is made safe against a crash of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Sync {
    /// Before the result is shown.
    EveryEntry,
    /// When the system gets round to it.
    Never,
}

/// `[hooks]`: files of external command hooks.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Hooks {
    pub(crate) files: Vec<NamedHooks>,
    pub(crate) allow_value_replacement: Option<bool>,
    pub(crate) environment: Vec<String>,
}

/// A file of external command hooks, as a configuration names it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NamedHooks {
    /// Where it is; relative to the file that names it.
    pub(crate) path: PathBuf,
    /// The wire format its commands speak.
    pub(crate) format: HookFormat,
}

/// A wire format of command hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum HookFormat {
    /// The form of Claude Code.
    Claude,
    /// The form of Codex.
    Codex,
}

/// A file of external command hooks, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HookFile {
    pub(crate) path: PathBuf,
    pub(crate) format: HookFormat,
    pub(crate) bytes: Vec<u8>,
}

/// A file as it was read, with its text for the lines of errors.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) file: File,
}

impl Source {
    /// Reads the keys.
    pub(crate) fn parse(path: &Path, text: String) -> Result<Self, Stop> {
        let file = toml::from_str(&text).map_err(|error| {
            let span = error.span().unwrap_or_default();
            located(path, &text, &span, error.message())
        })?;
        Ok(Self { path: path.to_path_buf(), text, file })
    }

    /// An error at a place in this file.
    pub(crate) fn error(&self, span: &Range<usize>, what: &str) -> Stop {
        located(&self.path, &self.text, span, what)
    }

    /// Rules of one list.
    pub(crate) fn rules(&self, key: &str, texts: &[Spanned<String>]) -> Result<Vec<Rule>, Stop> {
        texts
            .iter()
            .map(|text| {
                Rule::from_str(text.as_ref())
                    .map_err(|error| self.error(&text.span(), &format!("{key}: {error}")))
            })
            .collect()
    }

    /// A folder that it names: relative to the file, and `~/` to the user's home.
    pub(crate) fn resolved(&self, named: &Path) -> PathBuf {
        let base = match named.strip_prefix("~") {
            Ok(inside) => std::env::var_os("HOME").map(|home| PathBuf::from(home).join(inside)),
            Err(_) => self.path.parent().map(|folder| folder.join(named)),
        };
        base.unwrap_or_else(|| named.to_path_buf())
    }

    /// The hook files it names, read once: what is hashed for trust is what is run.
    pub(crate) fn hook_files(&self) -> Result<Vec<HookFile>, Stop> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let read = |named: &NamedHooks| {
            let path = folder.join(&named.path);
            let bytes = super::read_bounded(&path)?;
            Ok(HookFile { path, format: named.format, bytes })
        };
        self.file.hooks.files.iter().map(read).collect()
    }
}

fn located(path: &Path, text: &str, span: &Range<usize>, what: &str) -> Stop {
    let line = text.bytes().take(span.start).filter(|byte| *byte == b'\n').count() + 1;
    let what = what.trim_end().replace('\n', "; ");
    Stop::usage(format!("{}:{line}: {what}", path.display()))
}
