//! `{a,b}` in patterns: written out, so that each alternative is matched on its own.

use super::PatternError;

/// All patterns that `text` stands for, in order; at most `max`.
pub(super) fn expand(text: &str, max: usize) -> Result<Vec<String>, PatternError> {
    let mut done = Vec::new();
    let mut open = vec![text.to_owned()];
    while let Some(text) = open.pop() {
        match first_group(&text)? {
            None => done.push(text),
            Some(group) => open.extend(group.written_out().into_iter().rev()),
        }
        if done.len() + open.len() > max {
            return Err(PatternError::TooManyAlternatives { max });
        }
    }
    Ok(done)
}

/// The first group of braces, with what stands around it.
struct Group<'t> {
    before: &'t str,
    choices: Vec<&'t str>,
    after: &'t str,
}

impl Group<'_> {
    fn written_out(&self) -> Vec<String> {
        let write = |choice: &&str| format!("{}{choice}{}", self.before, self.after);
        self.choices.iter().map(write).collect()
    }
}

fn first_group(text: &str) -> Result<Option<Group<'_>>, PatternError> {
    let mut depth = 0_usize;
    let mut open = 0;
    let mut commas = Vec::new();
    for (at, ch) in syntax(text) {
        match ch {
            '{' => {
                depth += 1;
                if depth == 1 {
                    open = at;
                }
            }
            ',' if depth == 1 => commas.push(at),
            '}' if depth == 0 => return Err(PatternError::CloseBrace),
            '}' if depth == 1 => return Ok(split(text, open, &commas, at)),
            '}' => depth -= 1,
            _ => {}
        }
    }
    if depth == 0 { Ok(None) } else { Err(PatternError::OpenBrace) }
}

fn split<'t>(text: &'t str, open: usize, commas: &[usize], close: usize) -> Option<Group<'t>> {
    let mut choices = Vec::with_capacity(commas.len() + 1);
    let mut start = open + 1;
    for &end in commas.iter().chain([&close]) {
        choices.push(text.get(start..end)?);
        start = end + 1;
    }
    Some(Group { before: text.get(..open)?, choices, after: text.get(start..)? })
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

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(expand(text, 16).expect("expands"), expected, "{text}");
    }

    #[test]
    fn groups_are_written_out_in_order() {
        check("a", &["a"]);
        check("*.{ts,tsx}", &["*.ts", "*.tsx"]);
        check("{a,b/{c,d}}/e", &["a/e", "b/c/e", "b/d/e"]);
        check("x{,.bak}", &["x", "x.bak"]);
        check("{a}", &["a"]);
        check(r"\{a,b\}", &[r"\{a,b\}"]);
        check("[{,}]x", &["[{,}]x"]);
        check("[]{]{a,b}", &["[]{]a", "[]{]b"]);
    }

    #[test]
    fn lone_braces_and_too_many_choices_are_refused() {
        assert_eq!(expand("{a", 16), Err(PatternError::OpenBrace));
        assert_eq!(expand("a}", 16), Err(PatternError::CloseBrace));
        let many = "{a,b}".repeat(40);
        assert_eq!(expand(&many, 16), Err(PatternError::TooManyAlternatives { max: 16 }));
    }
}
