//! What in a rule has no effect with the tools there are: worth a warning, not an error, since a tool may be
//! registered later.

use std::fmt;

use contract_registry::ToolDefinition;
use contract_schema::nearest;
use serde_json::Value;

use super::path::is_path;
use super::rule::Rule;
use crate::policies::wildcard::matches;

/// Keywords by which a schema may allow more than its own `properties` and `items`.
const OPEN: [&str; 8] = [
    "$ref",
    "$dynamicRef",
    "allOf",
    "anyOf",
    "oneOf",
    "if",
    "patternProperties",
    "dependentSchemas",
];

/// A part of a rule that matches nothing, as far as can be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleDoubt {
    /// No tool has this name.
    Tool {
        /// The name.
        tool: String,
        /// The nearest there is.
        nearest: Option<String>,
    },
    /// No tool that the rule is about takes this argument.
    Argument {
        /// The tool, as the rule names it.
        tool: String,
        /// The argument.
        key: String,
        /// The nearest there is.
        nearest: Option<String>,
    },
    /// A path that begins with `~`, which no tool replaces.
    Home {
        /// The path.
        pattern: String,
    },
}

impl fmt::Display for RuleDoubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let meant = |nearest: &Option<String>| {
            let hint = |name| format!("; did you mean `{name}`?");
            nearest.as_ref().map(hint).unwrap_or_default()
        };
        match self {
            Self::Tool { tool, nearest } => {
                write!(f, "there is no tool `{tool}`{}", meant(nearest))
            }
            Self::Argument { tool, key, nearest } => {
                write!(f, "`{tool}` takes no argument `{key}`{}", meant(nearest))
            }
            Self::Home { pattern } => {
                write!(f, "`~` in `{pattern}` is not replaced by the home folder; write it out")
            }
        }
    }
}

impl Rule {
    /// What of the rule has no effect with these tools. A name with a star in it may be of tools to come.
    #[must_use]
    pub fn doubts<'a>(
        &self,
        tools: impl IntoIterator<Item = &'a ToolDefinition>,
    ) -> Vec<RuleDoubt> {
        let tools: Vec<_> = tools.into_iter().collect();
        let meant: Vec<_> =
            tools.iter().filter(|tool| matches(&self.tool, tool.name())).copied().collect();
        let mut doubts: Vec<_> = self
            .conditions
            .iter()
            .filter_map(|condition| {
                let home = condition.pattern == "~" || condition.pattern.starts_with("~/");
                (home && is_path(&condition.key))
                    .then(|| RuleDoubt::Home { pattern: condition.pattern.clone() })
            })
            .collect();
        if meant.is_empty() {
            let names: Vec<_> = tools.iter().map(|tool| tool.name()).collect();
            let nearest = nearest(&self.tool, &names).map(str::to_owned);
            let doubt = RuleDoubt::Tool { tool: self.tool.clone(), nearest };
            doubts.extend((!self.tool.contains('*')).then_some(doubt));
            return doubts;
        }
        doubts
            .extend(self.conditions.iter().filter_map(|it| self.unknown_argument(&it.key, &meant)));
        doubts
    }

    fn unknown_argument(&self, key: &str, tools: &[&ToolDefinition]) -> Option<RuleDoubt> {
        let steps: Vec<String> = match key.strip_prefix('/') {
            Some(rest) => {
                rest.split('/').map(|part| part.replace("~1", "/").replace("~0", "~")).collect()
            }
            None => vec![key.to_owned()],
        };
        let missing = tools.iter().map(|tool| missing(tool.parameters().document(), &steps));
        // One tool that may take it is enough; else the one that takes most of it tells.
        let missing = missing.collect::<Option<Vec<_>>>()?;
        let depth = missing.iter().map(|it| it.depth).max()?;
        let deepest = missing.iter().filter(|it| it.depth == depth);
        let known: Vec<&str> = deepest.flat_map(|it| it.known.iter().copied()).collect();
        let nearest = nearest(&steps[depth], &known).map(str::to_owned);
        let key = if depth == 0 { steps[0].clone() } else { pointer(&steps[..=depth]) };
        Some(RuleDoubt::Argument { tool: self.tool.clone(), key, nearest })
    }
}

fn pointer(steps: &[String]) -> String {
    let parts = steps.iter().map(|step| step.replace('~', "~0").replace('/', "~1"));
    parts.map(|part| format!("/{part}")).collect()
}

/// Where a pointer leaves what a schema allows.
struct Missing<'a> {
    /// The step that leaves it, from 0.
    depth: usize,
    /// What there is instead.
    known: Vec<&'a str>,
}

/// Where these steps into the arguments find nothing; `None` if they may find something, as far as the schema
/// tells.
fn missing<'a>(document: &'a Value, steps: &[String]) -> Option<Missing<'a>> {
    let mut schema = document;
    for (depth, step) in steps.iter().enumerate() {
        match inside(schema, step) {
            Inside::Unknown => return None,
            Inside::Schema(inner) => schema = inner,
            Inside::Nothing(known) => return Some(Missing { depth, known }),
        }
    }
    None
}

/// What a schema says about one step into its values.
enum Inside<'a> {
    /// It does not tell.
    Unknown,
    /// There is a value of this schema.
    Schema(&'a Value),
    /// There is none of that name; these are the names there are.
    Nothing(Vec<&'a str>),
}

fn inside<'a>(schema: &'a Value, step: &str) -> Inside<'a> {
    if OPEN.iter().any(|keyword| schema.get(keyword).is_some()) {
        return Inside::Unknown;
    }
    let may_be = |kind: &str| match schema.get("type") {
        Some(Value::String(only)) => only == kind,
        Some(Value::Array(kinds)) => kinds.iter().any(|one| one == kind),
        _ => true,
    };
    let is_index = step == "0" || (!step.starts_with('0') && is_digits(step));
    if is_index && may_be("array") {
        return match schema.get("items") {
            // An object may have a member of that name as well.
            Some(items) if !may_be("object") && schema.get("prefixItems").is_none() => {
                Inside::Schema(items)
            }
            _ => Inside::Unknown,
        };
    }
    if !may_be("object") {
        return Inside::Nothing(Vec::new());
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    if let Some(inner) = properties.and_then(|properties| properties.get(step)) {
        return Inside::Schema(inner);
    }
    match (properties, schema.get("additionalProperties")) {
        (_, Some(Value::Bool(false))) | (Some(_), None) => Inside::Nothing(
            properties.into_iter().flat_map(|named| named.keys().map(String::as_str)).collect(),
        ),
        (_, Some(inner @ Value::Object(_))) => Inside::Schema(inner),
        (_, Some(_)) | (None, None) => Inside::Unknown,
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
