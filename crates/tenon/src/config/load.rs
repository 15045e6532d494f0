//! Layers of configuration, merged.

use std::path::{Path, PathBuf};
use std::time::Duration;

use contract_hooks::policies::{Permissions, ReminderConfig, RepeatReminder};
use contract_session::SyncPolicy;
use tools_firstparty::AccessCaps;

use super::file::{Source, Sync};
use super::trust::{Digest, Trust};
use super::{HookFile, WORKSPACE_FILE, read_if_there, user_file};
use crate::exit::Stop;

/// Most bytes of text that a result shows before the rest is saved.
const MAX_INLINE_BYTES: u64 = 50_000;
/// Most bytes that saved results take up altogether.
const MAX_TOTAL_BYTES: u64 = 1 << 30;
/// Days after which saved results may go.
const MAX_AGE_DAYS: u64 = 30;

/// What is in effect.
#[derive(Debug)]
pub(crate) struct Config {
    pub(crate) max_inline_bytes: u64,
    pub(crate) max_total_bytes: u64,
    pub(crate) max_age: Duration,
    pub(crate) permissions: Permissions,
    pub(crate) reminder: ReminderConfig,
    pub(crate) sync: SyncPolicy,
    /// Hook files, paths resolved, the user's first.
    pub(crate) hook_files: Vec<HookFile>,
    /// Names of variables that hooks see though they look like credentials.
    pub(crate) hook_environment: Vec<String>,
    pub(crate) allow_value_replacement: bool,
    /// What the access mode leaves open.
    pub(crate) access: AccessCaps,
    /// Names of variables that commands see though they look like credentials.
    pub(crate) command_environment: Vec<String>,
    pub(crate) bubblewrap: bool,
    /// What the workspace's file asks for and does not get.
    pub(crate) withheld: Option<Withheld>,
}

/// What an untrusted workspace asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Withheld {
    /// The file.
    pub(crate) path: PathBuf,
    /// One plain phrase each.
    pub(crate) what: Vec<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            max_inline_bytes: MAX_INLINE_BYTES,
            max_total_bytes: MAX_TOTAL_BYTES,
            max_age: days(MAX_AGE_DAYS),
            permissions: Permissions::new(),
            reminder: ReminderConfig::default(),
            sync: SyncPolicy::EveryEntry,
            hook_files: Vec::new(),
            hook_environment: Vec::new(),
            allow_value_replacement: false,
            access: AccessCaps::default(),
            command_environment: Vec::new(),
            bubblewrap: false,
            withheld: None,
        }
    }
}

fn days(days: u64) -> Duration {
    Duration::from_secs(days.saturating_mul(24 * 60 * 60))
}

/// Loads what is in effect in a workspace.
pub(crate) fn load(root: &Path, trust: &Trust) -> Result<Config, Stop> {
    let mut config = Config::default();
    if let Some(path) = user_file()
        && let Some(text) = read_if_there(&path)?
    {
        let source = Source::parse(&path, text)?;
        config.take(&source, Some(source.hook_files()?))?;
    }
    let path = root.join(WORKSPACE_FILE);
    if let Some(text) = read_if_there(&path)? {
        let source = Source::parse(&path, text)?;
        let hooks = source.hook_files()?;
        let trusted = trust.holds(root, &Digest::of(&source, &hooks))?;
        config.take(&source, trusted.then_some(hooks))?;
    }
    RepeatReminder::new(config.reminder.clone()).map_err(|error| Stop::usage(error.to_string()))?;
    Ok(config)
}

impl Config {
    /// Puts one file over what is there; `hooks` are its hook files, if it is trusted.
    fn take(&mut self, source: &Source, hooks: Option<Vec<HookFile>>) -> Result<(), Stop> {
        let file = &source.file;
        let spill = &file.spill;
        self.max_inline_bytes = spill.max_inline_bytes.unwrap_or(self.max_inline_bytes);
        self.max_total_bytes = spill.max_total_bytes.unwrap_or(self.max_total_bytes);
        self.max_age = spill.max_age_days.map_or(self.max_age, days);
        self.sync = match file.session.sync {
            Some(Sync::EveryEntry) => SyncPolicy::EveryEntry,
            Some(Sync::Never) => SyncPolicy::Never,
            None => self.sync,
        };
        self.take_reminder(source)?;
        // Whoever says no is heard, trusted or not.
        self.access.network &= file.access.network.unwrap_or(true);
        self.bubblewrap |= file.commands.bubblewrap;
        let rules = &file.permissions;
        let (deny, ask) = (source.rules("deny", &rules.deny)?, source.rules("ask", &rules.ask)?);
        let allow = source.rules("allow", &rules.allow)?;
        self.permissions = std::mem::take(&mut self.permissions).deny(deny).ask(ask);
        match hooks {
            Some(hooks) => {
                self.permissions = std::mem::take(&mut self.permissions).allow(allow);
                self.take_hooks(source, hooks);
                let roots = file.access.writable_roots.iter();
                self.access.writable_roots.extend(roots.map(|path| source.resolved(path)));
                self.command_environment.extend(file.commands.environment.iter().cloned());
            }
            None => self.withheld = withheld(source),
        }
        Ok(())
    }

    fn take_hooks(&mut self, source: &Source, files: Vec<HookFile>) {
        let hooks = &source.file.hooks;
        self.hook_files.extend(files);
        self.hook_environment.extend(hooks.environment.iter().cloned());
        self.allow_value_replacement =
            hooks.allow_value_replacement.unwrap_or(self.allow_value_replacement);
    }

    fn take_reminder(&mut self, source: &Source) -> Result<(), Stop> {
        let (new, old) = (&source.file.reminder, &mut self.reminder);
        let span = new.thresholds.as_ref().map(toml::Spanned::span);
        let span = span.or_else(|| new.arguments_preview_chars.as_ref().map(toml::Spanned::span));
        if let Some(thresholds) = &new.thresholds {
            old.thresholds = thresholds.as_ref().clone();
        }
        if let Some(include) = &new.include {
            old.include.clone_from(include);
        }
        if let Some(exclude) = &new.exclude {
            old.exclude.clone_from(exclude);
        }
        if let Some(chars) = &new.arguments_preview_chars {
            old.arguments_preview_chars = *chars.as_ref();
        }
        match (RepeatReminder::new(old.clone()), span) {
            (Err(error), Some(span)) => Err(source.error(&span, &format!("reminder: {error}"))),
            (Err(error), None) => Err(Stop::usage(error.to_string())),
            (Ok(_), _) => Ok(()),
        }
    }
}

/// What of a file needs trust.
fn withheld(source: &Source) -> Option<Withheld> {
    let file = &source.file;
    let hooks = file.hooks.files.iter();
    let mut what: Vec<_> =
        hooks.map(|hook| format!("run the hooks of {}", hook.path.display())).collect();
    let allow = file.permissions.allow.iter();
    what.extend(allow.map(|rule| format!("allow `{}`", rule.as_ref())));
    let names = file.hooks.environment.iter();
    what.extend(names.map(|name| format!("show hooks the variable {name}")));
    let roots = file.access.writable_roots.iter();
    what.extend(roots.map(|root| format!("have {} written to", root.display())));
    let names = file.commands.environment.iter();
    what.extend(names.map(|name| format!("show commands the variable {name}")));
    if file.hooks.allow_value_replacement == Some(true) {
        what.push("let hooks replace values".to_owned());
    }
    (!what.is_empty()).then(|| Withheld { path: source.path.clone(), what })
}

/// What trusting a workspace would put into effect, and the digest of it.
pub(crate) fn asks(root: &Path) -> Result<Option<Asked>, Stop> {
    let path = root.join(WORKSPACE_FILE);
    let Some(text) = read_if_there(&path)? else { return Ok(None) };
    let source = Source::parse(&path, text)?;
    let hooks = source.hook_files()?;
    let digest = Digest::of(&source, &hooks);
    let mut commands = Vec::new();
    for hook in &hooks {
        commands.extend(crate::command_hooks::parse(hook)?.commands());
    }
    Ok(Some(Asked { withheld: withheld(&source), commands, digest }))
}

/// What a workspace asks for.
#[derive(Debug)]
pub(crate) struct Asked {
    /// What needs trust.
    pub(crate) withheld: Option<Withheld>,
    /// The commands that its hook files would run.
    pub(crate) commands: Vec<String>,
    /// What exactly is trusted.
    pub(crate) digest: Digest,
}
