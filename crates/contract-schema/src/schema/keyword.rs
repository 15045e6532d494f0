//! The table of keywords: the one place that says what the gate does with each.

use super::draft::Draft;

/// What the gate does with a keyword (contract D3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The validator asserts it.
    Enforced,
    /// It says something about the value to a reader and constrains nothing.
    Annotation,
    /// A schema that has it is refused.
    Refused,
}

impl Role {
    /// The word used in the table.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Enforced => "enforced",
            Self::Annotation => "annotation",
            Self::Refused => "refused",
        }
    }
}

/// The drafts a keyword belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Drafts {
    /// draft-07 and 2020-12.
    Both,
    /// draft-07 alone.
    Draft7,
    /// 2020-12 alone.
    Draft202012,
}

impl Drafts {
    /// Whether the keyword belongs to `draft`.
    #[must_use]
    pub fn contains(self, draft: Draft) -> bool {
        match self {
            Self::Both => true,
            Self::Draft7 => draft == Draft::Draft7,
            Self::Draft202012 => draft == Draft::Draft202012,
        }
    }

    /// The word used in the table.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::Draft7 => Draft::Draft7.name(),
            Self::Draft202012 => Draft::Draft202012.name(),
        }
    }
}

/// Which value a subschema is applied to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The same value: applying it consumes nothing of the instance.
    InPlace,
    /// A member, an element or a property name of the value.
    Child,
    /// None; it is only there to be referred to.
    Definition,
}

/// What a keyword's own value must look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Any,
    Flag,
    Text,
    List,
    Types,
    Count,
    Bound,
    Positive,
    Pattern,
    Names,
    NameLists,
    Reference,
    Schema(Reach),
    Schemas(Reach),
    SchemaMap(Reach),
    /// A [`Shape::SchemaMap`] whose names are patterns.
    PatternMap,
    /// One schema, or in draft-07 also an array of them.
    Items,
    /// Names to name lists or to schemas.
    Dependencies,
}

/// One row of [`KEYWORDS`].
#[derive(Debug, Clone, Copy)]
pub struct Keyword {
    /// The keyword as it is written.
    pub name: &'static str,
    /// What the gate does with it.
    pub role: Role,
    /// The drafts it belongs to; in the other draft it is refused.
    pub drafts: Drafts,
    /// What becomes of it in a TypeScript declaration, or why it is refused.
    pub typescript: &'static str,
    pub(crate) shape: Shape,
}

/// The row of a keyword; `None` for one that the table does not have.
pub(crate) fn keyword(name: &str) -> Option<&'static Keyword> {
    KEYWORDS.iter().find(|row| row.name == name)
}

const WIDER: &str = "none: the type is wider";
const SILENT: &str = "none";

const fn row(
    name: &'static str,
    role: Role,
    drafts: Drafts,
    shape: Shape,
    typescript: &'static str,
) -> Keyword {
    Keyword { name, role, drafts, typescript, shape }
}

use Drafts::{Both, Draft7, Draft202012};
use Reach::{Child, Definition, InPlace};
use Role::{Annotation, Enforced, Refused};
use Shape as S;

#[doc = include_str!("keywords.md")]
pub const KEYWORDS: &[Keyword] = &[
    row("type", Enforced, Both, S::Types, "the named types; `integer` is `number`"),
    row("enum", Enforced, Both, S::List, "union of literals"),
    row("const", Enforced, Both, S::Any, "literal"),
    row("properties", Enforced, Both, S::SchemaMap(Child), "members"),
    row("required", Enforced, Both, S::Names, "members without `?`"),
    row(
        "additionalProperties",
        Enforced,
        Both,
        S::Schema(Child),
        "index signature; none when `false`",
    ),
    row("patternProperties", Enforced, Both, S::PatternMap, "joins the index signature"),
    row("propertyNames", Enforced, Both, S::Schema(Child), WIDER),
    row("minProperties", Enforced, Both, S::Count, WIDER),
    row("maxProperties", Enforced, Both, S::Count, WIDER),
    row("items", Enforced, Both, S::Items, "element type, or the rest of a tuple"),
    row("prefixItems", Enforced, Draft202012, S::Schemas(Child), "tuple"),
    row("additionalItems", Enforced, Draft7, S::Schema(Child), "the rest of a tuple"),
    row("contains", Enforced, Both, S::Schema(Child), WIDER),
    row("minContains", Enforced, Draft202012, S::Count, WIDER),
    row("maxContains", Enforced, Draft202012, S::Count, WIDER),
    row("minItems", Enforced, Both, S::Count, "length of a tuple"),
    row("maxItems", Enforced, Both, S::Count, "length of a tuple"),
    row("uniqueItems", Enforced, Both, S::Flag, WIDER),
    row("minLength", Enforced, Both, S::Count, WIDER),
    row("maxLength", Enforced, Both, S::Count, WIDER),
    row("pattern", Enforced, Both, S::Pattern, WIDER),
    row("minimum", Enforced, Both, S::Bound, WIDER),
    row("maximum", Enforced, Both, S::Bound, WIDER),
    row("exclusiveMinimum", Enforced, Both, S::Bound, WIDER),
    row("exclusiveMaximum", Enforced, Both, S::Bound, WIDER),
    row("multipleOf", Enforced, Both, S::Positive, WIDER),
    row("allOf", Enforced, Both, S::Schemas(InPlace), "intersection"),
    row("anyOf", Enforced, Both, S::Schemas(InPlace), "union"),
    row("oneOf", Enforced, Both, S::Schemas(InPlace), "union"),
    row("not", Enforced, Both, S::Schema(InPlace), WIDER),
    row("if", Enforced, Both, S::Schema(InPlace), WIDER),
    row("then", Enforced, Both, S::Schema(InPlace), WIDER),
    row("else", Enforced, Both, S::Schema(InPlace), WIDER),
    row("dependentRequired", Enforced, Draft202012, S::NameLists, WIDER),
    row("dependentSchemas", Enforced, Draft202012, S::SchemaMap(InPlace), WIDER),
    row("dependencies", Enforced, Both, S::Dependencies, WIDER),
    row("unevaluatedItems", Enforced, Draft202012, S::Schema(Child), WIDER),
    row(
        "unevaluatedProperties",
        Enforced,
        Draft202012,
        S::Schema(Child),
        "no index signature when `false` beside plain objects, else wider",
    ),
    row("$ref", Enforced, Both, S::Reference, "named type"),
    row("$defs", Enforced, Both, S::SchemaMap(Definition), "named types, where referred to"),
    row("definitions", Enforced, Both, S::SchemaMap(Definition), "named types, where referred to"),
    row("description", Annotation, Both, S::Text, "doc comment"),
    row("deprecated", Annotation, Both, S::Flag, "`@deprecated` in the doc comment"),
    row("default", Annotation, Both, S::Any, "`@default` in the doc comment"),
    row("title", Annotation, Both, S::Text, SILENT),
    row("examples", Annotation, Both, S::List, SILENT),
    row("readOnly", Annotation, Both, S::Flag, SILENT),
    row("writeOnly", Annotation, Both, S::Flag, SILENT),
    row("format", Annotation, Both, S::Text, SILENT),
    row("contentEncoding", Annotation, Both, S::Text, SILENT),
    row("contentMediaType", Annotation, Both, S::Text, SILENT),
    row("contentSchema", Annotation, Draft202012, S::Any, SILENT),
    row("$comment", Annotation, Both, S::Text, SILENT),
    row("$schema", Annotation, Both, S::Text, "none: selects the draft, at the root only"),
    row("$id", Annotation, Both, S::Text, "none: at the root only"),
    row("$anchor", Refused, Both, S::Any, "refer by pointer instead"),
    row("$dynamicAnchor", Refused, Both, S::Any, "refer by pointer instead"),
    row("$dynamicRef", Refused, Both, S::Any, "use `$ref`"),
    row("$recursiveAnchor", Refused, Both, S::Any, "refer by pointer instead"),
    row("$recursiveRef", Refused, Both, S::Any, "use `$ref`"),
    row("$vocabulary", Refused, Both, S::Any, "vocabularies cannot be changed"),
];

/// The table as the documentation shows it.
#[cfg(test)]
fn render() -> String {
    let mut text = String::from(
        "Every keyword of the supported subset (contract D4); one that is not listed is refused.\n\
         Keywords beginning with `x-` are annotations.\n\n\
         | keyword | gate | drafts | TypeScript |\n| --- | --- | --- | --- |\n",
    );
    for row in KEYWORDS {
        text.push_str(&format!(
            "| `{}` | {} | {} | {} |\n",
            row.name,
            row.role.name(),
            row.drafts.name(),
            row.typescript
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documentation_shows_this_very_table() {
        assert_eq!(include_str!("keywords.md"), render());
    }

    #[test]
    fn no_keyword_is_listed_twice() {
        for (i, row) in KEYWORDS.iter().enumerate() {
            assert!(KEYWORDS[..i].iter().all(|other| other.name != row.name), "{}", row.name);
        }
    }
}
