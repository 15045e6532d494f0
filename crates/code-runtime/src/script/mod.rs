//! The program as written, made into what the engine runs: TypeScript's types become spaces, positions stay (decisions DC2).

mod blank;
mod class;
mod layout;
mod place;

use std::borrow::Cow;

use oxc_allocator::Allocator;
use oxc_ast::ast::{Program, Statement};
use oxc_parser::{ParseOptions, Parser, ParserReturn};
use oxc_span::{GetSpan as _, SourceType};

pub(crate) use place::{excerpt, line_and_column};

/// Why a program cannot be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    /// Byte offset into the program.
    pub(crate) offset: usize,
    pub(crate) message: String,
}

impl Refused {
    fn new(offset: u32, message: impl Into<String>) -> Self {
        Self { offset: offset as usize, message: message.into() }
    }
}

/// Plain JavaScript as it is, TypeScript with its types blanked: same length in lines, same columns.
pub(crate) fn strip(source: &str) -> Result<Cow<'_, str>, Refused> {
    if let Some(offset) = source.find('\0') {
        return Err(Refused { offset, message: "a NUL character in the program".to_owned() });
    }
    let allocator = Allocator::default();
    let plain = parse(&allocator, source, SourceType::mjs().with_jsx(false));
    if !failed(&plain) {
        no_modules(&plain.program)?;
        return Ok(Cow::Borrowed(source));
    }
    let typed = parse(&allocator, source, SourceType::ts().with_module(true));
    if failed(&typed) {
        return Err(first_fault(&typed));
    }
    blank::blank(source, &typed.program).map(Cow::Owned)
}

fn parse<'a>(allocator: &'a Allocator, source: &'a str, kind: SourceType) -> ParserReturn<'a> {
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    Parser::new(allocator, source, kind).with_options(options).parse()
}

fn failed(parsed: &ParserReturn<'_>) -> bool {
    parsed.panicked || parsed.diagnostics.has_errors()
}

fn first_fault(parsed: &ParserReturn<'_>) -> Refused {
    let Some(fault) = parsed.diagnostics.first() else {
        return Refused::new(0, "the program cannot be parsed");
    };
    let offset = fault.labels.first().map_or(0, oxc_span::LabeledSpan::offset);
    let help = fault.help.as_deref().map(|help| format!(" ({help})")).unwrap_or_default();
    Refused::new(offset, format!("{}{help}", fault.message))
}

/// Modules do not exist for a program; what it needs is given to it.
fn no_modules(program: &Program<'_>) -> Result<(), Refused> {
    let module = program.body.iter().find(|statement| statement.is_module_declaration());
    module.map_or(Ok(()), |statement| Err(module_refused(statement)))
}

fn module_refused(statement: &Statement<'_>) -> Refused {
    let message = if matches!(statement, Statement::ImportDeclaration(_)) {
        "import is not available: a program has no modules, only what it is given"
    } else {
        "export is not available: return the value instead"
    };
    Refused::new(statement.span().start, message)
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
