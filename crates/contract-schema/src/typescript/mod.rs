//! TypeScript declarations of accepted schemas.
//!
//! A declaration may be wider than its schema (a bound has no type), never narrower: every value that
//! passes the schema is assignable to the type. It never says `unknown`; what may be anything is
//! `JsonValue`, declared by [`PRELUDE`]. The same schema always gives the same text. Which keyword becomes
//! what is a column of [`KEYWORDS`](crate::schema::KEYWORDS).
//!
//! [`typescript`] declares one schema. [`Declarations`] collects many in one namespace, so that a file can
//! declare the arguments and values of every tool without two types of the same name.

mod arrays;
mod comment;
mod inline;
mod literal;
mod lower;
mod name;
mod objects;
mod print;
mod types;

use self::lower::Lowering;
use crate::schema::Schema;

/// What every file with declarations begins with (contract V4).
pub const PRELUDE: &str = "\
// Integers are declared as `number`. An integer beyond plus or minus (2^53 - 1) is a `bigint` at run time.
type JsonValue =
  | null
  | boolean
  | number
  | string
  | JsonValue[]
  | { [key: string]: JsonValue | undefined };
";

/// Stack that one level of a schema may take while it is declared, in an unoptimized build.
const STACK_BYTES_A_LEVEL: usize = 16 << 10;
/// Stack that is left untouched.
const STACK_BYTES_SPARE: usize = 128 << 10;

/// The declarations of one schema: the type called `name`, then the types it refers to. The text needs
/// [`PRELUDE`] before it.
///
/// `name` is turned into an identifier when it is none, as [`Declarations::add`] does.
#[must_use]
pub fn typescript(schema: &Schema, name: &str) -> String {
    let mut declarations = Declarations::new();
    declarations.add(schema, name);
    declarations.text
}

/// Declarations of several schemas that share one namespace.
#[derive(Debug, Clone, Default)]
pub struct Declarations {
    names: name::Names,
    text: String,
}

impl Declarations {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Declares a schema and returns the name of its type: `name` as an identifier in Pascal case, with a
    /// number where another type is called that already. Types that the schema refers to begin with that
    /// name and `_`.
    pub fn add(&mut self, schema: &Schema, name: &str) -> String {
        self.declare(schema, &name::identifier(name))
    }

    /// As [`Declarations::add`], with the name as it stands when it is an identifier that may be declared:
    /// for callers whose names say more than Pascal case keeps.
    pub fn add_named(&mut self, schema: &Schema, name: &str) -> String {
        if name::is_free_identifier(name) {
            self.declare(schema, name)
        } else {
            self.add(schema, name)
        }
    }

    fn declare(&mut self, schema: &Schema, name: &str) -> String {
        let needed = schema.depth() * STACK_BYTES_A_LEVEL + STACK_BYTES_SPARE;
        stacker::maybe_grow(needed, needed, || {
            let root = self.names.unique(name);
            let mut lowering = Lowering::new(schema, root.clone(), &mut self.names);
            while let Some((name, doc, lowered)) = lowering.next_type() {
                if !self.text.is_empty() {
                    self.text.push('\n');
                }
                self.text.push_str(&print::declaration(&name, &doc, &lowered));
            }
            root
        })
    }

    /// The declarations so far, without [`PRELUDE`].
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// A property's name as an object type or an interface has it: quoted where it must be.
#[must_use]
pub fn property(name: &str) -> String {
    // In an interface, `new(` would begin a constructor.
    if name::is_plain_property(name) && name != "new" {
        name.to_owned()
    } else {
        literal::quoted(name)
    }
}

/// `text` as a doc comment, every line after `indent`; empty when there is nothing to say. Nothing in the
/// text closes the comment, breaks a line unseen or speaks to the compiler.
#[must_use]
pub fn doc_comment(text: &str, indent: &str) -> String {
    let mut comment = String::new();
    comment::write(&mut comment, &comment::lines(text), indent);
    comment
}

/// The first line of `text`, cut to `max_bytes`, for the rest of a line after `//`; as safe as
/// [`doc_comment`].
#[must_use]
pub fn remark(text: &str, max_bytes: usize) -> String {
    let line = comment::lines(text).into_iter().next().unwrap_or_default();
    if line.len() <= max_bytes {
        return line;
    }
    let end = line.floor_char_boundary(max_bytes.saturating_sub(comment::CUT.len()));
    let kept = line.get(..end).unwrap_or_default();
    format!("{}{}", kept.trim_end(), comment::CUT)
}
