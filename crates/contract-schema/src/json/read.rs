//! The reader: JSON text onto the tape, under the rule of the snapshot (contract V1).
//!
//! It is our own because no stock reader tells an integer token from a float one once the integer is
//! too large, nor `-0` from `-0.0`, and those are exactly what must not be guessed. It is a loop, so
//! depth costs a counter (contract V5).

use std::collections::HashSet;
use std::fmt;

use super::MAX_DEPTH;
use super::builder::{Builder, Refusal};
use super::snapshot::with_builder;
use super::tape::Tape;

/// Why text is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadFault {
    /// The bytes are not UTF-8.
    #[error("bytes that are not UTF-8")]
    NotUtf8,
    /// The text ends inside a value, or is empty.
    #[error("the text ends where {0} was expected")]
    UnexpectedEnd(&'static str),
    /// Something else stands where a value or a separator belongs.
    #[error("expected {0}")]
    Expected(&'static str),
    /// Text after the document.
    #[error("text after the end of the document")]
    Trailing,
    /// A control character inside a string.
    #[error("a control character in a string; write it as an escape")]
    ControlCharacter,
    /// A backslash before something that is no escape.
    #[error("an unknown escape in a string")]
    InvalidEscape,
    /// A `\u` escape that is half of a surrogate pair.
    #[error("a lone surrogate in a string, which is no character")]
    LoneSurrogate,
    /// Digits that are no JSON number.
    #[error("an invalid number")]
    InvalidNumber,
    /// An integer that neither `i64` nor `u64` holds.
    #[error("an integer outside the range of i64 and u64")]
    IntegerOutOfRange,
    /// A number too large for a float.
    #[error("a number too large for a float")]
    NumberOutOfRange,
    /// A float token equal to negative zero.
    #[error("negative zero as a float; write 0")]
    NegativeZero,
    /// A key that occurs twice in one object.
    #[error("an object with a key that occurs twice")]
    DuplicateKey,
    /// More than [`MAX_DEPTH`] containers inside one another.
    #[error("nesting deeper than {MAX_DEPTH} containers")]
    TooDeep,
    /// More than a document holds.
    #[error("more than a document holds")]
    TooLarge,
}

/// Text that is no lossless JSON document, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    fault: ReadFault,
    offset: usize,
    line: usize,
    column: usize,
    path: String,
}

impl ReadError {
    fn at(text: &[u8], offset: usize, fault: ReadFault, path: String) -> Self {
        let before = &text[..offset.min(text.len())];
        let line_start = before.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let line = before.iter().filter(|b| **b == b'\n').count() + 1;
        // Continuation bytes are no characters of their own.
        let column = before[line_start..].iter().filter(|b| **b & 0xc0 != 0x80).count() + 1;
        Self { fault, offset, line, column, path }
    }

    pub(crate) fn not_utf8(bytes: &[u8], offset: usize) -> Self {
        Self::at(bytes, offset, ReadFault::NotUtf8, String::new())
    }

    /// What is wrong.
    #[must_use]
    pub fn fault(&self) -> ReadFault {
        self.fault
    }

    /// Byte offset of the fault.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Line of the fault, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }

    /// Column of the fault in characters, from 1.
    #[must_use]
    pub fn column(&self) -> usize {
        self.column
    }

    /// JSON pointer to the value in which the fault was met; empty at the top level.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at line {}, column {}", self.fault, self.line, self.column)?;
        // The path of a hostile depth is as long as it is useless.
        if !self.path.is_empty() && self.fault != ReadFault::TooDeep {
            write!(f, " (in {})", self.path)?;
        }
        Ok(())
    }
}

impl std::error::Error for ReadError {}

impl From<Refusal> for ReadFault {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::TooDeep => Self::TooDeep,
            Refusal::DuplicateKey => Self::DuplicateKey,
            Refusal::NotFinite => Self::NumberOutOfRange,
            Refusal::NegativeZero => Self::NegativeZero,
            Refusal::TooManyKeys | Refusal::TooMuchText | Refusal::TooManyValues => Self::TooLarge,
        }
    }
}

pub(crate) fn read(text: &str) -> Result<Tape, ReadError> {
    match read_with(text, None) {
        // The builder meets a key that occurs twice when its object closes; a second look finds the key.
        Err(error) if error.fault == ReadFault::DuplicateKey => read_with(text, Some(Vec::new())),
        result => result,
    }
}

fn read_with(text: &str, seen: Option<Vec<HashSet<u32>>>) -> Result<Tape, ReadError> {
    with_builder(|builder| {
        let mut reader = Reader { text, at: 0, unescaped: String::new(), seen };
        reader
            .document(builder)
            .map_err(|fault| ReadError::at(text.as_bytes(), reader.at, fault, builder.path()))
    })
}

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expect {
    Value,
    /// After `[`: a value or `]`.
    FirstElement,
    /// After `{`: a key or `}`.
    FirstKey,
    Key,
    /// After a value inside a container.
    SeparatorOrEnd,
}

struct Reader<'t> {
    text: &'t str,
    /// Offset of the next byte; on an error, of the fault.
    at: usize,
    unescaped: String,
    /// The keys of every open container, when a key that occurs twice is looked for.
    seen: Option<Vec<HashSet<u32>>>,
}

impl<'t> Reader<'t> {
    fn document(&mut self, builder: &mut Builder) -> Result<(), ReadFault> {
        let mut expect = Expect::Value;
        loop {
            self.skip_space();
            expect = match expect {
                Expect::Value => self.value(builder)?,
                Expect::FirstElement if self.eat(b']') => self.close(builder)?,
                Expect::FirstElement => self.value(builder)?,
                Expect::FirstKey if self.eat(b'}') => self.close(builder)?,
                Expect::FirstKey | Expect::Key => self.key(builder)?,
                Expect::SeparatorOrEnd => match builder.in_object() {
                    None => break,
                    Some(is_object) => self.separator(builder, is_object)?,
                },
            };
        }
        if self.at < self.text.len() { Err(ReadFault::Trailing) } else { Ok(()) }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// The fault for something that is not `what`: the end of the text, or another byte.
    fn missing(&self, what: &'static str) -> ReadFault {
        match self.peek() {
            None => ReadFault::UnexpectedEnd(what),
            Some(_) => ReadFault::Expected(what),
        }
    }

    fn value(&mut self, builder: &mut Builder) -> Result<Expect, ReadFault> {
        match self.peek() {
            Some(b'{') => return self.open(builder, true),
            Some(b'[') => return self.open(builder, false),
            Some(b'"') => {
                let start = self.at;
                let pushed = builder.string(self.string()?);
                self.placed(pushed, start)?;
            }
            Some(b'-' | b'0'..=b'9') => self.number(builder)?,
            Some(b't') => builder.bool(self.word("true", true)?),
            Some(b'f') => builder.bool(self.word("false", false)?),
            Some(b'n') => {
                self.word("null", ())?;
                builder.null();
            }
            _ => return Err(self.missing("a value")),
        }
        Ok(Expect::SeparatorOrEnd)
    }

    fn word<T>(&mut self, word: &'static str, value: T) -> Result<T, ReadFault> {
        let rest = &self.text.as_bytes()[self.at..];
        if !rest.starts_with(word.as_bytes()) {
            return Err(self.missing("a value (true, false or null is misspelt)"));
        }
        self.at += word.len();
        Ok(value)
    }

    /// A refusal of what began at `start` is reported there.
    fn placed(&mut self, result: Result<(), Refusal>, start: usize) -> Result<(), ReadFault> {
        result.map_err(|refusal| {
            self.at = start;
            refusal.into()
        })
    }

    fn open(&mut self, builder: &mut Builder, is_object: bool) -> Result<Expect, ReadFault> {
        builder.begin(is_object, 0)?;
        self.seen.iter_mut().for_each(|seen| seen.push(HashSet::new()));
        self.at += 1;
        Ok(if is_object { Expect::FirstKey } else { Expect::FirstElement })
    }

    fn close(&mut self, builder: &mut Builder) -> Result<Expect, ReadFault> {
        let ended = builder.end();
        self.placed(ended, self.at - 1)?;
        self.seen.iter_mut().for_each(|seen| drop(seen.pop()));
        Ok(Expect::SeparatorOrEnd)
    }

    fn separator(&mut self, builder: &mut Builder, is_object: bool) -> Result<Expect, ReadFault> {
        if self.eat(b',') {
            return Ok(if is_object { Expect::Key } else { Expect::Value });
        }
        if self.eat(if is_object { b'}' } else { b']' }) {
            return self.close(builder);
        }
        Err(self.missing(if is_object { "`,` or `}`" } else { "`,` or `]`" }))
    }

    fn key(&mut self, builder: &mut Builder) -> Result<Expect, ReadFault> {
        if self.peek() != Some(b'"') {
            return Err(self.missing("a key in double quotes"));
        }
        let start = self.at;
        let pushed = builder.key(self.string()?);
        self.placed(pushed, start)?;
        let innermost = self.seen.as_mut().and_then(|seen| seen.last_mut());
        if let (Some(keys), Some(key)) = (innermost, builder.pending_key())
            && !keys.insert(key)
        {
            self.at = start;
            return Err(ReadFault::DuplicateKey);
        }
        self.skip_space();
        if !self.eat(b':') {
            return Err(self.missing("`:` after a key"));
        }
        Ok(Expect::Value)
    }

    /// The string that begins here: a slice of the text, or unescaped into the scratch buffer.
    fn string(&mut self) -> Result<&str, ReadFault> {
        self.at += 1;
        let start = self.at;
        self.plain()?;
        if self.eat(b'"') {
            return Ok(slice(self.text, start, self.at - 1));
        }
        self.unescaped.clear();
        self.unescaped.push_str(slice(self.text, start, self.at));
        while !self.eat(b'"') {
            self.escape()?;
            let start = self.at;
            self.plain()?;
            self.unescaped.push_str(slice(self.text, start, self.at));
        }
        Ok(&self.unescaped)
    }

    /// Skips to the next quote or backslash.
    fn plain(&mut self) -> Result<(), ReadFault> {
        let rest = &self.text.as_bytes()[self.at..];
        let stop = rest.iter().position(|b| matches!(b, b'"' | b'\\' | 0..0x20));
        self.at += stop.unwrap_or(rest.len());
        match self.peek() {
            None => Err(ReadFault::UnexpectedEnd("the closing quote of a string")),
            Some(0..0x20) => Err(ReadFault::ControlCharacter),
            Some(_) => Ok(()),
        }
    }

    fn escape(&mut self) -> Result<(), ReadFault> {
        let start = self.at;
        self.at += 1;
        let Some(escaped) = self.peek() else {
            return Err(ReadFault::UnexpectedEnd("an escape"));
        };
        let character = match escaped {
            b'"' | b'\\' | b'/' => escaped as char,
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let character = self.unicode_escape();
                self.at = if character.is_err() { start } else { self.at };
                self.unescaped.push(character?);
                return Ok(());
            }
            _ => {
                self.at = start;
                return Err(ReadFault::InvalidEscape);
            }
        };
        self.at += 1;
        self.unescaped.push(character);
        Ok(())
    }

    fn unicode_escape(&mut self) -> Result<char, ReadFault> {
        let first = self.four_digits()?;
        if let Some(character) = char::from_u32(first) {
            return Ok(character);
        }
        let is_pair =
            (0xd800..0xdc00).contains(&first) && self.eat(b'\\') && self.peek() == Some(b'u');
        if !is_pair {
            return Err(ReadFault::LoneSurrogate);
        }
        let second = self.four_digits()?;
        if !(0xdc00..0xe000).contains(&second) {
            return Err(ReadFault::LoneSurrogate);
        }
        char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
            .ok_or(ReadFault::LoneSurrogate)
    }

    /// The code unit after a `u`.
    fn four_digits(&mut self) -> Result<u32, ReadFault> {
        let digits = self.text.as_bytes().get(self.at + 1..self.at + 5);
        let unit = digits
            .and_then(|digits| {
                digits
                    .iter()
                    .try_fold(0, |unit, digit| Some(unit << 4 | (*digit as char).to_digit(16)?))
            })
            .ok_or(ReadFault::InvalidEscape)?;
        self.at += 5;
        Ok(unit)
    }

    fn number(&mut self, builder: &mut Builder) -> Result<(), ReadFault> {
        let start = self.at;
        let is_negative = self.eat(b'-');
        let whole = self.digits();
        if whole == 0 {
            return Err(self.missing("a digit"));
        }
        let leads_with_zero = self.text.as_bytes()[self.at - whole] == b'0';
        if whole > 1 && leads_with_zero {
            self.at -= whole;
            return Err(ReadFault::InvalidNumber);
        }
        let is_integer = !self.fraction_and_exponent()?;
        let token = slice(self.text, start, self.at);
        let pushed = if is_integer {
            push_integer(builder, token, is_negative)
        } else {
            let value = token.parse().map_err(|_| ReadFault::InvalidNumber)?;
            builder.float(value).map_err(ReadFault::from)
        };
        pushed.inspect_err(|_| self.at = start)
    }

    /// Whether a fraction or an exponent followed.
    fn fraction_and_exponent(&mut self) -> Result<bool, ReadFault> {
        let mut is_float = false;
        if self.eat(b'.') {
            is_float = true;
            if self.digits() == 0 {
                return Err(self.missing("a digit after the decimal point"));
            }
        }
        if self.eat(b'e') || self.eat(b'E') {
            is_float = true;
            let _signed = self.eat(b'+') || self.eat(b'-');
            if self.digits() == 0 {
                return Err(self.missing("a digit in the exponent"));
            }
        }
        Ok(is_float)
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }
}

fn push_integer(builder: &mut Builder, token: &str, is_negative: bool) -> Result<(), ReadFault> {
    if is_negative {
        // `-0` parses as 0, the integer it is.
        builder.signed(token.parse().map_err(|_| ReadFault::IntegerOutOfRange)?);
    } else {
        builder.unsigned(token.parse().map_err(|_| ReadFault::IntegerOutOfRange)?);
    }
    Ok(())
}

/// Offsets lie on ASCII bytes, so the slice always exists.
fn slice(text: &str, start: usize, end: usize) -> &str {
    text.get(start..end).unwrap_or_default()
}
