//! What is wrong, all of it: a check goes on after its first fault.

use std::fmt;

/// The faults of a check, each with the tool it is about.
#[derive(Default)]
pub struct Faults(Vec<String>);

impl Faults {
    /// Notes a fault of a tool.
    pub fn add(&mut self, tool: &str, what: impl fmt::Display) {
        self.0.push(format!("{tool}: {what}"));
    }

    /// Notes a fault unless `holds`.
    pub fn require(&mut self, holds: bool, tool: &str, what: impl fmt::Display) {
        if !holds {
            self.add(tool, what);
        }
    }

    /// The faults as an error, if there are any.
    ///
    /// # Errors
    ///
    /// Itself, when it holds a fault.
    pub fn into_result(self) -> Result<(), Self> {
        if self.0.is_empty() { Ok(()) } else { Err(self) }
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

/// As [`fmt::Display`], so that `unwrap` in a test shows one fault a line.
impl fmt::Debug for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl std::error::Error for Faults {}
