//! Tool names and input keys as other harnesses have them, both ways (decisions DH1).

use std::path::{Component, Path, PathBuf};

use contract_schema::JsonRef;
use serde::ser::{Error as _, Serialize, SerializeMap as _, Serializer};
use serde_json::{Map, Value};

use crate::follow::followed;

/// One tool and its names elsewhere.
struct Alias {
    own: &'static str,
    /// The first is the name on the wire.
    foreign: &'static [&'static str],
    /// Keys that differ: ours, theirs.
    keys: &'static [(&'static str, &'static str)],
    /// Keys, ours, that hold a path.
    paths: &'static [&'static str],
}

const fn alias(own: &'static str, foreign: &'static [&'static str]) -> Alias {
    Alias { own, foreign, keys: &[], paths: &[] }
}

const ALIASES: &[Alias] = &[
    Alias {
        keys: &[("timeout_ms", "timeout")],
        ..alias("bash", &["Bash", "shell", "local_shell", "exec_command"])
    },
    Alias { paths: &["file_path"], ..alias("read", &["Read"]) },
    Alias { paths: &["file_path"], ..alias("write", &["Write", "apply_patch"]) },
    Alias { paths: &["file_path"], ..alias("edit", &["Edit", "MultiEdit", "apply_patch"]) },
    Alias { paths: &["path"], ..alias("glob", &["Glob"]) },
    Alias { keys: &[("include", "glob")], paths: &["path"], ..alias("grep", &["Grep"]) },
    alias("lsp", &["LSP"]),
    alias("web_fetch", &["WebFetch"]),
    alias("web_search", &["WebSearch", "web_search"]),
    alias("todo_write", &["TodoWrite", "update_plan"]),
    alias("subagent", &["Task", "Agent"]),
    Alias { keys: &[("name", "skill")], ..alias("skill", &["Skill"]) },
    alias("ask_user_question", &["AskUserQuestion"]),
    alias("exit_plan_mode", &["ExitPlanMode"]),
    Alias {
        keys: &[("job_id", "task_id"), ("wait", "block"), ("timeout_ms", "timeout")],
        ..alias("job_output", &["TaskOutput", "BashOutput"])
    },
    Alias {
        keys: &[("job_id", "task_id")],
        ..alias("job_kill", &["TaskStop", "KillShell", "KillBash"])
    },
];

fn of_own(own: &str) -> Option<&'static Alias> {
    ALIASES.iter().find(|alias| alias.own == own)
}

/// The name on the wire of one of our tools: another harness's, or ours where it has none.
#[must_use]
pub fn wire_name(own: &str) -> &str {
    of_own(own).and_then(|alias| alias.foreign.first()).copied().unwrap_or(own)
}

/// Every name that a matcher may know one of our tools by, the one on the wire first, ours last.
pub fn names(own: &str) -> impl Iterator<Item = &str> {
    let foreign = of_own(own).map_or(&[][..], |alias| alias.foreign);
    foreign.iter().copied().filter(move |foreign| *foreign != own).chain([own])
}

/// Our tools that another harness's name stands for. A name of ours stands for itself.
pub fn own_names(foreign: &str) -> impl Iterator<Item = &'static str> {
    ALIASES
        .iter()
        .filter(move |alias| alias.own == foreign || alias.foreign.contains(&foreign))
        .map(|alias| alias.own)
}

/// Another harness's input for a tool, under our keys. Only names change; what it holds stays.
#[must_use]
pub fn own_input(own: &str, foreign: Map<String, Value>) -> Map<String, Value> {
    let keys = of_own(own).map_or(&[][..], |alias| alias.keys);
    let renamed = |key: String| {
        let found = keys.iter().find(|(_, theirs)| *theirs == key);
        found.map_or(key, |(ours, _)| (*ours).to_owned())
    };
    foreign.into_iter().map(|(key, value)| (renamed(key), value)).collect()
}

/// Arguments of one of our tools under another harness's keys. Paths become absolute, as hook files expect them,
/// and name the place that would be opened: `.`, `..` and links are followed as the system does, so that neither
/// another spelling nor a link passes a hook by. Only the root keeps the spelling it was given, which is the
/// hook's folder. A link that is put there after the hook was told is not seen.
///
/// A path that cannot be followed to its end, or whose end is no text, cannot be written: the hook could not
/// judge it.
#[derive(Debug, Clone, Copy)]
pub struct WireInput<'a> {
    own: &'a str,
    arguments: JsonRef<'a>,
    root: &'a Path,
}

impl<'a> WireInput<'a> {
    /// The input of a call. Relative paths are under `root`.
    #[must_use]
    pub fn new(own: &'a str, arguments: JsonRef<'a>, root: &'a Path) -> Self {
        Self { own, arguments, root }
    }
}

impl Serialize for WireInput<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(alias) = of_own(self.own) else { return self.arguments.serialize(serializer) };
        let mut map = serializer.serialize_map(None)?;
        for (key, value) in self.arguments.members() {
            let renamed = alias.keys.iter().find(|(ours, _)| *ours == key);
            let wire_key = renamed.map_or(key, |(_, theirs)| theirs);
            match value.as_str().filter(|_| alias.paths.contains(&key)) {
                Some(path) => {
                    let place = told(self.root, path).ok_or_else(|| {
                        S::Error::custom(format!("where `{key}` leads cannot be told"))
                    })?;
                    map.serialize_entry(wire_key, &place)?;
                }
                None => map.serialize_entry(wire_key, &value)?,
            }
        }
        map.end()
    }
}

/// The place that a path leads to; under the root as it was given for a place inside.
fn told(root: &Path, path: &str) -> Option<String> {
    let given = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
    let (real, place) = (followed(&given)?, followed(&given.join(path))?);
    let is_plain = !given.components().any(|part| part == Component::ParentDir);
    let told: PathBuf = match place.strip_prefix(&real) {
        // Without the slash that joining nothing leaves.
        Ok(inner) if is_plain => given.join(inner).components().collect(),
        Ok(_) | Err(_) => place,
    };
    told.into_os_string().into_string().ok()
}

/// The tools that a matcher can name.
#[derive(Debug, Clone)]
pub struct KnownTools {
    own: Vec<String>,
}

impl Default for KnownTools {
    /// Every tool that has a name elsewhere.
    fn default() -> Self {
        Self::of(ALIASES.iter().map(|alias| alias.own))
    }
}

impl KnownTools {
    /// These tools, by our names.
    pub fn of<N: Into<String>>(own: impl IntoIterator<Item = N>) -> Self {
        Self { own: own.into_iter().map(Into::into).collect() }
    }

    /// Whether one of them passes.
    pub(crate) fn any(&self, passes: impl Fn(&str) -> bool) -> bool {
        self.own.iter().any(|own| passes(own))
    }
}
