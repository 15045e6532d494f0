//! A value from the host becomes a value of the program.

use rquickjs::{Ctx, Error, Value};

use super::raw::{Maker, Need};
use crate::wire::{Broken, Reader, Token};

/// Why a value did not reach the program.
#[derive(Debug)]
pub(super) enum NotGiven {
    /// The bytes are no value.
    Broken,
    /// The engine threw: its memory is used up.
    Threw,
}

impl From<Broken> for NotGiven {
    fn from(_: Broken) -> Self {
        Self::Broken
    }
}

impl From<Error> for NotGiven {
    fn from(_: Error) -> Self {
        Self::Threw
    }
}

/// Builds the value that `payload` describes. A loop, so that depth takes no stack.
pub(super) fn give<'js>(ctx: &Ctx<'js>, payload: &[u8]) -> Result<Value<'js>, NotGiven> {
    let mut reader = Reader::new(payload);
    let mut maker = Maker::new(ctx);
    let mut need = Need::Element;
    loop {
        need = match need {
            Need::Nothing(value) if reader.is_empty() => return Ok(value),
            Need::Nothing(_) => return Err(Broken("bytes after a value").into()),
            Need::Key => match reader.number()?.checked_sub(1) {
                None => maker.close_object()?,
                Some(number) => {
                    key(&mut maker, &mut reader, number)?;
                    Need::Element
                }
            },
            Need::Element => element(&mut maker, Token::read(&mut reader)?)?,
        };
    }
}

fn key(maker: &mut Maker<'_>, reader: &mut Reader<'_>, number: u64) -> Result<(), NotGiven> {
    let number = usize::try_from(number).unwrap_or(usize::MAX);
    if number == maker.keys() {
        maker.spell_key(reader.text()?)?;
    }
    if maker.key(number) { Ok(()) } else { Err(Broken("a key that was not spelled").into()) }
}

fn element<'js>(maker: &mut Maker<'js>, token: Token<'_>) -> Result<Need<'js>, NotGiven> {
    let deep = maker.depth() >= contract_schema::json::MAX_DEPTH;
    Ok(match token {
        Token::Null => maker.null()?,
        Token::Bool(value) => maker.bool(value)?,
        Token::Unsigned(value) => maker.unsigned(value)?,
        Token::Negative(value) => maker.negative(value)?,
        Token::Float(value) => maker.float(value)?,
        Token::String(value) => maker.string(value)?,
        Token::Array(_) | Token::Object if deep => return Err(Broken("a value too deep").into()),
        Token::Array(count) => maker.open_array(count)?,
        Token::Object => maker.open_object()?,
    })
}
