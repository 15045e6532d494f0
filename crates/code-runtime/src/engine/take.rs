//! A value of the program becomes a value for the host: an explicit walk over own data properties (decisions DC1).
//!
//! Nothing of the program runs during the walk: no getter, no proxy, no `toJSON`, no iterator. What JSON cannot say is
//! refused with its place and never rounded, renamed or turned into null. A member whose value is `undefined` is left
//! out: whoever reads the member then, reads `undefined`.

use std::borrow::Cow;

use contract_schema::json::MAX_DEPTH;
use rquickjs::{Ctx, Error, Value};

use super::raw::{self, Name, Names, Nature, Slot, Spelled, Whole};
use crate::wire::{Keys, Writer};

/// What plain objects and arrays are, noted before a program could change how they look.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plain {
    object_class: u32,
    object_prototype: usize,
    array_prototype: usize,
}

impl Plain {
    pub(super) fn note(ctx: &Ctx<'_>) -> Result<Self, Error> {
        let object = rquickjs::Object::new(ctx.clone())?.into_value();
        let array = rquickjs::Array::new(ctx.clone())?.into_value();
        let home = |value| raw::prototype(value).map_or(0, |prototype| raw::address(&prototype));
        Ok(Self {
            object_class: raw::class_id(&object),
            object_prototype: home(&object),
            array_prototype: home(&array),
        })
    }

    /// Whether it is an object that a literal could have made.
    pub(super) fn is_plain(self, value: &Value<'_>) -> bool {
        let home = raw::prototype(value);
        raw::class_id(value) == self.object_class
            && home.is_none_or(|home| raw::address(&home) == self.object_prototype)
    }

    fn is_array(self, value: &Value<'_>) -> bool {
        let home = raw::prototype(value);
        home.is_some_and(|home| raw::address(&home) == self.array_prototype)
    }
}

/// Why a value does not leave the program.
#[derive(Debug)]
pub(super) enum NotTaken {
    /// What is there, where, and what to do.
    Refused { what: String, path: String, hint: &'static str },
    /// More bytes than allowed.
    TooLarge,
    /// The engine threw: its memory is used up.
    Threw,
}

impl From<Error> for NotTaken {
    fn from(_: Error) -> Self {
        Self::Threw
    }
}

impl NotTaken {
    fn refused(what: impl Into<String>, hint: &'static str) -> Self {
        Self::Refused { what: what.into(), path: String::new(), hint }
    }
}

/// A container whose content is being written.
struct Level<'js> {
    value: Value<'js>,
    inside: Inside<'js>,
}

enum Inside<'js> {
    Array { next: u32, length: u32 },
    Object { next: usize, names: Names<'js> },
}

/// Writes `value` behind what `out` holds, in at most `max_bytes`.
pub(super) fn take(
    plain: Plain,
    value: &Value<'_>,
    out: &mut Vec<u8>,
    max_bytes: usize,
) -> Result<(), NotTaken> {
    let start = out.len();
    let mut walk = Walk {
        plain,
        writer: Writer { out },
        keys: Keys::new(),
        levels: Vec::new(),
        max_bytes,
        start,
    };
    walk.run(value).map_err(|not_taken| walk.placed(not_taken))
}

struct Walk<'o, 'js> {
    plain: Plain,
    writer: Writer<'o>,
    keys: Keys<Name>,
    levels: Vec<Level<'js>>,
    max_bytes: usize,
    start: usize,
}

impl<'js> Walk<'_, 'js> {
    fn run(&mut self, root: &Value<'js>) -> Result<(), NotTaken> {
        self.value(root.clone())?;
        while let Some(level) = self.levels.last_mut() {
            let slot = match &mut level.inside {
                Inside::Array { next, length } if next == length => {
                    let length = *length;
                    if let Some(whole) = self.levels.pop() {
                        no_more_than_elements(&whole.value, length)?;
                    }
                    continue;
                }
                Inside::Object { next, names } if *next == names.len() => {
                    self.levels.pop();
                    self.writer.close_object();
                    continue;
                }
                Inside::Array { next, .. } => {
                    *next += 1;
                    raw::own_at(&level.value, *next - 1)?
                }
                Inside::Object { next, names } => {
                    let Some(name) = names.get(*next) else { continue };
                    *next += 1;
                    raw::own(&level.value, name)?
                }
            };
            self.slot(slot)?;
        }
        self.within_bytes()
    }

    fn slot(&mut self, slot: Slot<'js>) -> Result<(), NotTaken> {
        let in_object =
            matches!(self.levels.last(), Some(Level { inside: Inside::Object { .. }, .. }));
        match slot {
            Slot::Accessor => Err(NotTaken::refused(
                "a getter or setter",
                "nothing runs while a value is read: copy what it gives into a plain object",
            )),
            Slot::Missing if in_object => Ok(()),
            Slot::Missing => Err(NotTaken::refused("a hole in an array", "fill it, or use null")),
            Slot::Data { enumerable: false, .. } => Err(NotTaken::refused(
                "a property that is not enumerable",
                "copy what is meant into a plain object",
            )),
            Slot::Data { value, .. } if in_object => {
                if value.is_undefined() {
                    return self.nameable();
                }
                self.key(&value)?;
                self.value(value)
            }
            Slot::Data { value, .. } => self.value(value),
        }
    }

    /// The name whose slot is being looked at.
    fn name(&self) -> Option<Name> {
        match &self.levels.last()?.inside {
            Inside::Array { .. } => None,
            Inside::Object { next, names } => names.get(next.checked_sub(1)?),
        }
    }

    fn nameable(&self) -> Result<(), NotTaken> {
        let Some((name, level)) = self.name().zip(self.levels.last()) else { return Ok(()) };
        spelled(level.value.ctx(), name).map(drop)
    }

    fn key(&mut self, value: &Value<'js>) -> Result<(), NotTaken> {
        let Some(name) = self.name() else { return Ok(()) };
        let ctx = value.ctx();
        self.keys.write(&mut self.writer, name, || spelled(ctx, name).map(Cow::Owned))
    }

    fn value(&mut self, value: Value<'js>) -> Result<(), NotTaken> {
        self.within_bytes()?;
        match raw::nature(&value) {
            Nature::Null => self.writer.tag(crate::wire::tag::NULL),
            Nature::Bool(true) => self.writer.tag(crate::wire::tag::TRUE),
            Nature::Bool(false) => self.writer.tag(crate::wire::tag::FALSE),
            Nature::Int(number) if number < 0 => self.writer.negative(number.into()),
            Nature::Int(number) => self.writer.unsigned(u64::from(number.cast_unsigned())),
            Nature::Float(number) => self.float(number)?,
            Nature::BigInt => self.whole(&value)?,
            Nature::String => {
                let written = raw::with_text(&value, |text| self.writer.string(text))?;
                written.ok_or_else(lone_surrogate)?;
            }
            Nature::Array if self.plain.is_array(&value) => {
                let length = raw::array_length(&value);
                self.enter(&value)?;
                self.writer.open_array(length as usize);
                let inside = Inside::Array { next: 0, length };
                self.levels.push(Level { value, inside });
            }
            Nature::Object if self.plain.is_plain(&value) => {
                self.enter(&value)?;
                self.writer.open_object();
                let inside = Inside::Object { next: 0, names: Names::of(&value)? };
                self.levels.push(Level { value, inside });
            }
            nature @ (Nature::Undefined
            | Nature::Symbol
            | Nature::Array
            | Nature::Function
            | Nature::Proxy
            | Nature::Error
            | Nature::Date
            | Nature::Map
            | Nature::Set
            | Nature::RegExp
            | Nature::Promise
            | Nature::Bytes
            | Nature::Object
            | Nature::Internal) => return Err(foreign(nature)),
        }
        Ok(())
    }

    fn float(&mut self, number: f64) -> Result<(), NotTaken> {
        if number.is_nan() || number.is_infinite() {
            let what = if number.is_nan() { "NaN" } else { "an infinity" };
            return Err(NotTaken::refused(what, "use null or a string"));
        }
        if number == 0.0 && number.is_sign_negative() {
            return Err(NotTaken::refused("negative zero", "add 0 to it"));
        }
        if number.fract() != 0.0 || number.abs() > EXACT {
            self.writer.float(number);
        } else if number < 0.0 {
            self.writer.negative(number as i64);
        } else {
            self.writer.unsigned(number as u64);
        }
        Ok(())
    }

    fn whole(&mut self, value: &Value<'js>) -> Result<(), NotTaken> {
        match raw::whole(value) {
            Some(Whole::Unsigned(number)) => self.writer.unsigned(number),
            Some(Whole::Negative(number)) => self.writer.negative(number),
            None => return Err(NotTaken::refused("a bigint beyond 64 bits", "use a string")),
        }
        Ok(())
    }

    /// Holds that a container may be entered: not too deep, and not within itself.
    fn enter(&self, value: &Value<'js>) -> Result<(), NotTaken> {
        let address = raw::address(value);
        if self.levels.iter().any(|level| raw::address(&level.value) == address) {
            return Err(NotTaken::refused("a cycle", "leave the reference back out"));
        }
        if self.levels.len() == MAX_DEPTH {
            let what = format!("nesting deeper than {MAX_DEPTH} containers");
            return Err(NotTaken::refused(what, "use a flatter form"));
        }
        Ok(())
    }

    fn within_bytes(&self) -> Result<(), NotTaken> {
        let written = self.writer.out.len() - self.start;
        if written > self.max_bytes { Err(NotTaken::TooLarge) } else { Ok(()) }
    }

    /// With the place: the containers that are open, as a JSON pointer.
    fn placed(&self, not_taken: NotTaken) -> NotTaken {
        let NotTaken::Refused { what, hint, .. } = not_taken else { return not_taken };
        let mut path = String::new();
        for level in &self.levels {
            path.push('/');
            match &level.inside {
                Inside::Array { next, .. } => path.push_str(&next.saturating_sub(1).to_string()),
                Inside::Object { next, names } => {
                    let name = next.checked_sub(1).and_then(|at| names.get(at));
                    let text = name.and_then(|name| spelled(level.value.ctx(), name).ok());
                    path.push_str(&text.unwrap_or_default().replace('~', "~0").replace('/', "~1"));
                }
            }
        }
        NotTaken::Refused { what, path, hint }
    }
}

/// 2^53 - 1: up to here a float is an exact integer.
const EXACT: f64 = 9_007_199_254_740_991.0;

fn spelled(ctx: &Ctx<'_>, name: Name) -> Result<String, NotTaken> {
    match raw::spell(ctx, name)? {
        Spelled::Text(text) => Ok(text),
        Spelled::LoneSurrogate => Err(lone_surrogate()),
        Spelled::Symbol => {
            Err(NotTaken::refused("a member named by a symbol", "name it by a string"))
        }
    }
}

fn lone_surrogate() -> NotTaken {
    NotTaken::refused("half a surrogate pair in a string", "call toWellFormed() on it")
}

/// An array has its elements and its length, and nothing else.
fn no_more_than_elements(array: &Value<'_>, length: u32) -> Result<(), NotTaken> {
    if Names::of(array)?.len() == length as usize + 1 {
        return Ok(());
    }
    Err(NotTaken::refused("an array with further properties", "put them into an object beside it"))
}

/// What is no JSON, in words.
fn foreign(nature: Nature) -> NotTaken {
    let (what, hint) = match nature {
        Nature::Undefined => ("undefined", "use null"),
        Nature::Symbol => ("a symbol", "use a string"),
        Nature::Function => ("a function", "leave it out"),
        Nature::Proxy => ("a proxy", "copy it: {...value} or [...value]"),
        Nature::Error => ("an Error", "use its message"),
        Nature::Date => ("a Date", "call toISOString() on it"),
        Nature::Map => ("a Map", "use Object.fromEntries(map) or [...map]"),
        Nature::Set => ("a Set", "use [...set]"),
        Nature::RegExp => ("a regular expression", "use its source"),
        Nature::Promise => ("a promise", "await it"),
        Nature::Bytes => ("binary data", "use an array of numbers or a string"),
        Nature::Array => ("an array of a class", "use [...value]"),
        Nature::Object
        | Nature::Internal
        | Nature::Null
        | Nature::Bool(_)
        | Nature::Int(_)
        | Nature::Float(_)
        | Nature::BigInt
        | Nature::String => ("an instance of a class", "copy it into a plain object: {...value}"),
    };
    NotTaken::refused(what, hint)
}
