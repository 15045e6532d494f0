//! From a type to text: on one line where it is short, else spread over lines.

use super::comment::{self, Doc};
use super::inline::{inline, member_name};
use super::literal::quoted;
use super::types::{Member, Object, Type};

const STEP: &str = "  ";

/// `type Name = …;` with its doc comment.
pub(super) fn declaration(name: &str, doc: &Doc, ty: &Type) -> String {
    let mut text = String::new();
    comment::write(&mut text, doc, "");
    let body = print(ty, "", Place::Top);
    text.push_str(&format!("type {name} ={}{body};\n", gap(&body)));
    text
}

/// Where a type stands: whether it needs parentheses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Top,
    /// Operand of `&`.
    Operand,
    /// Before `[]`.
    Element,
}

fn print(ty: &Type, indent: &str, place: Place) -> String {
    if let Some(text) = inline(ty, place) {
        return text;
    }
    match ty {
        Type::Array(item) => format!("{}[]", print(item, indent, Place::Element)),
        Type::Tuple { items, rest } => tuple(items, rest.as_deref(), indent),
        Type::Object(object) => object_text(object, indent),
        Type::Union(parts) => union(parts, indent, place),
        Type::Intersection(parts) => intersection(parts, indent, place),
        Type::Documented(_, inner) => print(inner, indent, place),
        Type::StringLiteral(text) => quoted(text),
        Type::NumberLiteral(text) | Type::Named(text) => text.clone(),
        Type::Never
        | Type::Any
        | Type::Undefined
        | Type::Null
        | Type::Boolean
        | Type::True
        | Type::False
        | Type::Number
        | Type::String => String::new(),
    }
}

fn tuple(items: &[Type], rest: Option<&Type>, indent: &str) -> String {
    let mut parts: Vec<_> = items.iter().map(|item| print(item, indent, Place::Top)).collect();
    if let Some(rest) = rest {
        parts.push(format!("...{}[]", print(rest, indent, Place::Element)));
    }
    format!("[{}]", parts.join(", "))
}

fn intersection(parts: &[Type], indent: &str, place: Place) -> String {
    let parts: Vec<_> = parts.iter().map(|part| print(part, indent, Place::Operand)).collect();
    let text = parts.join(" & ");
    if place == Place::Element { format!("({text})") } else { text }
}

fn union(parts: &[Type], indent: &str, place: Place) -> String {
    let deeper = format!("{indent}{STEP}");
    let mut text = String::new();
    for part in parts {
        text.push('\n');
        if let Type::Documented(doc, _) = part {
            comment::write(&mut text, doc, &deeper);
        }
        text.push_str(&deeper);
        text.push_str("| ");
        text.push_str(&print(part, &deeper, Place::Top));
    }
    if place == Place::Top { text } else { format!("({text}\n{indent})") }
}

fn object_text(object: &Object, indent: &str) -> String {
    let deeper = format!("{indent}{STEP}");
    let mut text = String::from("{\n");
    for member in &object.members {
        comment::write(&mut text, &member.doc, &deeper);
        member_line(&mut text, member, &deeper);
    }
    if let Some(index) = object.index.as_deref() {
        let ty = print(index, &deeper, Place::Top);
        text.push_str(&format!("{deeper}[key: string]:{}{ty};\n", gap(&ty)));
    }
    text.push_str(indent);
    text.push('}');
    text
}

fn member_line(text: &mut String, member: &Member, indent: &str) {
    let ty = print(&member.ty, indent, Place::Top);
    text.push_str(&format!("{indent}{}:{}{ty};\n", member_name(member), gap(&ty)));
}

/// A union of several lines begins on a line of its own.
fn gap(ty: &str) -> &'static str {
    if ty.starts_with('\n') { "" } else { " " }
}
