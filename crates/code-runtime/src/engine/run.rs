//! One program from its source to its end.

use std::rc::Rc;

use rquickjs::context::EvalOptions;
use rquickjs::promise::PromiseState;
use rquickjs::{Ctx, Error, Function, Promise, Value};

use super::Engine;
use super::calls::{self, Answers};
use super::desk::{Desk, Halt};
use super::fault::{self, FILE, Thrown};
use super::give::NotGiven;
use super::raw::{self, Job};
use super::take::{NotTaken, Plain, take};
use crate::outcome::Limit;
use crate::program::Program;
use crate::script;
use crate::wire::{Frame, FrameKind, limit_number};
use crate::worker::{Incoming, Intake};

/// How a program ended, before it is told.
enum End<'js> {
    Returned(Value<'js>),
    Threw(Value<'js>),
    /// It cannot be compiled.
    Refused(Thrown),
    Stalled,
    Halted(Halt),
}

impl Engine {
    /// Runs the program and tells the host how it ended.
    pub(crate) fn run(&self, program: &Program, intake: &mut Intake) {
        let (desk, plain) = (&self.desk, self.plain);
        self.context.with(|ctx| {
            desk.meter.begin();
            let installed = calls::install(&ctx, desk, plain, program);
            let end = match installed {
                Ok(answers) => {
                    let mut program_run =
                        Run { ctx: ctx.clone(), desk: Rc::clone(desk), answers, intake };
                    program_run.until_end(&program.source)
                }
                Err(error) => End::Threw(fault::caught(&ctx, &error)),
            };
            tell(&ctx, desk, plain, end);
            desk.flush();
        });
    }
}

struct Run<'i, 'js> {
    ctx: Ctx<'js>,
    desk: Rc<Desk>,
    answers: Answers,
    intake: &'i mut Intake,
}

impl<'js> Run<'_, 'js> {
    fn until_end(&mut self, source: &str) -> End<'js> {
        let main = match self.begin(source) {
            Ok(main) => main,
            Err(end) => return end,
        };
        self.desk.outlet.borrow_mut().queue(FrameKind::Started, 0, |_| {});
        // Before the first call: what only computes may never come to speak again.
        self.desk.flush();
        let main = match main.call::<_, Promise<'js>>(()) {
            Ok(promise) => promise,
            Err(error) => return self.threw(&error),
        };
        loop {
            if let Some(end) = self.jobs().or_else(|| settled(&main)) {
                return end;
            }
            if let Err(end) = self.wait() {
                return end;
            }
        }
    }

    /// Compiles the program into a function.
    fn begin(&self, source: &str) -> Result<Function<'js>, End<'js>> {
        let stripped = script::strip(source).map_err(|refused| {
            let (line, column) = script::line_and_column(source, refused.offset);
            let name = "SyntaxError".to_owned();
            End::Refused(Thrown { name, message: refused.message, line, column })
        })?;
        let mut options = EvalOptions::default();
        options.filename = Some(FILE.to_owned());
        let compiled =
            self.ctx.eval_with_options(format!("(async () => {{\n{stripped}\n}})"), options);
        compiled.map_err(|error| match self.desk.halted() {
            Some(halt) => End::Halted(halt),
            None => {
                let value = fault::caught(&self.ctx, &error);
                let thrown = self.desk.thrown(&value);
                let limit = self.desk.limit_of(&value, &thrown);
                limit.map_or(End::Refused(thrown), |limit| End::Halted(Halt::Limit(limit)))
            }
        })
    }

    fn threw(&self, error: &Error) -> End<'js> {
        let thrown = fault::caught(&self.ctx, error);
        self.desk.halted().map_or(End::Threw(thrown), End::Halted)
    }

    /// Runs jobs until none is left, or one ends the program.
    fn jobs(&self) -> Option<End<'js>> {
        loop {
            let job = raw::run_job(&self.ctx);
            if let Some(halt) = self.desk.halted() {
                return Some(End::Halted(halt));
            }
            match job {
                Job::Ran => {}
                Job::Idle => return None,
                Job::Threw(value) => return Some(End::Threw(value)),
            }
        }
    }

    /// Sends what is queued and takes what comes next: an answer, or a timer.
    fn wait(&mut self) -> Result<(), End<'js>> {
        self.desk.meter.end();
        self.desk.flush();
        let next_timer = self.desk.timers.borrow_mut().next();
        if next_timer.is_none() && self.desk.pending.borrow().is_empty() {
            return Err(self.desk.halted().map_or(End::Stalled, End::Halted));
        }
        let incoming = self.intake.next(next_timer);
        self.desk.meter.begin();
        match incoming {
            Incoming::Closed => Err(End::Halted(Halt::HostGone)),
            Incoming::Timeout => self.timer(),
            Incoming::Frame(Frame { kind, id, payload }) => {
                let settled = if kind == FrameKind::Return {
                    self.answers.resolve(&self.ctx, id, payload)
                } else if kind == FrameKind::Reject {
                    self.answers.reject(&self.ctx, id, payload)
                } else {
                    Err(NotGiven::Broken)
                };
                settled.map_err(|not_given| match not_given {
                    NotGiven::Broken => End::Halted(Halt::HostGone),
                    NotGiven::Threw => self.threw(&Error::Exception),
                })
            }
        }
    }

    fn timer(&self) -> Result<(), End<'js>> {
        let due = self.desk.timers.borrow_mut().pop();
        let Some(timer) = due else { return Ok(()) };
        let call = || {
            let mut args = rquickjs::function::Args::new(self.ctx.clone(), timer.arguments.len());
            for argument in timer.arguments {
                args.push_arg(argument.restore(&self.ctx)?)?;
            }
            timer.callback.restore(&self.ctx)?.call_arg::<Value<'js>>(args)
        };
        call().map(drop).map_err(|error| self.threw(&error))
    }
}

fn settled<'js>(main: &Promise<'js>) -> Option<End<'js>> {
    match main.state() {
        PromiseState::Pending => None,
        PromiseState::Resolved => {
            let value = main.result::<Value<'js>>()?;
            Some(value.map_or(End::Stalled, End::Returned))
        }
        PromiseState::Rejected => {
            let rejected = main.result::<Value<'js>>()?;
            let ctx = main.ctx();
            Some(
                rejected.map_or_else(|error| End::Threw(fault::caught(ctx, &error)), End::Returned),
            )
        }
    }
}

/// Queues the frame that says how the program ended.
fn tell<'js>(ctx: &Ctx<'js>, desk: &Desk, plain: Plain, end: End<'js>) {
    match end {
        End::Returned(value) => tell_result(ctx, desk, plain, &value),
        End::Threw(value) => {
            let thrown = desk.thrown(&value);
            match desk.limit_of(&value, &thrown) {
                Some(limit) => tell_limit(desk, limit, Some(thrown)),
                None => tell_fault(desk, 1, thrown),
            }
        }
        End::Refused(thrown) => tell_fault(desk, 0, thrown),
        End::Stalled => desk.outlet.borrow_mut().queue(FrameKind::Stalled, 0, |_| {}),
        End::Halted(Halt::Limit(limit)) => tell_limit(desk, limit, None),
        End::Halted(Halt::HostGone) => {}
    }
}

fn tell_result<'js>(ctx: &Ctx<'js>, desk: &Desk, plain: Plain, value: &Value<'js>) {
    if value.is_undefined() {
        desk.outlet.borrow_mut().queue(FrameKind::Done, 0, |_| {});
        return;
    }
    let most = desk.output_left();
    let taken =
        desk.outlet.borrow_mut().try_queue(FrameKind::Done, 1, |out| take(plain, value, out, most));
    match taken {
        Ok(()) => {}
        Err(NotTaken::TooLarge) => tell_limit(desk, Limit::Output, None),
        Err(NotTaken::Threw) => {
            drop(ctx.catch());
            tell_limit(desk, Limit::Heap, None);
        }
        Err(NotTaken::Refused { what, path, hint }) => {
            let place = if path.is_empty() { String::new() } else { format!(" at {path}") };
            let message = format!("the result has {what}{place}, which JSON does not: {hint}");
            tell_fault(
                desk,
                1,
                Thrown { name: "TypeError".to_owned(), message, ..Thrown::default() },
            );
        }
    }
}

fn tell_limit(desk: &Desk, limit: Limit, thrown: Option<Thrown>) {
    let thrown = thrown.map(|thrown| thrown.within(desk.limits.message_bytes));
    desk.outlet.borrow_mut().queue(FrameKind::Limit, limit_number(limit), |writer| {
        if let Some(thrown) = &thrown {
            write_thrown(writer, thrown);
        }
    });
}

/// 0: the program was refused; 1: it threw.
fn tell_fault(desk: &Desk, which: u32, thrown: Thrown) {
    let thrown = thrown.within(desk.limits.message_bytes);
    let mut outlet = desk.outlet.borrow_mut();
    outlet.queue(FrameKind::Fault, which, |writer| write_thrown(writer, &thrown));
}

fn write_thrown(writer: &mut crate::wire::Writer<'_>, thrown: &Thrown) {
    writer.text(&thrown.name);
    writer.text(&thrown.message);
    writer.number(thrown.line.into());
    writer.number(thrown.column.into());
}
