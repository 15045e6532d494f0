//! Layers of configuration, merged.

use std::path::{Path, PathBuf};
use std::time::Duration;

use contract_hooks::policies::{Permissions, ReminderConfig, RepeatReminder, Rule};
use contract_session::SyncPolicy;

use super::file::{NamedRule, Source, Sync};
use super::trust::{Digest, Trust};
use super::{HookFile, WORKSPACE_FILE, read_if_there, user_file};
use crate::exit::Stop;

/// Most bytes of text that a result shows before the rest is saved.
const MAX_INLINE_BYTES: u64 = 50_000;
/// The least of them: below it there may be no room to say where the rest is.
const MIN_INLINE_BYTES: u64 = 1_000;
/// Most bytes that saved results take up altogether.
const MAX_TOTAL_BYTES: u64 = 1 << 30;
/// Days after which saved results may go.
const MAX_AGE_DAYS: u64 = 30;

/// What is in effect.
#[derive(Debug)]
pub(crate) struct Config {
    /// Limits of the tools, and what the access mode leaves open.
    pub(crate) tools: tools_firstparty::Config,
    pub(crate) max_inline_bytes: u64,
    pub(crate) max_total_bytes: u64,
    pub(crate) max_age: Duration,
    /// The rules in effect, in the order of the files.
    pub(crate) rules: Vec<NamedRule>,
    pub(crate) reminder: ReminderConfig,
    pub(crate) sync: SyncPolicy,
    /// Hook files, paths resolved, the user's first.
    pub(crate) hook_files: Vec<HookFile>,
    /// Names of variables that hooks see though they look like credentials.
    pub(crate) hook_environment: Vec<String>,
    pub(crate) allow_value_replacement: bool,
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
    /// Why trusting it would not work either.
    pub(crate) fault: Option<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            tools: tools_firstparty::Config::default(),
            max_inline_bytes: MAX_INLINE_BYTES,
            max_total_bytes: MAX_TOTAL_BYTES,
            max_age: days(MAX_AGE_DAYS),
            rules: Vec::new(),
            reminder: ReminderConfig::default(),
            sync: SyncPolicy::EveryEntry,
            hook_files: Vec::new(),
            hook_environment: Vec::new(),
            allow_value_replacement: false,
            withheld: None,
        }
    }
}

fn days(days: u64) -> Duration {
    Duration::from_secs(days.saturating_mul(24 * 60 * 60))
}

/// Loads what is in effect in a workspace.
/// Where there is no place for state, `trust` is none and nothing is trusted.
pub(crate) fn load(root: &Path, trust: Option<&Trust>) -> Result<Config, Stop> {
    let mut config = Config::default();
    if let Some(path) = user_file()
        && let Some(text) = read_if_there(&path)?
    {
        let source = Source::parse(&path, text)?;
        config.take(&source, Some(source.hook_files()?))?;
    }
    let path = root.join(WORKSPACE_FILE);
    let accepted = trust.map(|trust| trust.of(root)).transpose()?.flatten();
    match read_if_there(&path)? {
        Some(text) => config.take_workspace(&Source::parse(&path, text)?, accepted.as_ref())?,
        None if accepted.is_some() => return Err(changed(&path, "it is gone")),
        None => {}
    }
    RepeatReminder::new(config.reminder.clone()).map_err(|error| Stop::usage(error.to_string()))?;
    Ok(config)
}

impl Config {
    /// Puts the workspace's file over what is there, as far as it is trusted.
    fn take_workspace(&mut self, source: &Source, accepted: Option<&Digest>) -> Result<(), Stop> {
        match (source.hook_files(), accepted) {
            (Ok(hooks), Some(accepted)) if *accepted == Digest::of(source, &hooks) => {
                self.take(source, Some(hooks))
            }
            (Ok(_), Some(_)) => Err(changed(&source.path, "it or a hook file that it names")),
            (Err(fault), Some(_)) => Err(changed(&source.path, &fault.to_string())),
            (Ok(_), None) => self.take(source, None),
            (Err(fault), None) => {
                self.take(source, None)?;
                if let Some(withheld) = &mut self.withheld {
                    withheld.fault = Some(fault.to_string());
                }
                Ok(())
            }
        }
    }

    /// The rules in effect, as a policy.
    pub(crate) fn permissions(&self) -> Permissions {
        let of = |key: &str| {
            let rules: Vec<Rule> =
                self.rules.iter().filter(|it| it.key == key).map(|it| it.rule.clone()).collect();
            rules
        };
        Permissions::new().deny(of("deny")).ask(of("ask")).allow(of("allow"))
    }

    /// Puts one file over what is there; `hooks` are its hook files, if it is trusted.
    fn take(&mut self, source: &Source, hooks: Option<Vec<HookFile>>) -> Result<(), Stop> {
        let file = &source.file;
        let spill = &file.spill;
        if let Some(bytes) = &spill.max_inline_bytes {
            self.max_inline_bytes = *bytes.as_ref();
            if self.max_inline_bytes < MIN_INLINE_BYTES {
                let what = format!("spill.max_inline_bytes: must be at least {MIN_INLINE_BYTES}");
                return Err(source.error(&bytes.span(), &what));
            }
        }
        if hooks.is_some() {
            self.take_state(source);
        }
        self.take_reminder(source)?;
        self.take_access(source, hooks.is_some())?;
        let rules = &file.permissions;
        self.rules.extend(source.rules("deny", &rules.deny)?);
        self.rules.extend(source.rules("ask", &rules.ask)?);
        let allow = source.rules("allow", &rules.allow)?;
        match hooks {
            Some(hooks) => {
                self.rules.extend(allow);
                self.take_hooks(source, hooks);
            }
            None => self.withheld = withheld(source),
        }
        Ok(())
    }

    /// What is kept of the user's other sessions, and how safely, is not for a workspace to say.
    fn take_state(&mut self, source: &Source) {
        let spill = &source.file.spill;
        self.max_total_bytes = spill.max_total_bytes.unwrap_or(self.max_total_bytes);
        self.max_age = spill.max_age_days.map_or(self.max_age, days);
        self.sync = match source.file.session.sync {
            Some(Sync::EveryEntry) => SyncPolicy::EveryEntry,
            Some(Sync::Never) => SyncPolicy::Never,
            None => self.sync,
        };
    }

    /// What tools may change and commands may see. Whoever says no is heard, trusted or not.
    fn take_access(&mut self, source: &Source, trusted: bool) -> Result<(), Stop> {
        let (file, roots) = (&source.file, source.writable_roots()?);
        let (access, bash) = (&mut self.tools.access, &mut self.tools.bash);
        access.network &= file.access.network.unwrap_or(true);
        bash.bubblewrap |= file.commands.bubblewrap;
        if trusted {
            access.writable_roots.extend(roots);
            bash.allowed_variables.extend(file.commands.environment.iter().cloned());
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

/// What was trusted is no longer what is there. It is neither followed nor left out: what is new was not
/// accepted, and what was in effect may have been a guard that must not go without a word.
fn changed(path: &Path, what: &str) -> Stop {
    let path = path.display();
    Stop::usage(format!(
        "{path}: what was trusted here has changed: {what}. Nothing is run before `tenon trust`, which shows \
         what is there now and accepts it, or `tenon trust --revoke`, to go on without"
    ))
}

/// What of a file needs trust.
fn withheld(source: &Source) -> Option<Withheld> {
    let file = &source.file;
    let hooks = file.hooks.files.iter();
    let mut what: Vec<_> =
        hooks.map(|hook| format!("run the hooks of {}", hook.path.display())).collect();
    if file.spill.max_total_bytes.is_some() || file.spill.max_age_days.is_some() {
        what.push("say how long saved results are kept".to_owned());
    }
    if file.session.sync.is_some() {
        what.push("say how safely sessions are logged".to_owned());
    }
    let roots = file.access.writable_roots.iter();
    what.extend(roots.map(|root| format!("write to {}", root.as_ref().display())));
    let allow = file.permissions.allow.iter();
    what.extend(allow.map(|rule| format!("allow `{}`", rule.as_ref())));
    let names = file.hooks.environment.iter();
    what.extend(names.map(|name| format!("show hooks the variable {name}")));
    let names = file.commands.environment.iter();
    what.extend(names.map(|name| format!("show commands the variable {name}")));
    if file.hooks.allow_value_replacement == Some(true) {
        what.push("let hooks replace values".to_owned());
    }
    (!what.is_empty()).then(|| Withheld { path: source.path.clone(), what, fault: None })
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
    /// The commands that its hook files would run, each after its event.
    pub(crate) commands: Vec<(&'static str, String)>,
    /// What exactly is trusted.
    pub(crate) digest: Digest,
}
