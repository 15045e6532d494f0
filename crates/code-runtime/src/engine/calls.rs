//! The functions a program may call, and their answers.

use std::rc::Rc;

use rquickjs::function::Opt;
use rquickjs::object::Property;
use rquickjs::{Ctx, Error, Exception, Function, Object, Persistent, Promise, Value};

use super::desk::{Desk, Halt, Pending};
use super::give::{NotGiven, give};
use super::raw;
use super::take::{NotTaken, Plain, take};
use crate::outcome::Limit;
use crate::program::{Bindings, Program};
use crate::wire::{FrameKind, Reader};

/// The code of an error that says that a value is too large.
const TOO_LARGE: &str = "VALUE_TOO_LARGE";

/// What failed calls become, for each of the bindings.
#[derive(Debug)]
pub(super) struct Answers {
    desk: Rc<Desk>,
    classes: Vec<Class>,
}

#[derive(Debug)]
struct Class {
    prototype: Persistent<Object<'static>>,
    bindings: Bindings,
}

/// Makes the bindings of a program its globals.
pub(super) fn install<'js>(
    ctx: &Ctx<'js>,
    desk: &Rc<Desk>,
    plain: Plain,
    program: &Program,
) -> Result<Answers, Error> {
    let mut classes = Vec::new();
    for (number, bindings) in program.bindings.iter().enumerate() {
        let prototype = error_class(ctx, bindings)?;
        let object = Object::new_proto(ctx.clone(), None)?;
        for (index, name) in bindings.functions.iter().enumerate() {
            let desk = Rc::clone(desk);
            let run = move |ctx: Ctx<'js>, args: Opt<Value<'js>>| {
                call(&ctx, &desk, plain, (number, index), args.0)
            };
            let function = Function::new(ctx.clone(), run)?;
            // Enumerable, so that a program can list what it may call; fixed, so that it stays what it is.
            object.prop(name.as_str(), Property::from(function).enumerable())?;
        }
        freeze(ctx, &object)?;
        ctx.globals().prop(bindings.global.as_str(), Property::from(object))?;
        let prototype = Persistent::save(ctx, prototype);
        classes.push(Class { prototype, bindings: bindings.clone() });
    }
    Ok(Answers { desk: Rc::clone(desk), classes })
}

fn freeze<'js>(ctx: &Ctx<'js>, object: &Object<'js>) -> Result<(), Error> {
    let freeze: Function<'js> = ctx.eval("Object.freeze")?;
    freeze.call::<_, ()>((object.clone(),))
}

/// Makes the error class a global; its prototype.
fn error_class<'js>(ctx: &Ctx<'js>, bindings: &Bindings) -> Result<Object<'js>, Error> {
    let name = &bindings.error.name;
    // An identifier, as `Program::misnamed` holds.
    let class: Object<'js> = ctx.eval(format!("(class {name} extends Error {{}})"))?;
    let prototype = raw::own_data(class.as_value(), "prototype").and_then(Value::into_object);
    let prototype = prototype.ok_or(Error::Unknown)?;
    prototype.prop("name", Property::from(name.as_str()).writable().configurable())?;
    ctx.globals().prop(name.as_str(), Property::from(class))?;
    Ok(prototype)
}

/// A program calls: its argument is taken, and a promise is what it gets.
fn call<'js>(
    ctx: &Ctx<'js>,
    desk: &Desk,
    plain: Plain,
    function: (usize, usize),
    args: Option<Value<'js>>,
) -> Result<Promise<'js>, Error> {
    // It has the place of the call. A program may hook into stack traces, so nothing is borrowed meanwhile.
    let error = raw::new_error(ctx)?;
    let (promise, resolve, reject) = ctx.promise()?;
    if let Err(limit) = may_call(desk) {
        desk.halt(Halt::Limit(limit));
        return Err(Exception::throw_message(ctx, "the limit on calls is hit"));
    }
    let args = args.unwrap_or_else(|| Value::new_undefined(ctx.clone()));
    let id = desk.calls.get() + 1;
    let most = desk.limits.value_bytes;
    let taken = desk.outlet.borrow_mut().try_queue(FrameKind::Call, id, |out| {
        out.extend_from_slice(&(function.0 as u32).to_le_bytes());
        out.extend_from_slice(&(function.1 as u32).to_le_bytes());
        take(plain, &args, out, most)
    });
    match taken {
        Ok(()) => {
            desk.calls.set(id);
            let save = |function| Persistent::save(ctx, function);
            let error = Persistent::save(ctx, error);
            let pending = Pending { resolve: save(resolve), reject: save(reject), error, function };
            desk.pending.borrow_mut().insert(id, pending);
        }
        Err(not_taken) => {
            let error = Object::from_value(error)?;
            not_called(ctx, desk, &error, not_taken, &args)?;
            reject.call::<_, ()>((error,))?;
        }
    }
    Ok(promise)
}

fn may_call(desk: &Desk) -> Result<(), Limit> {
    if desk.calls.get() >= desk.limits.calls {
        return Err(Limit::Calls);
    }
    if desk.pending.borrow().len() >= desk.limits.pending_calls as usize {
        return Err(Limit::PendingCalls);
    }
    Ok(())
}

/// Fills the error of a call whose argument could not leave the program.
fn not_called<'js>(
    ctx: &Ctx<'js>,
    desk: &Desk,
    error: &Object<'js>,
    not_taken: NotTaken,
    args: &Value<'js>,
) -> Result<(), Error> {
    let message = match not_taken {
        NotTaken::Threw => return Err(Error::Exception),
        NotTaken::TooLarge => {
            too_large(ctx, desk, error)?;
            format!("the argument takes more than {} bytes", desk.limits.value_bytes)
        }
        NotTaken::Refused { .. } if args.is_undefined() => {
            "the argument is undefined: give one JSON value, {} if there is nothing to say"
                .to_owned()
        }
        NotTaken::Refused { what, path, hint } => {
            let place = if path.is_empty() { String::new() } else { format!(" at {path}") };
            format!("the argument has {what}{place}, which JSON does not: {hint}")
        }
    };
    super::define(error, "name", "TypeError")?;
    super::define(error, "message", message)
}

/// Notes that this error says that a value is too large.
fn too_large<'js>(ctx: &Ctx<'js>, desk: &Desk, error: &Object<'js>) -> Result<(), Error> {
    super::define(error, "code", TOO_LARGE)?;
    let error = Persistent::save(ctx, error.as_value().clone());
    desk.too_large.borrow_mut().replace(error);
    Ok(())
}

impl Answers {
    /// Settles call `id` with a value. A call that nobody waits for is passed over.
    pub(super) fn resolve(&self, ctx: &Ctx<'_>, id: u32, payload: &[u8]) -> Result<(), NotGiven> {
        let Some(pending) = self.desk.pending.borrow_mut().remove(&id) else { return Ok(()) };
        if payload.len() > self.desk.limits.value_bytes {
            let message = format!(
                "the value is {} bytes, more than the {} that may reach a program",
                payload.len(),
                self.desk.limits.value_bytes
            );
            return Ok(self.fail(ctx, pending, None, Some(TOO_LARGE), &message)?);
        }
        let value = give(ctx, payload)?;
        pending.resolve.restore(ctx)?.call::<_, ()>((value,))?;
        Ok(())
    }

    /// Settles call `id` with an error.
    pub(super) fn reject(&self, ctx: &Ctx<'_>, id: u32, payload: &[u8]) -> Result<(), NotGiven> {
        let Some(pending) = self.desk.pending.borrow_mut().remove(&id) else { return Ok(()) };
        let mut reader = Reader::new(payload);
        let (name, code) = (reader.maybe_text()?, reader.maybe_text()?);
        Ok(self.fail(ctx, pending, name, code, reader.text()?)?)
    }

    fn fail(
        &self,
        ctx: &Ctx<'_>,
        pending: Pending,
        name: Option<&str>,
        code: Option<&str>,
        message: &str,
    ) -> Result<(), Error> {
        let error = Object::from_value(pending.error.restore(ctx)?)?;
        let (class, index) = pending.function;
        if let Some(class) = self.classes.get(class) {
            error.set_prototype(Some(&class.prototype.clone().restore(ctx)?))?;
            let function = class.bindings.functions.get(index).map_or("", String::as_str);
            super::define(&error, &class.bindings.error.function_property, function)?;
        }
        super::define(&error, "message", message)?;
        if let Some(name) = name {
            super::define(&error, "name", name)?;
        }
        match code {
            Some(TOO_LARGE) => too_large(ctx, &self.desk, &error)?,
            Some(code) => super::define(&error, "code", code)?,
            None => {}
        }
        pending.reject.restore(ctx)?.call::<_, ()>((error,))
    }
}
