//! Types on one line. Gives up early, so that trying it at every level costs little.

use super::literal::quoted;
use super::name::is_plain_property;
use super::print::Place;
use super::types::{Member, Object, Type};

/// Longest type on one line, in bytes.
const MAX_INLINE: usize = 88;

/// The type on one line; `None` when it is too long, or something in it has a doc comment.
pub(super) fn inline(ty: &Type, place: Place) -> Option<String> {
    let mut line = Line(String::new());
    line.ty(ty, place)?;
    Some(line.0)
}

/// A member's name with its `?`.
pub(super) fn member_name(member: &Member) -> String {
    let name = &member.name;
    let name = if is_plain_property(name) { name.clone() } else { quoted(name) };
    if member.is_optional { format!("{name}?") } else { name }
}

struct Line(String);

impl Line {
    fn text(&mut self, text: &str) -> Option<()> {
        self.0.push_str(text);
        (self.0.len() <= MAX_INLINE).then_some(())
    }

    fn ty(&mut self, ty: &Type, place: Place) -> Option<()> {
        match ty {
            Type::Never => self.text("never"),
            Type::Any => self.text("JsonValue"),
            Type::Undefined => self.text("undefined"),
            Type::Null => self.text("null"),
            Type::Boolean => self.text("boolean"),
            Type::True => self.text("true"),
            Type::False => self.text("false"),
            Type::Number => self.text("number"),
            Type::NumberLiteral(text) | Type::Named(text) => self.text(text),
            Type::String => self.text("string"),
            Type::StringLiteral(text) => self.text(&quoted(text)),
            Type::Array(item) => self.array(item),
            Type::Tuple { items, rest } => self.tuple(items, rest.as_deref()),
            Type::Object(object) => self.object(object),
            Type::Union(parts) => self.parts(parts, " | ", Place::Top, place != Place::Top),
            Type::Intersection(parts) => {
                self.parts(parts, " & ", Place::Operand, place == Place::Element)
            }
            Type::Documented(..) => None,
        }
    }

    fn array(&mut self, item: &Type) -> Option<()> {
        self.ty(item, Place::Element)?;
        self.text("[]")
    }

    fn parts(&mut self, parts: &[Type], glue: &str, place: Place, closed: bool) -> Option<()> {
        self.text(if closed { "(" } else { "" })?;
        for (i, part) in parts.iter().enumerate() {
            self.text(if i > 0 { glue } else { "" })?;
            self.ty(part, place)?;
        }
        self.text(if closed { ")" } else { "" })
    }

    fn tuple(&mut self, items: &[Type], rest: Option<&Type>) -> Option<()> {
        self.text("[")?;
        self.parts(items, ", ", Place::Top, false)?;
        if let Some(rest) = rest {
            self.text(if items.is_empty() { "..." } else { ", ..." })?;
            self.array(rest)?;
        }
        self.text("]")
    }

    fn object(&mut self, object: &Object) -> Option<()> {
        if object.members.is_empty() && object.index.is_none() {
            return self.text("{}");
        }
        self.text("{ ")?;
        for (i, member) in object.members.iter().enumerate() {
            if !member.doc.is_empty() {
                return None;
            }
            self.text(if i > 0 { "; " } else { "" })?;
            self.text(&member_name(member))?;
            self.text(": ")?;
            self.ty(&member.ty, Place::Top)?;
        }
        if let Some(index) = object.index.as_deref() {
            self.text(if object.members.is_empty() { "" } else { "; " })?;
            self.text("[key: string]: ")?;
            self.ty(index, Place::Top)?;
        }
        self.text(" }")
    }
}
