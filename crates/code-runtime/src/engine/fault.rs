//! What was thrown, told without running anything of the program.

use rquickjs::{Ctx, Error, Value};

use super::raw;

/// The name that the program has in stack traces.
pub(super) const FILE: &str = "program";
/// Lines that stand before the program's first in what the engine compiles.
pub(super) const LEAD_LINES: u32 = 1;
/// Prototypes looked at for a name.
const HOMES: usize = 16;

/// An error in plain form. A line of 0 is no place.
#[derive(Debug, Clone, Default)]
pub(crate) struct Thrown {
    pub(crate) name: String,
    pub(crate) message: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl Thrown {
    /// As the console shows it.
    pub(super) fn text(&self) -> String {
        let place = match self.line {
            0 => String::new(),
            line => format!(" (line {line}, column {})", self.column),
        };
        match self.message.is_empty() {
            true => format!("{}{place}", self.name),
            false => format!("{}: {}{place}", self.name, self.message),
        }
    }

    /// Whether the engine said that its memory is used up.
    pub(super) fn is_out_of_memory(&self) -> bool {
        // The second is what is left to say when there is no memory for the first.
        let words = ["out of memory", "Invalid error message"];
        self.name == "InternalError" && words.iter().any(|words| self.message.contains(words))
    }

    /// Whether the engine said that its stack is used up.
    pub(super) fn is_stack_overflow(&self) -> bool {
        self.message == "Maximum call stack size exceeded" || self.message == "stack overflow"
    }

    /// With the message cut to so many bytes, on a character.
    pub(super) fn within(mut self, bytes: usize) -> Self {
        for text in [&mut self.name, &mut self.message] {
            if text.len() > bytes {
                text.truncate(text.floor_char_boundary(bytes));
                text.push_str("...");
            }
        }
        self
    }
}

/// What an error says that has this stack within.
pub(super) fn of_error(value: &Value<'_>, stack: Option<&Value<'_>>) -> Thrown {
    let message = raw::own_data(value, "message").and_then(|message| text_of(&message));
    let (line, column) =
        stack.and_then(text_of).and_then(|stack| place(&stack)).unwrap_or_default();
    Thrown {
        name: name_of(value).unwrap_or_else(|| "Error".to_owned()),
        message: message.unwrap_or_default(),
        line,
        column,
    }
}

fn text_of(value: &Value<'_>) -> Option<String> {
    match raw::with_text(value, str::to_owned) {
        Ok(text) => text,
        Err(_) => {
            drop(value.ctx().catch());
            None
        }
    }
}

/// The `name` of the error or of the nearest prototype that has one as data.
fn name_of(value: &Value<'_>) -> Option<String> {
    let mut holder = value.clone();
    for _ in 0..HOMES {
        if let Some(name) = raw::own_data(&holder, "name").and_then(|name| text_of(&name)) {
            return Some(name);
        }
        holder = raw::prototype(&holder)?;
    }
    None
}

/// The first place of a stack trace that is in the program, in its own lines.
fn place(stack: &str) -> Option<(u32, u32)> {
    stack.lines().find_map(|line| {
        let line = line.trim_end().trim_end_matches(')');
        let (before, column) = line.rsplit_once(':')?;
        let (before, line) = before.rsplit_once(':')?;
        let in_program =
            before.ends_with(&format!("({FILE}")) || before.trim() == format!("at {FILE}");
        let line = line.parse::<u32>().ok()?.checked_sub(LEAD_LINES)?;
        (in_program && line > 0).then_some((line, column.parse().ok()?))
    })
}

/// The value that is being thrown after a failed call of the engine.
pub(super) fn caught<'js>(ctx: &Ctx<'js>, error: &Error) -> Value<'js> {
    if matches!(error, Error::Exception) { ctx.catch() } else { Value::new_null(ctx.clone()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_place_in_the_program_counts() {
        let stack =
            "    at then (native)\n    at f (program:4:12)\n    at <anonymous> (program:9:1)\n";
        assert_eq!(place(stack), Some((3, 12)));
        assert_eq!(place("    at program:2:7\n"), Some((1, 7)));
        assert_eq!(place("    at <eval> (other:4:12)\n"), None);
        assert_eq!(place("    at f (program:1:12)\n"), None);
        assert_eq!(place("program:99999999999999:1"), None);
    }
}
