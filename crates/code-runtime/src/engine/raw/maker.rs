//! Building values.

use rquickjs::{Ctx, Error, Value, qjs};

use super::pointer;

/// Builds a value from the outside in, without looking anything up: prototypes are the engine's own, properties are
/// defined and never set.
pub(in crate::engine) struct Maker<'js> {
    ctx: Ctx<'js>,
    keys: Vec<qjs::JSAtom>,
    open: Vec<Open>,
    /// Elements of the arrays that are open, one behind the other.
    elements: Vec<qjs::JSValue>,
}

enum Open {
    Array { from: usize, count: usize },
    Object { object: qjs::JSValue, key: qjs::JSAtom },
}

/// What a maker needs next.
pub(in crate::engine) enum Need<'js> {
    Element,
    Key,
    Nothing(Value<'js>),
}

impl<'js> Maker<'js> {
    pub(in crate::engine) fn new(ctx: &Ctx<'js>) -> Self {
        Self { ctx: ctx.clone(), keys: Vec::new(), open: Vec::new(), elements: Vec::new() }
    }

    pub(in crate::engine) fn depth(&self) -> usize {
        self.open.len()
    }

    /// How many keys were spelled.
    pub(in crate::engine) fn keys(&self) -> usize {
        self.keys.len()
    }

    pub(in crate::engine) fn spell_key(&mut self, text: &str) -> Result<(), Error> {
        // SAFETY: the text is given with its length; the name is freed on drop.
        let key = unsafe {
            qjs::JS_NewAtomLen(pointer(&self.ctx), text.as_ptr().cast(), text.len() as _)
        };
        if key == 0 {
            return Err(Error::Exception);
        }
        self.keys.push(key);
        Ok(())
    }

    /// Says which key the next value of the open object has. Whether there is such a key.
    pub(in crate::engine) fn key(&mut self, number: usize) -> bool {
        match (self.keys.get(number), self.open.last_mut()) {
            (Some(&spelled), Some(Open::Object { key, .. })) => {
                *key = spelled;
                true
            }
            _ => false,
        }
    }

    pub(in crate::engine) fn null(&mut self) -> Result<Need<'js>, Error> {
        self.put(qjs::JS_NULL)
    }

    pub(in crate::engine) fn bool(&mut self, value: bool) -> Result<Need<'js>, Error> {
        self.put(if value { qjs::JS_TRUE } else { qjs::JS_FALSE })
    }

    pub(in crate::engine) fn float(&mut self, value: f64) -> Result<Need<'js>, Error> {
        self.put(qjs::__JS_NewFloat64(value))
    }

    /// An integer: a number where that is exact, else a `bigint` (contract V4).
    pub(in crate::engine) fn unsigned(&mut self, value: u64) -> Result<Need<'js>, Error> {
        if let Ok(small) = i32::try_from(value) {
            return self.put(qjs::JS_MKVAL(qjs::JS_TAG_INT, small));
        }
        if value <= EXACT {
            return self.float(value as f64);
        }
        // SAFETY: the value is owned by `put`.
        let made = unsafe { qjs::JS_NewBigUint64(pointer(&self.ctx), value) };
        self.put(made)
    }

    pub(in crate::engine) fn negative(&mut self, value: i64) -> Result<Need<'js>, Error> {
        if let Ok(small) = i32::try_from(value) {
            return self.put(qjs::JS_MKVAL(qjs::JS_TAG_INT, small));
        }
        if value.unsigned_abs() <= EXACT {
            return self.float(value as f64);
        }
        // SAFETY: the value is owned by `put`.
        let made = unsafe { qjs::JS_NewBigInt64(pointer(&self.ctx), value) };
        self.put(made)
    }

    pub(in crate::engine) fn string(&mut self, text: &str) -> Result<Need<'js>, Error> {
        // SAFETY: the text is given with its length; the value is owned by `put`.
        let made = unsafe {
            qjs::JS_NewStringLen(pointer(&self.ctx), text.as_ptr().cast(), text.len() as _)
        };
        self.put(made)
    }

    pub(in crate::engine) fn open_array(&mut self, count: usize) -> Result<Need<'js>, Error> {
        self.open.push(Open::Array { from: self.elements.len(), count });
        self.close_full()
    }

    pub(in crate::engine) fn open_object(&mut self) -> Result<Need<'js>, Error> {
        // SAFETY: the object is owned by what is pushed.
        let object = unsafe { qjs::JS_NewObject(pointer(&self.ctx)) };
        if is_exception(object) {
            return Err(Error::Exception);
        }
        self.open.push(Open::Object { object, key: 0 });
        Ok(Need::Key)
    }

    pub(in crate::engine) fn close_object(&mut self) -> Result<Need<'js>, Error> {
        match self.open.pop() {
            Some(Open::Object { object, .. }) => self.put(object),
            other => {
                self.open.extend(other);
                Err(Error::Unknown)
            }
        }
    }

    /// Takes a value, and closes the arrays that it fills.
    fn put(&mut self, value: qjs::JSValue) -> Result<Need<'js>, Error> {
        if is_exception(value) {
            return Err(Error::Exception);
        }
        match self.open.last_mut() {
            // SAFETY: `value` is owned and given up here.
            None => Ok(Need::Nothing(unsafe { Value::from_raw(self.ctx.clone(), value) })),
            Some(Open::Array { .. }) => {
                self.elements.push(value);
                self.close_full()
            }
            Some(&mut Open::Object { object, key }) => {
                let flags = qjs::JS_PROP_C_W_E.cast_signed();
                // SAFETY: the object is ours and plain, the key is held by `keys`, and the call takes the value.
                let status = unsafe {
                    qjs::JS_DefinePropertyValue(pointer(&self.ctx), object, key, value, flags)
                };
                if status < 0 { Err(Error::Exception) } else { Ok(Need::Key) }
            }
        }
    }

    fn close_full(&mut self) -> Result<Need<'js>, Error> {
        let Some(&Open::Array { from, count }) = self.open.last() else {
            return Ok(Need::Element);
        };
        if self.elements.len() - from < count {
            return Ok(Need::Element);
        }
        self.open.pop();
        let length = i32::try_from(count).map_err(|_| Error::Allocation)?;
        let elements = self.elements.get(from..).unwrap_or_default();
        // SAFETY: the call takes all `count` elements, whether it succeeds or not; they are forgotten here.
        let array = unsafe { qjs::JS_NewArrayFrom(pointer(&self.ctx), length, elements.as_ptr()) };
        self.elements.truncate(from);
        self.put(array)
    }
}

/// 2^53 - 1: up to here a number is an exact integer.
const EXACT: u64 = (1 << 53) - 1;

fn is_exception(value: qjs::JSValue) -> bool {
    // SAFETY: reads the tag only.
    unsafe { qjs::JS_VALUE_GET_NORM_TAG(value) == qjs::JS_TAG_EXCEPTION }
}

impl Drop for Maker<'_> {
    fn drop(&mut self) {
        let ctx = pointer(&self.ctx);
        // SAFETY: each of these is owned by the maker and freed once.
        unsafe {
            for &element in &self.elements {
                qjs::JS_FreeValue(ctx, element);
            }
            for open in &self.open {
                if let Open::Object { object, .. } = open {
                    qjs::JS_FreeValue(ctx, *object);
                }
            }
            for &key in &self.keys {
                qjs::JS_FreeAtom(ctx, key);
            }
        }
    }
}
