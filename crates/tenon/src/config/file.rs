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
    pub(crate) access: Access,
    pub(crate) spill: Spill,
    pub(crate) permissions: Permissions,
    pub(crate) reminder: Reminder,
    pub(crate) session: Session,
    pub(crate) hooks: Hooks,
    pub(crate) commands: Commands,
}

/// `[commands]`: what commands see, and what confines them.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Commands {
    pub(crate) bubblewrap: bool,
    pub(crate) environment: Vec<String>,
}

/// `[access]`: what the access mode leaves open.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Access {
    pub(crate) writable_roots: Vec<Spanned<PathBuf>>,
    pub(crate) network: Option<bool>,
}

/// `[spill]`: how much a result may show, and what is kept of the rest.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Spill {
    pub(crate) max_inline_bytes: Option<Spanned<u64>>,
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
#[serde(
    deny_unknown_fields,
    expecting = "{ path = \"…\", format = \"claude\" } or { path = \"…\", format = \"codex\" }"
)]
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

/// A rule, and where it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamedRule {
    pub(crate) rule: Rule,
    /// Its list: `deny`, `ask` or `allow`.
    pub(crate) key: &'static str,
    pub(crate) path: PathBuf,
    /// From 1.
    pub(crate) line: usize,
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
        let refuse = |error: &toml::de::Error, key: &str| {
            located(path, &text, &error.span().unwrap_or_default(), &worded(error.message(), key))
        };
        let tables = toml::Deserializer::parse(&text).map_err(|error| refuse(&error, ""))?;
        let file = serde_path_to_error::deserialize(tables)
            .map_err(|error| refuse(error.inner(), &error.path().to_string()))?;
        Ok(Self { path: path.to_path_buf(), text, file })
    }

    /// An error at a place in this file.
    pub(crate) fn error(&self, span: &Range<usize>, what: &str) -> Stop {
        located(&self.path, &self.text, span, what)
    }

    /// Rules of one list.
    pub(crate) fn rules(
        &self,
        key: &'static str,
        texts: &[Spanned<String>],
    ) -> Result<Vec<NamedRule>, Stop> {
        let read = |text: &Spanned<String>| {
            let rule = Rule::from_str(text.as_ref())
                .map_err(|error| self.error(&text.span(), &format!("{key}: {error}")))?;
            let line = line_of(&self.text, &text.span());
            Ok(NamedRule { rule, key, path: self.path.clone(), line })
        };
        texts.iter().map(read).collect()
    }

    /// The folders that may be written to, absolute: relative ones start at this file, `~` is the user's own.
    pub(crate) fn writable_roots(&self) -> Result<Vec<PathBuf>, Stop> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let absolute = |named: &Spanned<PathBuf>| {
            let named_path = named.as_ref();
            let Ok(below) = named_path.strip_prefix("~") else {
                return Ok(folder.join(named_path));
            };
            let home =
                std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
            let missing =
                || self.error(&named.span(), "writable_roots: HOME is not set, so `~` is nowhere");
            Ok(home.ok_or_else(missing)?.join(below))
        };
        self.file.access.writable_roots.iter().map(absolute).collect()
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

/// A message after the key it is about, in words of a configuration file rather than of its reader.
fn worded(message: &str, key: &str) -> String {
    const WORDS: [(&str, &str); 5] = [
        ("path string", "a path"),
        ("a sequence", "a list"),
        ("u64", "a whole number from 0"),
        ("u32", "a whole number from 0"),
        ("usize", "a whole number from 0"),
    ];
    let mut message = message.to_owned();
    for (theirs, ours) in WORDS {
        let end = format!("expected {theirs}");
        if message.ends_with(&end) {
            message = message.replace(&end, &format!("expected {ours}"));
        }
    }
    // Where a place in the text is asked for beside a value, the path holds that request.
    let key = key.trim_end_matches(".$__serde_spanned_private_value");
    let is_key = !matches!(key, "" | "." | "?");
    if is_key { format!("{key}: {message}") } else { message }
}

fn located(path: &Path, text: &str, span: &Range<usize>, what: &str) -> Stop {
    let line = line_of(text, span);
    let what = what.trim_end().replace('\n', "; ");
    Stop::usage(format!("{}:{line}: {what}", path.display()))
}

fn line_of(text: &str, span: &Range<usize>) -> usize {
    text.bytes().take(span.start).filter(|byte| *byte == b'\n').count() + 1
}
