//! Reading a payload that nobody vouches for.

/// What the other side sent is not what the protocol allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Broken(pub(crate) &'static str);

/// A cursor over a payload.
#[derive(Debug, Clone)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    #[inline]
    pub(crate) fn byte(&mut self) -> Result<u8, Broken> {
        let (&first, rest) = self.bytes.split_first().ok_or(Broken("a payload that ends early"))?;
        self.bytes = rest;
        Ok(first)
    }

    #[inline]
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], Broken> {
        let pair = self.bytes.split_at_checked(count);
        let (head, rest) = pair.ok_or(Broken("a payload that ends early"))?;
        self.bytes = rest;
        Ok(head)
    }

    /// A number in groups of seven bits, lowest first.
    #[inline]
    pub(crate) fn number(&mut self) -> Result<u64, Broken> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                break;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Broken("a number that does not end"))
    }

    /// A count of things that take at least a byte each.
    #[inline]
    pub(crate) fn count(&mut self) -> Result<usize, Broken> {
        let count = usize::try_from(self.number()?).unwrap_or(usize::MAX);
        if count > self.bytes.len() {
            return Err(Broken("a count beyond the payload"));
        }
        Ok(count)
    }

    #[inline]
    pub(crate) fn text(&mut self) -> Result<&'a str, Broken> {
        let length = self.count()?;
        std::str::from_utf8(self.take(length)?).map_err(|_| Broken("text that is not UTF-8"))
    }

    pub(crate) fn float(&mut self) -> Result<f64, Broken> {
        let bytes = self.take(8)?.first_chunk().copied();
        Ok(f64::from_le_bytes(bytes.ok_or(Broken("a payload that ends early"))?))
    }

    /// A text that may be absent.
    pub(crate) fn maybe_text(&mut self) -> Result<Option<&'a str>, Broken> {
        Ok(if self.byte()? == 0 { None } else { Some(self.text()?) })
    }

    pub(crate) fn number32(&mut self) -> Result<u32, Broken> {
        u32::try_from(self.number()?).map_err(|_| Broken("a number that does not fit"))
    }

    pub(crate) fn size(&mut self) -> Result<usize, Broken> {
        usize::try_from(self.number()?).map_err(|_| Broken("a number that does not fit"))
    }
}
