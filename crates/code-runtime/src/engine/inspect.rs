//! What the console shows of a value. Bounded, and nothing of the program runs.

use rquickjs::function::This;
use rquickjs::{Ctx, Error, Function, Persistent, Value};

use super::fault::{self, Thrown};
use super::raw::{self, Names, Nature, Slot, Spelled};
use super::take::Plain;

/// Containers within containers that are shown.
const DEPTH: usize = 4;
/// Elements or members of one container that are shown.
const ITEMS: usize = 100;
/// Characters of one string within a container that are shown.
const STRING_CHARS: usize = 10_000;
/// Bytes after which no further item is begun.
const TOTAL_BYTES: usize = 256 << 10;

/// Shows values. Holds functions of the engine that it noted before a program could replace them.
#[derive(Debug, Clone)]
pub(super) struct Inspector {
    plain: Plain,
    date_text: Persistent<Function<'static>>,
    /// Gives the stack that an error has within, whatever the program wrote over it.
    stack: Persistent<Function<'static>>,
}

impl Inspector {
    pub(super) fn note(ctx: &Ctx<'_>, plain: Plain) -> Result<Self, Error> {
        let date_text: Function<'_> = ctx.eval("Date.prototype.toISOString")?;
        let stack: Function<'_> =
            ctx.eval("Object.getOwnPropertyDescriptor(Error.prototype, 'stack').get")?;
        let save = |function| Persistent::save(ctx, function);
        Ok(Self { plain, date_text: save(date_text), stack: save(stack) })
    }

    /// What `value` says when it is thrown.
    pub(super) fn thrown(&self, value: &Value<'_>) -> Thrown {
        if raw::nature(value) == Nature::Error {
            let ctx = value.ctx();
            let stack = self
                .stack
                .clone()
                .restore(ctx)
                .and_then(|stack| stack.call::<_, Value<'_>>((This(value.clone()),)));
            return fault::of_error(value, stack.ok().as_ref());
        }
        let message = self.line(std::slice::from_ref(value)).unwrap_or_else(|_| {
            drop(value.ctx().catch());
            String::new()
        });
        Thrown { name: "thrown".to_owned(), message, ..Thrown::default() }
    }

    /// One console line: strings as they are, other values as they look, a space between.
    pub(super) fn line(&self, values: &[Value<'_>]) -> Result<String, Error> {
        let mut sight = Sight { inspector: self, out: String::new(), seen: Vec::new() };
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                sight.out.push(' ');
            }
            if raw::nature(value) == Nature::String {
                sight.raw_string(value)?;
            } else {
                sight.value(value)?;
            }
        }
        Ok(sight.out)
    }
}

struct Sight<'i> {
    inspector: &'i Inspector,
    out: String,
    seen: Vec<usize>,
}

impl Sight<'_> {
    fn raw_string(&mut self, value: &Value<'_>) -> Result<(), Error> {
        match raw::with_text(value, |text| self.out.push_str(text))? {
            Some(()) => Ok(()),
            None => {
                self.out.push_str("[a string with half a surrogate pair]");
                Ok(())
            }
        }
    }

    fn value(&mut self, value: &Value<'_>) -> Result<(), Error> {
        match raw::nature(value) {
            Nature::Undefined => self.out.push_str("undefined"),
            Nature::Null => self.out.push_str("null"),
            Nature::Bool(yes) => self.out.push_str(if yes { "true" } else { "false" }),
            Nature::Int(number) => self.out.push_str(&number.to_string()),
            Nature::Float(number) => self.out.push_str(&float_text(number)),
            Nature::BigInt => self.big(value),
            Nature::String => self.quoted(value)?,
            Nature::Symbol => self.out.push_str("Symbol()"),
            Nature::Function => self.named("Function", value)?,
            Nature::Error => self.out.push_str(&self.inspector.thrown(value).text()),
            Nature::Date => self.date(value),
            Nature::Array => self.container(value, true)?,
            Nature::Object => self.container(value, false)?,
            Nature::Proxy => self.out.push_str("[Proxy]"),
            Nature::Map => self.out.push_str("[Map]"),
            Nature::Set => self.out.push_str("[Set]"),
            Nature::RegExp => self.out.push_str("[RegExp]"),
            Nature::Promise => self.out.push_str("[Promise]"),
            Nature::Bytes => self.out.push_str("[binary data]"),
            Nature::Internal => self.out.push_str("[internal]"),
        }
        Ok(())
    }

    fn big(&mut self, value: &Value<'_>) {
        match raw::whole(value) {
            Some(raw::Whole::Unsigned(number)) => self.out.push_str(&format!("{number}n")),
            Some(raw::Whole::Negative(number)) => self.out.push_str(&format!("{number}n")),
            None => self.out.push_str("[a bigint beyond 64 bits]"),
        }
    }

    fn quoted(&mut self, value: &Value<'_>) -> Result<(), Error> {
        let quoted = raw::with_text(value, |text| {
            let shown: String = text.chars().take(STRING_CHARS).collect();
            let more = if shown.len() < text.len() { "..." } else { "" };
            format!("{shown:?}{more}")
        })?;
        self.out.push_str(quoted.as_deref().unwrap_or("[a string with half a surrogate pair]"));
        Ok(())
    }

    fn named(&mut self, what: &str, value: &Value<'_>) -> Result<(), Error> {
        self.out.push('[');
        self.out.push_str(what);
        let name = raw::own_data(value, "name");
        let text = name.map(|name| raw::with_text(&name, str::to_owned)).transpose()?.flatten();
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            self.out.push(' ');
            self.out.push_str(&text);
        }
        self.out.push(']');
        Ok(())
    }

    fn date(&mut self, value: &Value<'_>) {
        let ctx = value.ctx();
        let text = self
            .inspector
            .date_text
            .clone()
            .restore(ctx)
            .and_then(|to_text| to_text.call::<_, String>((This(value.clone()),)));
        match text {
            Ok(text) => self.out.push_str(&text),
            Err(_) => {
                drop(ctx.catch());
                self.out.push_str("Invalid Date");
            }
        }
    }

    fn container(&mut self, value: &Value<'_>, array: bool) -> Result<(), Error> {
        let address = raw::address(value);
        if self.seen.contains(&address) {
            self.out.push_str("[Circular]");
            return Ok(());
        }
        if !array && !self.inspector.plain.is_plain(value) {
            self.class_name(value)?;
        }
        if self.seen.len() == DEPTH {
            self.out.push_str(if array { "[Array]" } else { "[Object]" });
            return Ok(());
        }
        self.seen.push(address);
        let shown = if array { self.elements(value) } else { self.members(value) };
        self.seen.pop();
        shown
    }

    fn class_name(&mut self, value: &Value<'_>) -> Result<(), Error> {
        let home = raw::prototype(value);
        let class = home.and_then(|home| raw::own_data(&home, "constructor"));
        if let Some(name) = class.and_then(|class| raw::own_data(&class, "name")) {
            self.raw_string(&name)?;
            self.out.push(' ');
        }
        Ok(())
    }

    fn elements(&mut self, value: &Value<'_>) -> Result<(), Error> {
        let length = raw::array_length(value) as usize;
        self.out.push('[');
        for index in 0..length {
            if !self.item(index, length) {
                break;
            }
            let slot = raw::own_at(value, u32::try_from(index).unwrap_or(u32::MAX))?;
            self.slot(slot)?;
        }
        self.out.push(']');
        Ok(())
    }

    fn members(&mut self, value: &Value<'_>) -> Result<(), Error> {
        let names = Names::of(value)?;
        self.out.push('{');
        for index in 0..names.len() {
            let Some(name) = names.get(index) else { break };
            if !self.item(index, names.len()) {
                break;
            }
            self.out.push_str(if index == 0 { " " } else { "" });
            match raw::spell(value.ctx(), name)? {
                Spelled::Text(text) if is_bare(&text) => self.out.push_str(&text),
                Spelled::Text(text) => self.out.push_str(&format!("{text:?}")),
                Spelled::Symbol | Spelled::LoneSurrogate => self.out.push_str("[symbol]"),
            }
            self.out.push_str(": ");
            self.slot(raw::own(value, name)?)?;
        }
        self.out.push_str(if names.len() == 0 { "}" } else { " }" });
        Ok(())
    }

    /// Begins an item, unless enough is shown.
    fn item(&mut self, index: usize, of: usize) -> bool {
        if index > 0 {
            self.out.push_str(", ");
        }
        let more = index < ITEMS && self.out.len() < TOTAL_BYTES;
        if !more {
            self.out.push_str(&format!("... {} more", of - index));
        }
        more
    }

    fn slot(&mut self, slot: Slot<'_>) -> Result<(), Error> {
        match slot {
            Slot::Missing => self.out.push_str("<empty>"),
            Slot::Accessor => self.out.push_str("[Getter]"),
            Slot::Data { value, .. } => self.value(&value)?,
        }
        Ok(())
    }
}

fn is_bare(key: &str) -> bool {
    key.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_' || first == '$')
        && key.chars().all(|one| one.is_ascii_alphanumeric() || one == '_' || one == '$')
}

/// A float as JavaScript writes the common ones.
fn float_text(number: f64) -> String {
    if number.is_nan() {
        "NaN".to_owned()
    } else if number.is_infinite() {
        if number > 0.0 { "Infinity".to_owned() } else { "-Infinity".to_owned() }
    } else if number != 0.0 && (number.abs() >= 1e21 || number.abs() < 1e-6) {
        let text = format!("{number:e}");
        if text.contains("e-") { text } else { text.replace('e', "e+") }
    } else {
        format!("{number}")
    }
}
