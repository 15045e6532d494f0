//! What the functions given to a program share.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use std::time::Duration;

use rquickjs::{Ctx, Function, Persistent, Value};

use super::Held;
use super::fault::Thrown;
use super::inspect::Inspector;
use super::meter::Meter;
use super::timers::Timers;
use crate::config::Limits;
use crate::outcome::Limit;
use crate::wire::FrameKind;
use crate::worker::Outlet;

/// Why the program goes no further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Halt {
    Limit(Limit),
    /// The host is gone or asked to stop.
    HostGone,
}

/// A call whose answer is awaited.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) resolve: Persistent<Function<'static>>,
    pub(super) reject: Persistent<Function<'static>>,
    /// An error made where the call was, so that a failure has the place of the call.
    pub(super) error: Persistent<Value<'static>>,
    /// Which bindings, and which function of them.
    pub(super) function: (usize, usize),
}

#[derive(Debug)]
pub(super) struct Desk {
    pub(super) limits: Limits,
    pub(super) outlet: RefCell<Outlet>,
    pub(super) meter: Meter,
    pub(super) pending: RefCell<HashMap<u32, Pending>>,
    pub(super) calls: Cell<u32>,
    pub(super) timers: RefCell<Timers>,
    /// The last error that said that a value is too large: uncaught, it names the limit.
    pub(super) too_large: RefCell<Option<Persistent<Value<'static>>>>,
    /// Here, and not with the functions that use it, so that no function of the engine holds the engine.
    pub(super) inspector: RefCell<Option<Inspector>>,
    output_left: Cell<usize>,
    halt: Cell<Option<Halt>>,
    /// The engine asked for more memory than it may have.
    memory_refused: Rc<Cell<bool>>,
    /// Set by the host of a worker on a thread.
    stop: Arc<AtomicBool>,
}

impl Desk {
    pub(super) fn new(
        limits: Limits,
        outlet: Outlet,
        held: Held,
        memory_refused: Rc<Cell<bool>>,
    ) -> Self {
        let Held { alarm, stop } = held;
        let allowed = Duration::from_millis(limits.compute_ms);
        Self {
            outlet: RefCell::new(outlet),
            meter: Meter::new(allowed, alarm),
            pending: RefCell::default(),
            calls: Cell::new(0),
            timers: RefCell::default(),
            too_large: RefCell::default(),
            inspector: RefCell::default(),
            output_left: Cell::new(limits.output_bytes),
            halt: Cell::new(None),
            memory_refused,
            stop,
            limits,
        }
    }

    pub(super) fn halted(&self) -> Option<Halt> {
        self.halt.get()
    }

    /// Ends the program; the first reason counts.
    pub(super) fn halt(&self, halt: Halt) {
        if self.halt.get().is_none() {
            self.halt.set(Some(halt));
        }
    }

    /// Asked by the engine now and then while the program runs. Whether it must stop.
    pub(super) fn interrupt(&self) -> bool {
        if self.meter.is_used_up() {
            self.halt(Halt::Limit(Limit::Compute));
        }
        if self.stop.load(Ordering::Relaxed) {
            self.halt(Halt::HostGone);
        }
        // Borrowed while a frame is being written, which the engine does not interrupt.
        if let Ok(mut outlet) = self.outlet.try_borrow_mut()
            && outlet.flush_stale().is_err()
        {
            self.halt(Halt::HostGone);
        }
        self.halt.get().is_some()
    }

    pub(super) fn flush(&self) {
        if self.outlet.borrow_mut().flush().is_err() {
            self.halt(Halt::HostGone);
        }
    }

    /// Sends a console line, at once: what comes next may be the last thing the process does.
    pub(super) fn log(&self, line: &str) {
        if self.halted().is_some() {
            return;
        }
        let left = self.output_left.get();
        let shown = line.get(..line.floor_char_boundary(left)).unwrap_or_default();
        // A line takes a byte more than its text, so that empty lines are not free.
        self.output_left.set(left.saturating_sub(shown.len() + 1));
        self.outlet.borrow_mut().queue(FrameKind::Log, 0, |writer| {
            writer.out.extend_from_slice(shown.as_bytes());
        });
        self.flush();
        if line.len() + 1 > left {
            self.halt(Halt::Limit(Limit::Output));
        }
    }

    /// What shows values; gone once the program has ended.
    pub(super) fn inspector(&self) -> Option<Inspector> {
        self.inspector.borrow().clone()
    }

    pub(super) fn thrown(&self, value: &Value<'_>) -> Thrown {
        self.inspector().map(|inspector| inspector.thrown(value)).unwrap_or_default()
    }

    /// Which limit an uncaught value stands for, if it does.
    pub(super) fn limit_of(&self, value: &Value<'_>, thrown: &Thrown) -> Option<Limit> {
        // The engine throws null where there is no memory left for an error.
        let no_memory = value.is_null() || thrown.is_out_of_memory();
        if no_memory && self.memory_refused.get() {
            Some(Limit::Heap)
        } else if thrown.is_stack_overflow() {
            Some(Limit::Stack)
        } else if self.said_too_large(value.ctx(), value) {
            Some(Limit::ValueBytes)
        } else {
            None
        }
    }

    pub(super) fn output_left(&self) -> usize {
        self.output_left.get()
    }

    /// Whether the value is the last error that said that a value is too large.
    fn said_too_large(&self, ctx: &Ctx<'_>, value: &Value<'_>) -> bool {
        let noted = self.too_large.borrow().clone();
        let noted = noted.and_then(|noted| noted.restore(ctx).ok());
        noted.is_some_and(|noted| super::raw::address(&noted) == super::raw::address(value))
    }

    /// Lets go of every value of the engine, which must not outlive it.
    pub(super) fn clear(&self) {
        self.pending.borrow_mut().clear();
        self.timers.borrow_mut().clear();
        self.too_large.borrow_mut().take();
        self.inspector.borrow_mut().take();
    }
}
