//! `setTimeout`, `setInterval` and what clears them.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::rc::Rc;
use std::time::{Duration, Instant};

use rquickjs::function::{Opt, Rest};
use rquickjs::{Ctx, Error, Exception, Function, Persistent, Value};

use super::desk::Desk;
use super::raw::{self, Nature};

/// Shortest time between two rounds of an interval.
const SHORTEST: Duration = Duration::from_millis(1);
/// Longest delay, in milliseconds.
const LONGEST_MS: f64 = 2_147_483_647.0;

/// A timer that waits.
#[derive(Debug, Clone)]
pub(super) struct Timer {
    pub(super) callback: Persistent<Function<'static>>,
    pub(super) arguments: Vec<Persistent<Value<'static>>>,
    every: Option<Duration>,
}

/// Timers in the order they are due.
#[derive(Debug, Default)]
pub(super) struct Timers {
    waiting: HashMap<u32, Timer>,
    /// A cleared timer stays here until it is due.
    due: BinaryHeap<Reverse<(Instant, u32)>>,
    last: u32,
}

impl Timers {
    fn add(&mut self, timer: Timer, delay: Duration) -> u32 {
        self.last += 1;
        self.schedule(self.last, delay);
        self.waiting.insert(self.last, timer);
        self.last
    }

    fn schedule(&mut self, id: u32, delay: Duration) {
        if let Some(at) = Instant::now().checked_add(delay) {
            self.due.push(Reverse((at, id)));
        }
        if self.due.len() > 2 * self.waiting.len() + 64 {
            self.due.retain(|Reverse((_, id))| self.waiting.contains_key(id));
        }
    }

    fn remove(&mut self, id: u32) {
        self.waiting.remove(&id);
    }

    /// When the next is due.
    pub(super) fn next(&mut self) -> Option<Instant> {
        while let Some(&Reverse((at, id))) = self.due.peek() {
            if self.waiting.contains_key(&id) {
                return Some(at);
            }
            self.due.pop();
        }
        None
    }

    /// The next that is due now.
    pub(super) fn pop(&mut self) -> Option<Timer> {
        if self.next()? > Instant::now() {
            return None;
        }
        let Reverse((_, id)) = self.due.pop()?;
        let timer = self.waiting.get(&id)?.clone();
        match timer.every {
            Some(every) => self.schedule(id, every),
            None => self.remove(id),
        }
        Some(timer)
    }

    pub(super) fn clear(&mut self) {
        self.waiting.clear();
        self.due.clear();
    }
}

/// Puts the four functions where a program finds them.
pub(super) fn install<'js>(ctx: &Ctx<'js>, desk: &Rc<Desk>) -> Result<(), Error> {
    let globals = ctx.globals();
    for (name, repeats) in [("setTimeout", false), ("setInterval", true)] {
        let desk = Rc::clone(desk);
        let set = move |ctx: Ctx<'js>,
                        callback: Opt<Value<'js>>,
                        delay: Opt<Value<'js>>,
                        rest: Rest<Value<'js>>| {
            start(&ctx, &desk, callback.0, delay.0, rest.0, repeats)
        };
        let function = Function::new(ctx.clone(), set)?.with_name(name)?;
        super::define(&globals, name, function)?;
    }
    for name in ["clearTimeout", "clearInterval"] {
        let desk = Rc::clone(desk);
        let clear = move |id: Opt<Value<'_>>| {
            if let Some(Nature::Int(id)) = id.0.as_ref().map(raw::nature) {
                desk.timers.borrow_mut().remove(id.cast_unsigned());
            }
        };
        let function = Function::new(ctx.clone(), clear)?.with_name(name)?;
        super::define(&globals, name, function)?;
    }
    Ok(())
}

fn start<'js>(
    ctx: &Ctx<'js>,
    desk: &Desk,
    callback: Option<Value<'js>>,
    delay: Option<Value<'js>>,
    rest: Vec<Value<'js>>,
    repeats: bool,
) -> Result<u32, Error> {
    let Some(callback) = callback.and_then(Value::into_function) else {
        return Err(Exception::throw_type(ctx, "a timer needs a function to call"));
    };
    let mut timers = desk.timers.borrow_mut();
    if timers.waiting.len() >= desk.limits.timers as usize {
        let message = format!("more than {} timers wait at one time", desk.limits.timers);
        return Err(Exception::throw_range(ctx, &message));
    }
    let delay = milliseconds(delay.as_ref());
    let timer = Timer {
        callback: Persistent::save(ctx, callback),
        arguments: rest.into_iter().map(|value| Persistent::save(ctx, value)).collect(),
        every: repeats.then(|| delay.max(SHORTEST)),
    };
    Ok(timers.add(timer, delay))
}

/// What is no number is no delay.
fn milliseconds(delay: Option<&Value<'_>>) -> Duration {
    let number = match delay.map(raw::nature) {
        Some(Nature::Int(number)) => f64::from(number),
        Some(Nature::Float(number)) if !number.is_nan() => number,
        _ => 0.0,
    };
    Duration::from_secs_f64(number.clamp(0.0, LONGEST_MS) / 1000.0)
}
