//! `{a,b}` in patterns: written out, so that each alternative is matched on its own.

use super::PatternError;

/// How much braces may stand for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Patterns.
    pub(super) alternatives: usize,
    /// Bytes of all patterns together.
    pub(super) bytes: usize,
}

/// All patterns that `text` stands for, in order. One pass over the text; what it takes is bounded by
/// what comes out.
pub(super) fn expand(text: &str, limits: Limits) -> Result<Vec<String>, PatternError> {
    let mut open: Vec<Group> = Vec::new();
    let mut group = Group::new();
    let mut start = 0;
    for (at, ch) in syntax(text) {
        let is_syntax = matches!(ch, '{' | '}') || (ch == ',' && !open.is_empty());
        if !is_syntax {
            continue;
        }
        group.extend(&[text.get(start..at).unwrap_or_default()], limits)?;
        start = at + 1;
        match ch {
            '{' => open.push(std::mem::replace(&mut group, Group::new())),
            ',' => group.end_choice(limits)?,
            _ => {
                let mut outer = open.pop().ok_or(PatternError::CloseBrace)?;
                group.end_choice(limits)?;
                outer.extend(&group.choices, limits)?;
                group = outer;
            }
        }
    }
    if !open.is_empty() {
        return Err(PatternError::OpenBrace);
    }
    group.extend(&[text.get(start..).unwrap_or_default()], limits)?;
    Ok(group.current)
}

/// Braces that are not closed yet, or the whole pattern.
struct Group {
    /// What the choices so far stand for.
    choices: Vec<String>,
    /// What the current choice stands for as far as it was read.
    current: Vec<String>,
}

impl Group {
    fn new() -> Self {
        Self { choices: Vec::new(), current: vec![String::new()] }
    }

    /// Puts each of the endings behind each text of the current choice.
    fn extend<S: AsRef<str>>(&mut self, endings: &[S], limits: Limits) -> Result<(), PatternError> {
        if let [ending] = endings {
            let ending = ending.as_ref();
            let added = ending.len() * self.current.len();
            check(self.current.len(), bytes_of(&self.current) + added, limits)?;
            self.current.iter_mut().for_each(|text| text.push_str(ending));
            return Ok(());
        }
        let count = self.current.len() * endings.len();
        let bytes =
            bytes_of(&self.current) * endings.len() + bytes_of(endings) * self.current.len();
        check(count, bytes, limits)?;
        let with = |text: &String| {
            let text = text.clone();
            endings.iter().map(move |ending| format!("{text}{}", ending.as_ref()))
        };
        self.current = self.current.iter().flat_map(with).collect();
        Ok(())
    }

    fn end_choice(&mut self, limits: Limits) -> Result<(), PatternError> {
        self.choices.append(&mut self.current);
        self.current.push(String::new());
        check(self.choices.len(), bytes_of(&self.choices), limits)
    }
}

fn bytes_of<S: AsRef<str>>(texts: &[S]) -> usize {
    texts.iter().map(|text| text.as_ref().len()).sum()
}

/// No part of a pattern stands for more than the whole, so what is too much for it ends the work.
fn check(count: usize, bytes: usize, limits: Limits) -> Result<(), PatternError> {
    if count > limits.alternatives {
        return Err(PatternError::TooManyAlternatives { max: limits.alternatives });
    }
    if bytes > limits.bytes {
        return Err(PatternError::AlternativesTooLong { max_bytes: limits.bytes });
    }
    Ok(())
}

/// The characters that can be syntax: not escaped, and not inside a class such as `[,]`.
pub(in crate::search) fn syntax(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut is_escaped = false;
    let mut class_start = None;
    text.char_indices().filter(move |&(at, ch)| {
        if is_escaped {
            is_escaped = false;
            return false;
        }
        if ch == '\\' {
            is_escaped = true;
            return false;
        }
        match class_start {
            None if ch == '[' => {
                class_start = Some(at);
                true
            }
            None => true,
            Some(start) => {
                // `]` right after `[`, `[!` or `[^` is a member.
                let inside = text.get(start + 1..at).unwrap_or_default();
                if ch == ']' && !matches!(inside, "" | "!" | "^") {
                    class_start = None;
                }
                false
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { alternatives: 16, bytes: 64 };

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(expand(text, LIMITS).expect("expands"), expected, "{text}");
    }

    #[test]
    fn groups_are_written_out_in_order() {
        check("a", &["a"]);
        check("*.{ts,tsx}", &["*.ts", "*.tsx"]);
        check("{a,b/{c,d}}/e", &["a/e", "b/c/e", "b/d/e"]);
        check("x{,.bak}", &["x", "x.bak"]);
        check("{a}", &["a"]);
        check("{a,b}{c,d}", &["ac", "ad", "bc", "bd"]);
        check("{,{x,}}", &["", "x", ""]);
        check("a,b{}", &["a,b"]);
        check(r"\{a,b\}", &[r"\{a,b\}"]);
        check("[{,}]x", &["[{,}]x"]);
        check("[]{]{a,b}", &["[]{]a", "[]{]b"]);
    }

    #[test]
    fn lone_braces_and_too_many_choices_are_refused() {
        assert_eq!(expand("{a", LIMITS), Err(PatternError::OpenBrace));
        assert_eq!(expand("a}", LIMITS), Err(PatternError::CloseBrace));
        let many = "{a,b}".repeat(40);
        assert_eq!(expand(&many, LIMITS), Err(PatternError::TooManyAlternatives { max: 16 }));
        let long = format!("{{a,b}}{}", "x".repeat(40));
        let refusal = PatternError::AlternativesTooLong { max_bytes: 64 };
        assert_eq!(expand(&long, LIMITS), Err(refusal));
    }
}
