//! What is known of a tool without running it.

use std::time::Duration;

use contract_schema::Schema;
use contract_schema::typescript::{Declarations, property};

use crate::error::RegisterError;
use crate::tool::Annotations;

/// Longest tool name: what model providers take.
const MAX_NAME_BYTES: usize = 64;

/// Name, schemas and description of a tool.
#[derive(Debug)]
pub struct ToolDefinition {
    name: String,
    family: String,
    description: String,
    annotations: Annotations,
    timeout: Option<Duration>,
    reserved: bool,
    parameters: Schema,
    output: Schema,
    parameters_enforced: bool,
    output_enforced: bool,
}

impl ToolDefinition {
    /// A definition with both schemas.
    ///
    /// # Errors
    ///
    /// [`RegisterError::InvalidName`].
    pub fn new(
        name: impl Into<String>,
        family: impl Into<String>,
        parameters: Schema,
        output: Schema,
    ) -> Result<Self, RegisterError> {
        let name = name.into();
        if !is_well_formed(&name) {
            return Err(RegisterError::InvalidName(name));
        }
        Ok(Self {
            name,
            family: family.into(),
            description: String::new(),
            annotations: Annotations::default(),
            timeout: None,
            reserved: false,
            parameters,
            output,
            parameters_enforced: true,
            output_enforced: true,
        })
    }

    /// Sets the description.
    #[must_use]
    pub fn with_description(mut self, text: impl Into<String>) -> Self {
        self.description = text.into();
        self
    }

    /// Sets the hints.
    #[must_use]
    pub fn with_annotations(mut self, annotations: Annotations) -> Self {
        self.annotations = annotations;
        self
    }

    /// Sets the deadline.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Option<Duration>) -> Self {
        self.timeout = timeout;
        self
    }

    /// Reserves the name for this tool (contract C5).
    #[must_use]
    pub fn with_reserved(mut self, reserved: bool) -> Self {
        self.reserved = reserved;
        self
    }

    /// States whether the schemas are the tool's own or stand in for ones that cannot be enforced
    /// (contract M2, M5).
    #[must_use]
    pub fn with_enforcement(mut self, parameters: bool, output: bool) -> Self {
        (self.parameters_enforced, self.output_enforced) = (parameters, output);
        self
    }

    /// The name a model calls.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The family it is listed under.
    #[must_use]
    pub fn family(&self) -> &str {
        &self.family
    }

    /// What the model is told.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Hints for hosts and policies.
    #[must_use]
    pub fn annotations(&self) -> Annotations {
        self.annotations
    }

    /// The tool's deadline.
    #[must_use]
    pub fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// Whether nothing shadows or masks it, and nothing it calls may call it (contract C5).
    #[must_use]
    pub fn is_reserved(&self) -> bool {
        self.reserved
    }

    /// The parameter schema.
    #[must_use]
    pub fn parameters(&self) -> &Schema {
        &self.parameters
    }

    /// The output schema.
    #[must_use]
    pub fn output(&self) -> &Schema {
        &self.output
    }

    /// The tool's TypeScript signature: the types of its arguments and of its value, and its member of
    /// `interface Tools`, which TypeScript merges with those of other tools. The text needs
    /// [`PRELUDE`](contract_schema::typescript::PRELUDE) before it.
    ///
    /// No two tools declare a type of the same name, whatever they are called.
    #[must_use]
    pub fn typescript(&self) -> String {
        self.declared("")
    }

    /// The signature with this doc comment before the member.
    pub(crate) fn declared(&self, doc: &str) -> String {
        let mut types = Declarations::new();
        let [args, value] = type_names(&self.name);
        let args = types.add_named(&self.parameters, &args);
        let value = types.add_named(&self.output, &value);
        let member = format!("{}(args: {args}): Promise<{value}>;", property(&self.name));
        format!("{}\ninterface Tools {{\n{doc}  {member}\n}}\n", types.text())
    }

    /// Whether the parameter schema is the tool's own.
    #[must_use]
    pub fn parameters_enforced(&self) -> bool {
        self.parameters_enforced
    }

    /// Whether the output schema is the tool's own.
    #[must_use]
    pub fn output_enforced(&self) -> bool {
        self.output_enforced
    }
}

fn is_well_formed(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
        && name.len() <= MAX_NAME_BYTES
}

/// What the types of a tool's arguments and value are called: `read_file` has `ReadFileArgs`. A name that
/// Pascal case does not keep, as `read-file` or `readFile`, stays as it is, with `$` for `-` and what it
/// names after `_`: `read$file_args`. So different tools have different types.
fn type_names(tool: &str) -> [String; 2] {
    let is_kept = |word: &str| {
        let mut bytes = word.bytes();
        bytes.next().is_some_and(|first| first.is_ascii_lowercase())
            && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    if !tool.split('_').all(is_kept) {
        let name = tool.replace('-', "$");
        return [format!("{name}_args"), format!("{name}_value")];
    }
    let mut name = String::new();
    for word in tool.split('_') {
        let mut letters = word.chars();
        name.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        name.push_str(letters.as_str());
    }
    [format!("{name}Args"), format!("{name}Value")]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{is_well_formed, type_names};

    #[test]
    fn no_two_names_give_one_type() {
        assert_eq!(type_names("read_file"), ["ReadFileArgs", "ReadFileValue"]);
        assert_eq!(type_names("mcp__fs__read-file")[0], "mcp__fs__read$file_args");
        // Every name of up to five of these signs.
        let mut names = vec![String::new()];
        let mut seen = HashSet::new();
        for _ in 0..5 {
            let longer =
                names.iter().flat_map(|name| "aAb1_-".chars().map(move |c| format!("{name}{c}")));
            names = longer.collect();
            for name in names.iter().filter(|name| is_well_formed(name)) {
                for ty in type_names(name) {
                    assert!(seen.insert(ty.clone()), "{name}: {ty}");
                }
            }
        }
    }

    #[test]
    fn names_are_what_model_providers_take() {
        for good in ["a", "_", "__proto__", "read_file", "a-1", &"x".repeat(64)] {
            assert!(is_well_formed(good), "{good}");
        }
        for bad in ["", "1a", "-a", "a.b", "a b", "é", "a/b", &"x".repeat(65)] {
            assert!(!is_well_formed(bad), "{bad}");
        }
    }
}
