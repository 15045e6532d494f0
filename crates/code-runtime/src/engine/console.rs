//! `console`.

use std::rc::Rc;

use rquickjs::function::Rest;
use rquickjs::{Ctx, Error, Function, Object, Value};

use super::desk::Desk;

/// Puts the console where a program finds it.
pub(super) fn install(ctx: &Ctx<'_>, desk: &Rc<Desk>) -> Result<(), Error> {
    let console = Object::new(ctx.clone())?;
    for name in ["log", "info", "warn", "error", "debug"] {
        let desk = Rc::clone(desk);
        let print = move |values: Rest<Value<'_>>| -> Result<(), Error> {
            if let Some(inspector) = desk.inspector() {
                desk.log(&inspector.line(&values.0)?);
            }
            Ok(())
        };
        let function = Function::new(ctx.clone(), print)?.with_name(name)?;
        super::define(&console, name, function)?;
    }
    super::define(&ctx.globals(), "console", console)
}
