//! Whether a licence expression can be met with a list of allowed licences.

/// Whether some choice that `expression` offers uses allowed licences only.
///
/// Knows `AND`, `OR`, parentheses, `X WITH Y` as one name, and the old `X/Y` for `OR`. An expression
/// it cannot read is not allowed.
pub(crate) fn allows(expression: &str, allowed: &[&str]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut reader = Reader { words: &words, allowed };
    reader.alternatives() == Some(true) && reader.words.is_empty()
}

struct Reader<'a> {
    words: &'a [&'a str],
    allowed: &'a [&'a str],
}

impl<'a> Reader<'a> {
    fn alternatives(&mut self) -> Option<bool> {
        let mut allowed = self.conjunction()?;
        while self.take("OR") {
            allowed |= self.conjunction()?;
        }
        Some(allowed)
    }

    fn conjunction(&mut self) -> Option<bool> {
        let mut allowed = self.operand()?;
        while self.take("AND") {
            allowed &= self.operand()?;
        }
        Some(allowed)
    }

    fn operand(&mut self) -> Option<bool> {
        if self.take("(") {
            let inner = self.alternatives()?;
            return self.take(")").then_some(inner);
        }
        let name = self.next()?;
        if self.take("WITH") {
            let full = format!("{name} WITH {}", self.next()?);
            return Some(self.allowed.contains(&full.as_str()));
        }
        Some(self.allowed.contains(&name))
    }

    fn next(&mut self) -> Option<&'a str> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(first)
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.words.first() == Some(&word);
        if found {
            self.words = &self.words[1..];
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::allows;

    const ALLOWED: &[&str] = &["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "Zlib"];

    #[test]
    fn one_allowed_alternative_is_enough() {
        assert!(allows("GPL-3.0 OR MIT", ALLOWED));
        assert!(allows("MIT/Apache-2.0", ALLOWED));
        assert!(!allows("GPL-3.0", ALLOWED));
    }

    #[test]
    fn every_part_of_a_conjunction_must_be_allowed() {
        assert!(allows("(MIT OR GPL-3.0) AND Zlib", ALLOWED));
        assert!(!allows("MIT AND GPL-3.0", ALLOWED));
        assert!(allows("MIT AND GPL-3.0 OR Zlib", ALLOWED));
    }

    #[test]
    fn an_exception_is_part_of_the_name() {
        assert!(allows("Apache-2.0 WITH LLVM-exception", ALLOWED));
        assert!(!allows("MIT WITH LLVM-exception", ALLOWED));
    }

    #[test]
    fn what_cannot_be_read_is_not_allowed() {
        for expression in ["", "MIT OR", "(MIT", "MIT)", "MIT MIT", "AND"] {
            assert!(!allows(expression, ALLOWED), "{expression}");
        }
    }
}
