//! Hook files: what they say, and what is wrong with them, by file and line.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use contract_schema::{Json, JsonKind, JsonRef, ReadError};

use super::alias::KnownTools;
use super::event::{Dialect, HookEvent};
use super::locate::{Step, line_of};
use super::matcher::Matcher;

/// The longest timeout that a file may set, in seconds: what 31 bits of milliseconds hold.
const TIMEOUT_MAX_SECONDS: f64 = 2_147_483.0;

/// The key of a settings file that turns its hooks off.
const OFF: &str = "disableAllHooks";

/// What a group of hooks may say.
const GROUP_KEYS: [&str; 3] = ["matcher", "hooks", "description"];

/// What editors put before UTF-8 text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A hook file that was read. Nothing of it has run.
#[derive(Debug)]
pub struct HookFile {
    pub(crate) path: PathBuf,
    pub(crate) dialect: Dialect,
    pub(crate) hooks: Vec<CommandHook>,
    warnings: Vec<HookWarning>,
}

/// One command of a file.
#[derive(Debug)]
pub(crate) struct CommandHook {
    /// Where it stands in the file: event, group, handler.
    pub(crate) id: String,
    pub(crate) event: HookEvent,
    pub(crate) matcher: Arc<Matcher>,
    pub(crate) command: String,
    /// Present where no shell is to read the command.
    pub(crate) arguments: Option<Vec<String>>,
    pub(crate) timeout: Option<Duration>,
}

/// A file that cannot be used. It is an error, never a silent absence of its hooks.
#[derive(Debug, thiserror::Error)]
pub enum HookConfigError {
    /// It cannot be read.
    #[error("{}: the hook file cannot be read", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is no JSON.
    #[error("{}:{}: the hook file is no JSON", path.display(), source.line())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// What is wrong, with its position.
        source: ReadError,
    },
    /// It is JSON and no hook file.
    #[error("{}:{line}: {what}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong, in one plain line.
        what: String,
    },
}

/// Something in a file that has no effect here. The rest of the file has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookWarning {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// What has no effect, in one plain line.
    pub what: String,
}

impl fmt::Display for HookWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path.display(), self.line, self.what)
    }
}

impl HookFile {
    /// Reads a file. `known` are the tools that its matchers can name.
    ///
    /// # Errors
    ///
    /// [`HookConfigError`] when it cannot be read, or is no hook file.
    pub fn load(
        path: &Path,
        dialect: Dialect,
        known: &KnownTools,
    ) -> Result<Self, HookConfigError> {
        let bytes = read_file(path)
            .map_err(|source| HookConfigError::Read { path: path.to_owned(), source })?;
        Self::parse(path, &bytes, dialect, known)
    }

    /// Takes a file's bytes: for a caller that trusts content, which must be the content it looked at
    /// (decisions DH3).
    ///
    /// # Errors
    ///
    /// As for [`load`](Self::load).
    pub fn parse(
        path: impl Into<PathBuf>,
        bytes: &[u8],
        dialect: Dialect,
        known: &KnownTools,
    ) -> Result<Self, HookConfigError> {
        let path = path.into();
        let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        let json = match Json::parse_bytes(bytes) {
            Ok(json) => json,
            Err(source) => return Err(HookConfigError::Syntax { path, source }),
        };
        // What was read as JSON is UTF-8.
        let text = String::from_utf8_lossy(bytes);
        let mut decoder =
            Decoder { text: &text, dialect, known, hooks: Vec::new(), notes: Vec::new() };
        if let Err(Fault { line, what }) = decoder.file(json.root()) {
            return Err(HookConfigError::Invalid { path, line, what });
        }
        let Decoder { hooks, notes, .. } = decoder;
        let warning = |(line, what)| HookWarning { path: path.clone(), line, what };
        let warnings = notes.into_iter().map(warning).collect();
        Ok(Self { path, dialect, hooks, warnings })
    }

    /// What has no effect, in the order of the file.
    #[must_use]
    pub fn warnings(&self) -> &[HookWarning] {
        &self.warnings
    }

    /// The commands it would run with their arguments, each after its event, in its order: what one is
    /// asked to trust.
    pub fn commands(&self) -> impl Iterator<Item = (&'static str, String)> {
        let line = |hook: &CommandHook| {
            let arguments = hook.arguments.iter().flatten();
            let parts: Vec<&str> =
                [&hook.command].into_iter().chain(arguments).map(|part| part.as_str()).collect();
            (hook.event.name(), parts.join(" "))
        };
        self.hooks.iter().map(line)
    }

    /// Whether it would run anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hooks.is_empty()
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

struct Decoder<'a> {
    text: &'a str,
    dialect: Dialect,
    known: &'a KnownTools,
    hooks: Vec<CommandHook>,
    /// Line and text of warnings.
    notes: Vec<(usize, String)>,
}

struct Fault {
    line: usize,
    what: String,
}

/// A group of handlers and what they share.
struct Group<'a> {
    event: HookEvent,
    number: usize,
    matcher: Arc<Matcher>,
    path: &'a [Step<'a>],
}

impl Decoder<'_> {
    fn fault(&self, path: &[Step<'_>], what: impl Into<String>) -> Fault {
        Fault { line: line_of(self.text, path), what: what.into() }
    }

    fn note(&mut self, path: &[Step<'_>], what: impl Into<String>) {
        self.notes.push((line_of(self.text, path), what.into()));
    }

    fn is(
        &self,
        value: JsonRef<'_>,
        kind: JsonKind,
        path: &[Step<'_>],
        what: &str,
    ) -> Result<(), Fault> {
        if value.kind() == kind {
            return Ok(());
        }
        Err(self.fault(path, format!("{what} must be {kind}, not {}", value.kind())))
    }

    /// Either a map of events, or an object that holds one under `hooks` beside other settings.
    fn file(&mut self, root: JsonRef<'_>) -> Result<(), Fault> {
        self.is(root, JsonKind::Object, &[], "a hook file")?;
        if root.get(OFF).and_then(JsonRef::as_bool) == Some(true) {
            self.note(&[Step::Key(OFF)], "this turns off every hook of the file");
            return Ok(());
        }
        let (events, path) = match root.get("hooks") {
            Some(events) => (events, &[Step::Key("hooks")][..]),
            None => (root, &[][..]),
        };
        self.is(events, JsonKind::Object, path, "`hooks`")?;
        let is_foreign = |name| HookEvent::of_name(name).is_none() && nearest_event(name).is_none();
        if path.is_empty()
            && !events.is_empty()
            && events.members().all(|(name, _)| is_foreign(name))
        {
            self.note(path, "there are no hooks in this file");
            return Ok(());
        }
        for (name, groups) in events.members() {
            let path = [path, &[Step::Key(name)]].concat();
            match HookEvent::of_name(name) {
                Some(event) => self.groups(event, groups, &path)?,
                None => self.note(&path, unknown_event(name)),
            }
        }
        Ok(())
    }

    fn groups(
        &mut self,
        event: HookEvent,
        groups: JsonRef<'_>,
        path: &[Step<'_>],
    ) -> Result<(), Fault> {
        self.is(groups, JsonKind::Array, path, &format!("`{}`", event.name()))?;
        for (number, group) in groups.elements().enumerate() {
            let path = [path, &[Step::Index(number)]].concat();
            self.is(group, JsonKind::Object, &path, "a group of hooks")?;
            for (key, _) in group.members().filter(|(key, _)| !GROUP_KEYS.contains(key)) {
                let path = [path.as_slice(), &[Step::Key(key)]].concat();
                self.note(&path, format!("`{key}` of a group of hooks has no effect here"));
            }
            let matcher = Arc::new(self.matcher(event, group, &path)?);
            let Some(handlers) = group.get("hooks") else {
                return Err(self.fault(&path, "a group of hooks needs `hooks`, a list of handlers"));
            };
            let path = [path.as_slice(), &[Step::Key("hooks")]].concat();
            self.is(handlers, JsonKind::Array, &path, "`hooks` of a group")?;
            for (index, handler) in handlers.elements().enumerate() {
                let matcher = Arc::clone(&matcher);
                let path = [path.as_slice(), &[Step::Index(index)]].concat();
                self.handler(&Group { event, number, matcher, path: &path }, index, handler)?;
            }
        }
        Ok(())
    }

    fn matcher(
        &mut self,
        event: HookEvent,
        group: JsonRef<'_>,
        path: &[Step<'_>],
    ) -> Result<Matcher, Fault> {
        let given = group.get("matcher").filter(|matcher| !matcher.is_null());
        let path = [path, &[Step::Key("matcher")]].concat();
        if let Some(given) = given {
            self.is(given, JsonKind::String, &path, "`matcher`")?;
        }
        let text = given.and_then(JsonRef::as_str);
        let matcher = Matcher::compile(text, event, self.dialect).map_err(|why| {
            self.fault(&path, format!("`matcher` is no regular expression: {why}"))
        })?;
        if event.is_about_tools() {
            for name in matcher.unknown(self.known) {
                self.note(&path, format!("the matcher `{name}` names no tool there is here"));
            }
        }
        Ok(matcher)
    }

    fn handler(
        &mut self,
        group: &Group<'_>,
        index: usize,
        handler: JsonRef<'_>,
    ) -> Result<(), Fault> {
        let path = group.path;
        self.is(handler, JsonKind::Object, path, "a handler")?;
        match handler.get("type").and_then(JsonRef::as_str) {
            Some("command") => {}
            Some(kind) => {
                self.note(path, format!("handlers of type `{kind}` do not run here"));
                return Ok(());
            }
            None => return Err(self.fault(path, "a handler needs `type`, such as \"command\"")),
        }
        if self.is_left_out(handler, path)? {
            return Ok(());
        }
        let command = handler.get("command").and_then(JsonRef::as_str).unwrap_or_default();
        if command.trim().is_empty() {
            return Err(
                self.fault(path, "a command handler needs `command`, a text that is not empty")
            );
        }
        let hook = CommandHook {
            id: format!("{}/{}/{index}", group.event.name(), group.number),
            event: group.event,
            matcher: Arc::clone(&group.matcher),
            command: command.to_owned(),
            arguments: self.arguments(handler, path)?,
            timeout: self.timeout(handler, path)?,
        };
        self.hooks.push(hook);
        Ok(())
    }

    /// Notes keys without effect; whether the handler is left out for one.
    fn is_left_out(&mut self, handler: JsonRef<'_>, path: &[Step<'_>]) -> Result<bool, Fault> {
        let mut left_out = false;
        for (key, value) in handler.members() {
            let path = [path, &[Step::Key(key)]].concat();
            match (key, self.dialect) {
                ("type" | "command" | "args" | "timeout" | "statusMessage" | "description", _)
                | ("timeoutSec", Dialect::Codex) => {}
                ("async", dialect) => {
                    self.is(value, JsonKind::Bool, &path, "`async`")?;
                    if value.as_bool() == Some(true) {
                        left_out |= dialect == Dialect::Codex;
                        self.note(
                            &path,
                            match dialect {
                                Dialect::Codex => "hooks with `async` do not run here",
                                Dialect::Claude => "`async` has no effect: the hook is waited for",
                            },
                        );
                    }
                }
                (_, Dialect::Claude | Dialect::Codex) => {
                    self.note(&path, format!("`{key}` of a handler has no effect here"));
                }
            }
        }
        Ok(left_out)
    }

    fn arguments(
        &self,
        handler: JsonRef<'_>,
        path: &[Step<'_>],
    ) -> Result<Option<Vec<String>>, Fault> {
        let Some(given) = handler.get("args") else { return Ok(None) };
        let path = [path, &[Step::Key("args")]].concat();
        self.is(given, JsonKind::Array, &path, "`args`")?;
        let texts: Option<Vec<String>> =
            given.elements().map(|argument| argument.as_str().map(str::to_owned)).collect();
        texts.map(Some).ok_or_else(|| self.fault(&path, "every one of `args` must be a text"))
    }

    fn timeout(&self, handler: JsonRef<'_>, path: &[Step<'_>]) -> Result<Option<Duration>, Fault> {
        let key = match self.dialect {
            Dialect::Codex if handler.get("timeout").is_none() => "timeoutSec",
            Dialect::Claude | Dialect::Codex => "timeout",
        };
        let Some(given) = handler.get(key).filter(|given| !given.is_null()) else {
            return Ok(None);
        };
        let seconds =
            given.as_f64().filter(|seconds| *seconds > 0.0 && *seconds <= TIMEOUT_MAX_SECONDS);
        let path = [path, &[Step::Key(key)]].concat();
        let timeout = seconds.map(Duration::from_secs_f64).ok_or_else(|| {
            self.fault(
                &path,
                format!("`{key}` must be seconds, more than 0 and at most {TIMEOUT_MAX_SECONDS}"),
            )
        })?;
        Ok(Some(timeout))
    }
}

/// A device or a pipe is no file: reading it might not end.
fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    if fs::metadata(path)?.is_file() {
        return fs::read(path);
    }
    Err(io::Error::other("it is no regular file"))
}

fn nearest_event(name: &str) -> Option<&'static str> {
    contract_schema::nearest(name, &HookEvent::ALL.map(HookEvent::name))
}

fn unknown_event(name: &str) -> String {
    let hint =
        nearest_event(name).map(|nearest| format!("; `{nearest}` is meant?")).unwrap_or_default();
    format!("there is no event `{name}` here, its hooks do not run{hint}")
}
