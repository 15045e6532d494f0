//! Writing a payload.

use std::collections::HashMap;

use super::tag;

/// Writes values and texts behind what a buffer holds.
#[derive(Debug)]
pub(crate) struct Writer<'a> {
    pub(crate) out: &'a mut Vec<u8>,
}

impl Writer<'_> {
    #[inline]
    pub(crate) fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.out.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.out.push(value as u8);
    }

    #[inline]
    pub(crate) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.out.extend_from_slice(text.as_bytes());
    }

    pub(crate) fn maybe_text(&mut self, text: Option<&str>) {
        self.out.push(u8::from(text.is_some()));
        if let Some(text) = text {
            self.text(text);
        }
    }

    #[inline]
    pub(crate) fn tag(&mut self, tag: u8) {
        self.out.push(tag);
    }

    #[inline]
    pub(crate) fn unsigned(&mut self, value: u64) {
        self.tag(tag::UNSIGNED);
        self.number(value);
    }

    #[inline]
    pub(crate) fn negative(&mut self, value: i64) {
        self.tag(tag::NEGATIVE);
        self.number(!value.cast_unsigned());
    }

    pub(crate) fn float(&mut self, value: f64) {
        self.tag(tag::FLOAT);
        self.out.extend_from_slice(&value.to_le_bytes());
    }

    #[inline]
    pub(crate) fn string(&mut self, value: &str) {
        self.tag(tag::STRING);
        self.text(value);
    }

    pub(crate) fn open_array(&mut self, count: usize) {
        self.tag(tag::ARRAY);
        self.number(count as u64);
    }

    pub(crate) fn open_object(&mut self) {
        self.tag(tag::OBJECT);
    }

    pub(crate) fn close_object(&mut self) {
        self.number(0);
    }
}

/// Keys written so far: each is spelled once a value, then named by its number.
#[derive(Debug)]
pub(crate) struct Keys<K>(HashMap<K, u64>);

impl<K: std::hash::Hash + Eq> Keys<K> {
    pub(crate) fn new() -> Self {
        Self(HashMap::new())
    }

    /// Writes a key. `spell` is asked for its text the first time.
    pub(crate) fn write<'t, E>(
        &mut self,
        writer: &mut Writer<'_>,
        key: K,
        spell: impl FnOnce() -> Result<std::borrow::Cow<'t, str>, E>,
    ) -> Result<(), E> {
        let next = self.0.len() as u64 + 1;
        if let Some(&number) = self.0.get(&key) {
            writer.number(number);
            return Ok(());
        }
        let text = spell()?;
        self.0.insert(key, next);
        writer.number(next);
        writer.text(&text);
        Ok(())
    }
}
