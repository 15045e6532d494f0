//! What in a rule has no effect with the tools there are: worth a warning, not an error, since a tool may be
//! registered later.

use std::fmt;

use contract_registry::ToolDefinition;
use contract_schema::nearest;
use serde_json::Value;

use super::path::is_path;
use super::rule::Rule;
use crate::policies::wildcard::matches;

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
        let pointed = key.strip_prefix('/').map(|rest| rest.split('/').next().unwrap_or(rest));
        let name = pointed
            .map_or_else(|| key.to_owned(), |part| part.replace("~1", "/").replace("~0", "~"));
        let known = tools.iter().map(|tool| closed(tool.parameters().document()));
        // One tool that may take it is enough.
        let known = known.collect::<Option<Vec<_>>>()?.concat();
        if known.contains(&name.as_str()) {
            return None;
        }
        let nearest = nearest(&name, &known).map(str::to_owned);
        Some(RuleDoubt::Argument { tool: self.tool.clone(), key: name, nearest })
    }
}

/// The arguments of a tool, if its schema lists them all.
fn closed(schema: &Value) -> Option<Vec<&str>> {
    let open = ["$ref", "allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas"];
    if open.iter().any(|keyword| schema.get(keyword).is_some()) {
        return None;
    }
    if schema.get("additionalProperties").is_some_and(|more| *more != Value::Bool(false)) {
        return None;
    }
    Some(schema.get("properties")?.as_object()?.keys().map(String::as_str).collect())
}
