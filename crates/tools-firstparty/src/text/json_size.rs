//! How many bytes something takes as JSON, without writing it anywhere.

use std::io::{self, Write};

use serde::Serialize;

/// Bytes of `value` as compact JSON.
pub(crate) fn json_bytes<T: Serialize + ?Sized>(value: &T) -> usize {
    let mut counter = Counter(0);
    match serde_json::to_writer(&mut counter, value) {
        Ok(()) => counter.0,
        Err(_) => usize::MAX,
    }
}

struct Counter(usize);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_would_be_written() {
        let text = "a\"\n\u{1}é";
        assert_eq!(json_bytes(text), serde_json::to_vec(text).expect("json").len());
    }
}
