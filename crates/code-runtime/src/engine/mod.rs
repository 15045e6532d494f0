//! The engine, and what a program finds in it.
//!
//! All that the host's side needs of the engine is noted before the program runs, and nothing of it can be reached from
//! the program: it may replace every builtin and change only its own behavior.

mod calls;
mod console;
mod desk;
mod fault;
mod give;
#[expect(unsafe_code, reason = "hands memory to the engine")]
mod heap;
mod inspect;
mod meter;
#[expect(
    unsafe_code,
    reason = "reads own properties and builds values, for which the binding has no safe calls"
)]
mod raw;
mod run;
mod take;
mod timers;

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rquickjs::context::intrinsic;
use rquickjs::object::Property;
use rquickjs::{Context, Ctx, Error, IntoJs, Object, Runtime};

use self::desk::Desk;
use self::heap::Heap;
use self::inspect::Inspector;
use self::take::Plain;
use crate::config::Limits;
use crate::worker::Outlet;

/// All of the language but what is ambient: no clock but `Date`, no shared memory.
type Language = (
    intrinsic::Date,
    intrinsic::Eval,
    intrinsic::RegExpCompiler,
    intrinsic::RegExp,
    intrinsic::Json,
    intrinsic::Proxy,
    intrinsic::MapSet,
    intrinsic::TypedArrays,
    intrinsic::Promise,
    intrinsic::WeakRef,
);

/// Bytes allocated before the engine first looks for cycles.
const GARBAGE_BYTES: usize = 8 << 20;

/// How an engine is held.
#[derive(Debug, Default)]
pub(crate) struct Held {
    /// Ends the process at so much processor time.
    pub(crate) alarm: Option<fn(Duration)>,
    /// Set from another thread, stops the program at its next step.
    pub(crate) stop: Arc<AtomicBool>,
}

/// A fresh engine that waits for its one program.
pub(crate) struct Engine {
    context: Context,
    desk: Rc<Desk>,
    plain: Plain,
}

impl Engine {
    pub(crate) fn new(limits: &Limits, outlet: Outlet, held: Held) -> Result<Self, Error> {
        let refused = Rc::<Cell<bool>>::default();
        let runtime = Runtime::new_with_alloc(Heap::new(limits.heap_bytes, Rc::clone(&refused)))?;
        runtime.set_max_stack_size(limits.stack_bytes);
        runtime.set_gc_threshold(GARBAGE_BYTES.min(limits.heap_bytes / 2));
        let context = Context::custom::<Language>(&runtime)?;
        let desk = Rc::new(Desk::new(limits.clone(), outlet, held, refused));
        let plain = context.with(|ctx| furnish(&ctx, &desk))?;
        let asked = Rc::clone(&desk);
        runtime.set_interrupt_handler(Some(Box::new(move || asked.interrupt())));
        Ok(Self { context, desk, plain })
    }
}

impl Engine {
    /// Makes an engine, runs a few lines in it and lets it go: the next finds code and memory in place.
    pub(crate) fn warm_up() {
        let Ok(runtime) = Runtime::new() else { return };
        let Ok(context) = Context::custom::<Language>(&runtime) else { return };
        context.with(|ctx| {
            // What it gives does not matter.
            let _ = ctx.eval::<rquickjs::Value<'_>, _>(WARM_UP);
            while ctx.execute_pending_job() {}
        });
    }
}

impl Drop for Engine {
    /// Values are let go of before the engine that they are of.
    fn drop(&mut self) {
        self.desk.clear();
    }
}

/// A little of what programs do.
const WARM_UP: &str = "(async () => { const f = async (a) => ({ a, b: [a, `${a}`] });\
    for (const x of await Promise.all([f(1), f('b')])) JSON.stringify(x); })()";

/// Takes away what is ambient, notes what the host's side needs, and supplies the rest.
fn furnish(ctx: &Ctx<'_>, desk: &Rc<Desk>) -> Result<Plain, Error> {
    raw::forbid_blocking(ctx);
    for name in ["SharedArrayBuffer", "Atomics", "performance"] {
        ctx.globals().remove(name)?;
    }
    let plain = Plain::note(ctx)?;
    desk.inspector.replace(Some(Inspector::note(ctx, plain)?));
    console::install(ctx, desk)?;
    timers::install(ctx, desk)?;
    Ok(plain)
}

/// Defines a property as a program's own assignment would, without running a setter.
fn define<'js, V: IntoJs<'js>>(object: &Object<'js>, name: &str, value: V) -> Result<(), Error> {
    object.prop(name, Property::from(value).writable().configurable())
}
