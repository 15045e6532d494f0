//! Where in a JSON text a value stands, for messages that name a line.

/// One step into a document.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

/// The line, from 1, of the value at a path. The text is one that was read before; where the path leads
/// nowhere, the line of the last value on it.
pub(crate) fn line_of(text: &str, path: &[Step<'_>]) -> usize {
    let mut scanner = Scanner { bytes: text.as_bytes(), at: 0 };
    scanner.skip_space();
    for step in path {
        if !scanner.enter(*step) {
            break;
        }
    }
    text.bytes().take(scanner.at).filter(|byte| *byte == b'\n').count() + 1
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or_default()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\r' | b'\n') {
            self.at += 1;
        }
    }

    /// From a container to one of its values. Where there is none such, nothing moves.
    fn enter(&mut self, step: Step<'_>) -> bool {
        let start = self.at;
        let found = match step {
            Step::Key(key) => self.enter_object(key),
            Step::Index(index) => self.enter_array(index),
        };
        if !found {
            self.at = start;
        }
        found
    }

    fn enter_object(&mut self, key: &str) -> bool {
        self.at += 1;
        loop {
            self.skip_space();
            if self.peek() != b'"' {
                return false;
            }
            let from = self.at;
            self.skip_value();
            let name = self.bytes.get(from..self.at).unwrap_or_default();
            let is_it = serde_json::from_slice::<String>(name).is_ok_and(|name| name == key);
            self.skip_space();
            // The colon.
            self.at += 1;
            self.skip_space();
            if is_it {
                return true;
            }
            self.skip_value();
            self.skip_space();
            if self.peek() != b',' {
                return false;
            }
            self.at += 1;
        }
    }

    fn enter_array(&mut self, index: usize) -> bool {
        self.at += 1;
        self.skip_space();
        for _ in 0..index {
            self.skip_value();
            self.skip_space();
            if self.peek() != b',' {
                return false;
            }
            self.at += 1;
            self.skip_space();
        }
        self.peek() != b']'
    }

    /// Past one value: a string, a container, or a bare word.
    fn skip_value(&mut self) {
        let mut depth = 0usize;
        while self.at < self.bytes.len() {
            match self.peek() {
                b'"' => self.skip_string(),
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' | b',' | b' ' | b'\t' | b'\r' | b'\n' if depth == 0 => return,
                b'}' | b']' => {
                    depth -= 1;
                    self.at += 1;
                }
                _ => {
                    self.at += 1;
                    continue;
                }
            }
            if depth == 0 {
                return;
            }
        }
    }

    fn skip_string(&mut self) {
        self.at += 1;
        while self.at < self.bytes.len() && self.peek() != b'"' {
            self.at += if self.peek() == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::Step::{Index, Key};
    use super::*;

    #[test]
    fn values_are_found_past_strings_and_containers() {
        let text = "{\n \"a}\": [1, \"]\\\"\", {}],\n \"b\": [\n  {\"c\": 1},\n  {\n   \"c\": \"x\" }\n ],\n\"\\u0064\": 2}";
        for (path, line) in [
            (&[][..], 1),
            (&[Key("a}")], 2),
            (&[Key("b")], 3),
            (&[Key("b"), Index(0), Key("c")], 4),
            (&[Key("b"), Index(1)], 5),
            (&[Key("b"), Index(1), Key("c")], 6),
            (&[Key("d")], 8),
            (&[Key("b"), Index(7)], 3),
            (&[Key("none")], 1),
        ] {
            assert_eq!(line_of(text, path), line, "{path:?}");
        }
    }
}
