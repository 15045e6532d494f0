//! Views: reading a document without copying it.

use std::iter::FusedIterator;

use super::tape::{Tape, Token, TokenKind};

/// Kind of a JSON value, as messages name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JsonKind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number written as an integer.
    Integer,
    /// A number written with a fraction or an exponent.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl JsonKind {
    /// The name in messages: JSON Schema's words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }
}

impl std::fmt::Display for JsonKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A number in the form the document has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// Zero or above.
    Unsigned(u64),
    /// Below zero.
    Negative(i64),
    /// Finite and not negative zero.
    Float(f64),
}

/// A view of one value of a document: a pointer and an index, free to copy.
#[derive(Clone, Copy)]
pub struct JsonRef<'a> {
    tape: &'a Tape,
    at: usize,
}

impl<'a> JsonRef<'a> {
    pub(crate) fn new(tape: &'a Tape, at: usize) -> Self {
        Self { tape, at }
    }

    /// Position on the tape: unique among the values of one document.
    pub(crate) fn index(self) -> usize {
        self.at
    }

    #[inline]
    fn token(self) -> Token {
        self.tape.tokens[self.at]
    }

    /// What kind of value this is.
    #[must_use]
    pub fn kind(self) -> JsonKind {
        match self.token().kind() {
            TokenKind::Null => JsonKind::Null,
            TokenKind::False | TokenKind::True => JsonKind::Bool,
            TokenKind::Unsigned | TokenKind::Negative => JsonKind::Integer,
            TokenKind::Float => JsonKind::Number,
            TokenKind::String => JsonKind::String,
            TokenKind::Array => JsonKind::Array,
            TokenKind::Object => JsonKind::Object,
        }
    }

    /// Whether this is `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.token().kind() == TokenKind::Null
    }

    /// The boolean, if it is one.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        let kind = self.token().kind();
        matches!(kind, TokenKind::True | TokenKind::False).then_some(kind == TokenKind::True)
    }

    /// The number, if it is one.
    #[must_use]
    #[inline]
    pub fn as_number(self) -> Option<Number> {
        let token = self.token();
        match token.kind() {
            TokenKind::Unsigned => Some(Number::Unsigned(token.data)),
            TokenKind::Negative => Some(Number::Negative(token.data.cast_signed())),
            TokenKind::Float => Some(Number::Float(f64::from_bits(token.data))),
            TokenKind::Null
            | TokenKind::False
            | TokenKind::True
            | TokenKind::String
            | TokenKind::Array
            | TokenKind::Object => None,
        }
    }

    /// The integer, if it is written as one and fits.
    #[must_use]
    pub fn as_u64(self) -> Option<u64> {
        match self.as_number()? {
            Number::Unsigned(value) => Some(value),
            Number::Negative(_) | Number::Float(_) => None,
        }
    }

    /// The integer, if it is written as one and fits.
    #[must_use]
    pub fn as_i64(self) -> Option<i64> {
        match self.as_number()? {
            Number::Unsigned(value) => i64::try_from(value).ok(),
            Number::Negative(value) => Some(value),
            Number::Float(_) => None,
        }
    }

    /// The number as a float; an integer beyond 2^53 is rounded to the nearest.
    #[must_use]
    pub fn as_f64(self) -> Option<f64> {
        match self.as_number()? {
            Number::Unsigned(value) => Some(value as f64),
            Number::Negative(value) => Some(value as f64),
            Number::Float(value) => Some(value),
        }
    }

    /// The string, if it is one.
    #[must_use]
    #[inline]
    pub fn as_str(self) -> Option<&'a str> {
        let token = self.token();
        (token.kind() == TokenKind::String).then(|| self.tape.string_of(token))
    }

    /// Elements of an array or members of an object; 0 for anything else.
    #[must_use]
    pub fn len(self) -> usize {
        if self.token().is_container() { self.token().len as usize } else { 0 }
    }

    /// Whether [`JsonRef::len`] is 0.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The member of that name, if this is an object that has it.
    #[must_use]
    pub fn get(self, key: &str) -> Option<JsonRef<'a>> {
        self.members().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// The element at `index`, if this is an array that long.
    #[must_use]
    pub fn at(self, index: usize) -> Option<JsonRef<'a>> {
        self.elements().nth(index)
    }

    /// The elements of an array, in order; none for anything else.
    #[must_use]
    pub fn elements(self) -> Elements<'a> {
        Elements(self.children(TokenKind::Array))
    }

    /// The members of an object, in order; none for anything else.
    #[must_use]
    pub fn members(self) -> Members<'a> {
        Members(self.children(TokenKind::Object))
    }

    fn children(self, of: TokenKind) -> Children<'a> {
        let token = self.token();
        let left = if token.kind() == of { token.len as usize } else { 0 };
        Children { tape: self.tape, next: self.at + 1, left }
    }

    /// The value a JSON pointer (RFC 6901) names.
    #[must_use]
    pub fn pointer(self, pointer: &str) -> Option<JsonRef<'a>> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer.strip_prefix('/')?.split('/').try_fold(self, |value, segment| match value.kind() {
            JsonKind::Object => value.get(&segment.replace("~1", "/").replace("~0", "~")),
            JsonKind::Array => value.at(segment.parse().ok()?),
            JsonKind::Null
            | JsonKind::Bool
            | JsonKind::Integer
            | JsonKind::Number
            | JsonKind::String => None,
        })
    }
}

#[derive(Clone)]
struct Children<'a> {
    tape: &'a Tape,
    next: usize,
    left: usize,
}

impl<'a> Children<'a> {
    #[inline]
    fn next(&mut self) -> Option<JsonRef<'a>> {
        self.left = self.left.checked_sub(1)?;
        let value = JsonRef::new(self.tape, self.next);
        self.next = self.tape.after(self.next);
        Some(value)
    }
}

/// Iterator over the elements of an array.
#[derive(Clone)]
pub struct Elements<'a>(Children<'a>);

/// Iterator over the members of an object.
#[derive(Clone)]
pub struct Members<'a>(Children<'a>);

impl<'a> Iterator for Elements<'a> {
    type Item = JsonRef<'a>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.left, Some(self.0.left))
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = (&'a str, JsonRef<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let value = self.0.next()?;
        Some((value.tape.key(value.token().key()), value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.left, Some(self.0.left))
    }
}

impl ExactSizeIterator for Elements<'_> {}
impl ExactSizeIterator for Members<'_> {}
impl FusedIterator for Elements<'_> {}
impl FusedIterator for Members<'_> {}

impl std::fmt::Debug for Elements<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl std::fmt::Debug for Members<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.clone()).finish()
    }
}
