//! The engine's calls that its binding has no safe form of: reading own properties without running anything, and
//! building values without looking anything up.
//!
//! Every function here keeps two rules: a value the engine gives is owned by a `Value` or a `Maker` at once, and no call
//! is one that may run the program's code (getters, proxies, conversions).

mod maker;

use rquickjs::{Ctx, Error, Value, qjs};

pub(super) use maker::{Maker, Need};

/// The name of a property as the engine holds it. Valid while the object or list it came from is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Name(qjs::JSAtom);

/// An own property.
pub(super) enum Slot<'js> {
    Missing,
    /// A getter or setter; nothing was run.
    Accessor,
    Data {
        value: Value<'js>,
        enumerable: bool,
    },
}

/// What a name is.
pub(super) enum Spelled {
    Text(String),
    /// A string that UTF-8 cannot hold.
    LoneSurrogate,
    Symbol,
}

/// A whole number of the engine's `bigint`.
pub(super) enum Whole {
    Unsigned(u64),
    Negative(i64),
}

/// What a value is, told without running anything.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Nature {
    Undefined,
    Null,
    Bool(bool),
    Int(i32),
    Float(f64),
    BigInt,
    String,
    Symbol,
    Array,
    Function,
    Proxy,
    Error,
    Date,
    Map,
    Set,
    RegExp,
    Promise,
    Bytes,
    /// Any other object.
    Object,
    /// Nothing a program can hold.
    Internal,
}

fn pointer(ctx: &Ctx<'_>) -> *mut qjs::JSContext {
    ctx.as_raw().as_ptr()
}

/// What `value` is.
pub(super) fn nature(value: &Value<'_>) -> Nature {
    let raw = value.as_raw();
    // SAFETY: the tag says which member of the union is set.
    unsafe {
        match qjs::JS_VALUE_GET_NORM_TAG(raw) {
            qjs::JS_TAG_UNDEFINED => Nature::Undefined,
            qjs::JS_TAG_NULL => Nature::Null,
            qjs::JS_TAG_BOOL => Nature::Bool(qjs::JS_VALUE_GET_BOOL(raw)),
            qjs::JS_TAG_INT => Nature::Int(qjs::JS_VALUE_GET_INT(raw)),
            qjs::JS_TAG_FLOAT64 => Nature::Float(qjs::JS_VALUE_GET_FLOAT64(raw)),
            qjs::JS_TAG_BIG_INT | qjs::JS_TAG_SHORT_BIG_INT => Nature::BigInt,
            qjs::JS_TAG_STRING | qjs::JS_TAG_STRING_ROPE => Nature::String,
            qjs::JS_TAG_SYMBOL => Nature::Symbol,
            qjs::JS_TAG_OBJECT => object_nature(value),
            _ => Nature::Internal,
        }
    }
}

fn object_nature(value: &Value<'_>) -> Nature {
    let (raw, ctx) = (value.as_raw(), pointer(value.ctx()));
    // SAFETY: `raw` is an object that `value` keeps alive; these calls look at its class only.
    unsafe {
        if qjs::JS_IsProxy(raw) {
            Nature::Proxy
        } else if qjs::JS_IsArray(raw) {
            Nature::Array
        } else if qjs::JS_IsFunction(ctx, raw) {
            Nature::Function
        } else if qjs::JS_IsError(raw) {
            Nature::Error
        } else if qjs::JS_IsDate(raw) {
            Nature::Date
        } else if qjs::JS_IsMap(raw) {
            Nature::Map
        } else if qjs::JS_IsSet(raw) {
            Nature::Set
        } else if qjs::JS_IsRegExp(raw) {
            Nature::RegExp
        } else if qjs::JS_IsPromise(raw) {
            Nature::Promise
        } else if qjs::JS_IsArrayBuffer(raw) || qjs::JS_GetTypedArrayType(raw) >= 0 {
            Nature::Bytes
        } else {
            Nature::Object
        }
    }
}

/// The number of the class of an object; 0 for anything else.
pub(super) fn class_id(value: &Value<'_>) -> u32 {
    // SAFETY: the call accepts every value.
    unsafe { qjs::JS_GetClassID(value.as_raw()) }
}

/// Where an object lies: what identity is.
pub(super) fn address(value: &Value<'_>) -> usize {
    if !value.is_object() {
        return 0;
    }
    // SAFETY: objects hold a pointer.
    unsafe { qjs::JS_VALUE_GET_PTR(value.as_raw()) as usize }
}

/// The prototype of an object that is no proxy; `None` where there is none.
pub(super) fn prototype<'js>(value: &Value<'js>) -> Option<Value<'js>> {
    if nature(value) == Nature::Proxy || !value.is_object() {
        return None;
    }
    let ctx = value.ctx();
    // SAFETY: for an object that is no proxy the call reads a field; the result is owned.
    let found = unsafe {
        let raw = qjs::JS_GetPrototype(pointer(ctx), value.as_raw());
        Value::from_raw(ctx.clone(), raw)
    };
    found.is_object().then_some(found)
}

/// An own property of an object that is no proxy.
pub(super) fn own<'js>(object: &Value<'js>, name: Name) -> Result<Slot<'js>, Error> {
    let ctx = object.ctx();
    if nature(object) == Nature::Proxy {
        return Ok(Slot::Accessor);
    }
    let undefined = qjs::JS_UNDEFINED;
    let mut found = qjs::JSPropertyDescriptor {
        flags: 0,
        value: undefined,
        getter: undefined,
        setter: undefined,
    };
    // SAFETY: the object is alive and no proxy, so nothing of the program runs; the descriptor is ours, and what it
    // is given is owned by the values made of it here.
    unsafe {
        match qjs::JS_GetOwnProperty(pointer(ctx), &raw mut found, object.as_raw(), name.0) {
            0 => return Ok(Slot::Missing),
            1 => {}
            _ => return Err(Error::Exception),
        }
        let value = Value::from_raw(ctx.clone(), found.value);
        drop(Value::from_raw(ctx.clone(), found.getter));
        drop(Value::from_raw(ctx.clone(), found.setter));
        let flags = found.flags.cast_unsigned();
        if flags & qjs::JS_PROP_GETSET != 0 {
            return Ok(Slot::Accessor);
        }
        Ok(Slot::Data { value, enumerable: flags & qjs::JS_PROP_ENUMERABLE != 0 })
    }
}

/// The own property at an index.
pub(super) fn own_at<'js>(object: &Value<'js>, index: u32) -> Result<Slot<'js>, Error> {
    let ctx = pointer(object.ctx());
    // SAFETY: the name is freed once it was used.
    unsafe {
        let name = qjs::JS_NewAtomUInt32(ctx, index);
        let slot = own(object, Name(name));
        qjs::JS_FreeAtom(ctx, name);
        slot
    }
}

/// The own property of that name, if it is data.
pub(super) fn own_data<'js>(object: &Value<'js>, name: &str) -> Option<Value<'js>> {
    if !object.is_object() {
        return None;
    }
    let ctx = pointer(object.ctx());
    // SAFETY: the text is given with its length, and the name is freed once it was used.
    let slot = unsafe {
        let name = qjs::JS_NewAtomLen(ctx, name.as_ptr().cast(), name.len() as _);
        let slot = own(object, Name(name));
        qjs::JS_FreeAtom(ctx, name);
        slot
    };
    match slot {
        Ok(Slot::Data { value, .. }) => Some(value),
        Ok(Slot::Missing | Slot::Accessor) => None,
        Err(_) => {
            drop(object.ctx().catch());
            None
        }
    }
}

/// The length of an array.
pub(super) fn array_length(array: &Value<'_>) -> u32 {
    let length = own_data(array, "length").and_then(|length| length.as_number());
    length.map_or(0, |length| length as u32)
}

/// The names of all own properties of an object that is no proxy: strings and symbols, enumerable or not.
pub(super) struct Names<'js> {
    ctx: Ctx<'js>,
    table: *mut qjs::JSPropertyEnum,
    count: u32,
}

impl<'js> Names<'js> {
    pub(super) fn of(object: &Value<'js>) -> Result<Self, Error> {
        let ctx = object.ctx().clone();
        let mut names = Self { ctx, table: std::ptr::null_mut(), count: 0 };
        if nature(object) == Nature::Proxy {
            return Ok(names);
        }
        let flags = qjs::JS_GPN_STRING_MASK | qjs::JS_GPN_SYMBOL_MASK;
        // SAFETY: the object is alive and no proxy; the table is freed with its count on drop.
        let status = unsafe {
            qjs::JS_GetOwnPropertyNames(
                pointer(&names.ctx),
                &raw mut names.table,
                &raw mut names.count,
                object.as_raw(),
                flags.cast_signed(),
            )
        };
        if status < 0 {
            (names.table, names.count) = (std::ptr::null_mut(), 0);
            return Err(Error::Exception);
        }
        Ok(names)
    }

    pub(super) fn len(&self) -> usize {
        self.count as usize
    }

    pub(super) fn get(&self, index: usize) -> Option<Name> {
        if index >= self.len() {
            return None;
        }
        // SAFETY: the table has `count` entries.
        Some(Name(unsafe { (*self.table.add(index)).atom }))
    }
}

impl Drop for Names<'_> {
    fn drop(&mut self) {
        if !self.table.is_null() {
            // SAFETY: the engine made the table with this count.
            unsafe { qjs::JS_FreePropertyEnum(pointer(&self.ctx), self.table, self.count) };
        }
    }
}

/// What a name is.
pub(super) fn spell(ctx: &Ctx<'_>, name: Name) -> Result<Spelled, Error> {
    // SAFETY: the caller's object keeps the name alive; the value is owned.
    let value = unsafe { Value::from_raw(ctx.clone(), qjs::JS_AtomToValue(pointer(ctx), name.0)) };
    if nature(&value) == Nature::Symbol {
        return Ok(Spelled::Symbol);
    }
    // SAFETY: as above.
    let text = unsafe { Value::from_raw(ctx.clone(), qjs::JS_AtomToString(pointer(ctx), name.0)) };
    let spelled = with_text(&text, str::to_owned)?;
    Ok(spelled.map_or(Spelled::LoneSurrogate, Spelled::Text))
}

/// Looks at the text of a string value; `None` where a lone surrogate keeps it from being text.
pub(super) fn with_text<R>(
    value: &Value<'_>,
    look: impl FnOnce(&str) -> R,
) -> Result<Option<R>, Error> {
    if nature(value) != Nature::String {
        return Ok(None);
    }
    let ctx = pointer(value.ctx());
    let mut length = 0;
    // SAFETY: of a string the call runs nothing; the bytes live until they are freed below, and `look` cannot keep them.
    unsafe {
        let bytes = qjs::JS_ToCStringLen2(ctx, &raw mut length, value.as_raw(), false);
        if bytes.is_null() {
            return Err(Error::Exception);
        }
        let text = std::slice::from_raw_parts(bytes.cast::<u8>(), length as usize);
        let seen = std::str::from_utf8(text).ok().map(look);
        qjs::JS_FreeCString(ctx, bytes);
        Ok(seen)
    }
}

/// The whole number of a `bigint`; `None` outside `i64` and `u64`.
pub(super) fn whole(value: &Value<'_>) -> Option<Whole> {
    let ctx = value.ctx();
    let (mut signed, mut unsigned) = (0_i64, 0_u64);
    // SAFETY: of a `bigint` these calls run nothing; values made for comparison are owned.
    unsafe {
        qjs::JS_ToBigInt64(pointer(ctx), &raw mut signed, value.as_raw());
        qjs::JS_ToBigUint64(pointer(ctx), &raw mut unsigned, value.as_raw());
        let same = |made: qjs::JSValue| {
            let made = Value::from_raw(ctx.clone(), made);
            qjs::JS_IsStrictEqual(pointer(ctx), made.as_raw(), value.as_raw())
        };
        if same(qjs::JS_NewBigUint64(pointer(ctx), unsigned)) {
            Some(Whole::Unsigned(unsigned))
        } else if same(qjs::JS_NewBigInt64(pointer(ctx), signed)) {
            Some(Whole::Negative(signed))
        } else {
            None
        }
    }
}

/// What a step of the job queue did.
pub(super) enum Job<'js> {
    Idle,
    Ran,
    Threw(Value<'js>),
}

/// Runs the next job, if there is one.
pub(super) fn run_job<'js>(ctx: &Ctx<'js>) -> Job<'js> {
    let mut ran_in = std::ptr::null_mut();
    // SAFETY: the runtime lives as long as its context; there is one context, so it is where a job threw.
    let status =
        unsafe { qjs::JS_ExecutePendingJob(qjs::JS_GetRuntime(pointer(ctx)), &raw mut ran_in) };
    match status {
        0 => Job::Idle,
        1.. => Job::Ran,
        _ => Job::Threw(ctx.catch()),
    }
}

/// A new error object of the engine: with the stack of what runs, without a message.
pub(super) fn new_error<'js>(ctx: &Ctx<'js>) -> Result<Value<'js>, Error> {
    // SAFETY: the value is owned.
    let made = unsafe { Value::from_raw(ctx.clone(), qjs::JS_NewError(pointer(ctx))) };
    if made.is_exception() { Err(Error::Exception) } else { Ok(made) }
}

/// Lets values wait for a thread to be woken or not: `Atomics.wait` must not.
pub(super) fn forbid_blocking(ctx: &Ctx<'_>) {
    // SAFETY: the runtime lives as long as its context.
    unsafe { qjs::JS_SetCanBlock(qjs::JS_GetRuntime(pointer(ctx)), false) };
}
