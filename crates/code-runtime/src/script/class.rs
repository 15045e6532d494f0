//! Types in classes.

use oxc_ast::ast::{
    Class, ClassElement, FunctionType, MethodDefinition, MethodDefinitionType, PropertyDefinition,
    PropertyDefinitionType,
};
use oxc_span::{GetSpan as _, Span};

use super::blank::Blanker;

/// Words before a member's name that say something of its type only.
const MODIFIERS: [&str; 7] =
    ["public", "private", "protected", "readonly", "override", "abstract", "declare"];

/// `abstract` before the class and `implements` behind its head.
pub(super) fn head(blanker: &mut Blanker<'_>, it: &Class<'_>) {
    if it.r#abstract {
        let word = blanker.layout.words(it.span.start, it.body.span.start);
        if let Some(&(at, _)) = word.iter().find(|(_, word)| *word == "abstract") {
            blanker.layout.blank(at, at + 8);
        }
    }
    if let (Some(first), Some(last)) = (it.implements.first(), it.implements.last()) {
        let before = it.heritage.as_ref().map(|heritage| heritage.expression.span().end);
        let before = before.or_else(|| it.type_parameters.as_ref().map(|list| list.span.end));
        let before = before.or_else(|| it.id.as_ref().map(|id| id.span.end));
        let words = blanker.layout.words(before.unwrap_or(it.span.start), first.span.start);
        let word = words.iter().rev().find(|(_, word)| *word == "implements");
        let from = word.map_or(first.span.start, |&(at, _)| at);
        blanker.layout.blank(from, last.span.end);
    }
}

/// Blanks what is type of a member. Whether anything is left to walk.
pub(super) fn element(blanker: &mut Blanker<'_>, it: &ClassElement<'_>) -> bool {
    match it {
        ClassElement::StaticBlock(_) => true,
        ClassElement::MethodDefinition(method) => self::method(blanker, method),
        ClassElement::PropertyDefinition(property) => self::property(blanker, property),
        ClassElement::AccessorProperty(it) => {
            blanker.refuse(it.span, "accessor fields are not available: write get and set");
            false
        }
        ClassElement::TSIndexSignature(it) => {
            blanker.layout.blank_whole(it.span);
            false
        }
    }
}

fn method(blanker: &mut Blanker<'_>, it: &MethodDefinition<'_>) -> bool {
    let has_no_body = it.value.r#type == FunctionType::TSEmptyBodyFunctionExpression;
    if has_no_body || it.r#type == MethodDefinitionType::TSAbstractMethodDefinition {
        blanker.layout.blank_whole(it.span);
        return false;
    }
    modifiers(blanker, it.span, it.key.span());
    if it.optional {
        blanker.mark(it.key.span().end, it.value.params.span.start, b'?');
    }
    true
}

fn property(blanker: &mut Blanker<'_>, it: &PropertyDefinition<'_>) -> bool {
    if it.declare || it.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition {
        blanker.layout.blank_whole(it.span);
        return false;
    }
    modifiers(blanker, it.span, it.key.span());
    let value = it.value.as_ref().map(|value| value.span().start);
    let name_end = value.unwrap_or(it.span.end);
    if it.optional {
        blanker.mark(it.key.span().end, name_end, b'?');
    }
    if it.definite {
        blanker.mark(it.key.span().end, name_end, b'!');
    }
    blanker.layout.ends_at(it.span.end);
    true
}

fn modifiers(blanker: &mut Blanker<'_>, member: Span, key: Span) {
    for (at, word) in blanker.layout.words(member.start, key.start) {
        if MODIFIERS.contains(&word) {
            let end = at + u32::try_from(word.len()).unwrap_or(0);
            blanker.layout.blank(at, end);
            if at == member.start {
                // What stood before is kept apart from what follows.
                blanker.layout.put(at, b';');
            }
        }
    }
}
