//! What a command sees of this process's environment.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// The environment of a command.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    base: Base,
    allowed: Vec<OsString>,
    changes: BTreeMap<OsString, Option<OsString>>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Base {
    #[default]
    Scrubbed,
    Inherited,
    Empty,
}

impl Environment {
    /// This process's environment without the names that [look like credentials](looks_like_credential).
    /// The default.
    #[must_use]
    pub fn scrubbed() -> Self {
        Self::default()
    }

    /// This process's environment, credentials and all.
    #[must_use]
    pub fn inherited() -> Self {
        Self { base: Base::Inherited, ..Self::default() }
    }

    /// Nothing but what is set.
    #[must_use]
    pub fn empty() -> Self {
        Self { base: Base::Empty, ..Self::default() }
    }

    /// Lets a name through the scrub.
    #[must_use]
    pub fn allow(mut self, name: impl Into<OsString>) -> Self {
        self.allowed.push(name.into());
        self
    }

    /// Sets a name, whatever it looks like.
    #[must_use]
    pub fn set(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.changes.insert(name.into(), Some(value.into()));
        self
    }

    /// Takes a name away.
    #[must_use]
    pub fn remove(mut self, name: impl Into<OsString>) -> Self {
        self.changes.insert(name.into(), None);
        self
    }

    /// The names and values, given those of this process.
    pub(crate) fn resolve(
        &self,
        inherited: impl Iterator<Item = (OsString, OsString)>,
    ) -> BTreeMap<OsString, OsString> {
        let passes = |name: &OsStr| match self.base {
            Base::Inherited => true,
            Base::Empty => false,
            Base::Scrubbed => {
                self.allowed.iter().any(|allowed| allowed == name)
                    || !looks_like_credential(&name.to_string_lossy())
            }
        };
        let mut resolved: BTreeMap<_, _> = inherited.filter(|(name, _)| passes(name)).collect();
        for (name, value) in &self.changes {
            match value {
                Some(value) => resolved.insert(name.clone(), value.clone()),
                None => resolved.remove(name),
            };
        }
        resolved
    }
}

/// A name with one of these words between underscores is a credential's.
const WORDS: &[&str] = &[
    "APIKEY",
    "AUTH",
    "COOKIE",
    "CREDENTIAL",
    "CREDENTIALS",
    "DSN",
    "KEY",
    "PASS",
    "PASSPHRASE",
    "PASSWD",
    "PASSWORD",
    "PAT",
    "PWD",
    "SECRET",
    "SECRETS",
    "TOKEN",
    "TOKENS",
];

/// Whole names that are credentials' though no word of them says so.
const NAMES: &[&str] =
    &["CONNECTION_STRING", "DATABASE_URL", "MONGODB_URI", "PGPASSFILE", "REDIS_URL"];

/// Names that hold such a word and no credential.
const HARMLESS: &[&str] = &["OLDPWD", "PWD", "SSH_AUTH_SOCK"];

/// Whether a name looks like a credential's: by the words between its underscores, so that `KEYBOARD` does
/// not, and by a short list of whole names.
#[must_use]
pub fn looks_like_credential(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    if HARMLESS.contains(&name.as_str()) {
        return false;
    }
    NAMES.contains(&name.as_str())
        || name.split('_').any(|word| {
            WORDS.contains(&word) || word.ends_with("PASSWORD") || word.ends_with("TOKEN")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(environment: &Environment) -> Vec<String> {
        let inherited = ["PATH", "GITHUB_TOKEN", "KEYBOARD"].map(|name| (name.into(), "x".into()));
        let resolved = environment.resolve(inherited.into_iter());
        resolved.into_keys().map(|name| name.into_string().unwrap()).collect()
    }

    #[test]
    fn credentials_go_unless_allowed_or_set() {
        assert_eq!(names(&Environment::scrubbed()), ["KEYBOARD", "PATH"]);
        assert_eq!(names(&Environment::inherited()), ["GITHUB_TOKEN", "KEYBOARD", "PATH"]);
        assert_eq!(names(&Environment::empty()), [""; 0]);
        let allowed = Environment::scrubbed().allow("GITHUB_TOKEN").remove("PATH");
        assert_eq!(names(&allowed), ["GITHUB_TOKEN", "KEYBOARD"]);
        assert_eq!(names(&Environment::empty().set("MY_SECRET", "s")), ["MY_SECRET"]);
    }

    #[test]
    fn names_are_judged_by_their_words() {
        for name in [
            "AWS_SECRET_ACCESS_KEY",
            "OPENAI_API_KEY",
            "npm_config__authToken",
            "PGPASSWORD",
            "DATABASE_URL",
            "GPG_PASSPHRASE",
            "SESSION_COOKIE",
        ] {
            assert!(looks_like_credential(name), "{name}");
        }
        for name in ["PATH", "HOME", "KEYBOARD", "PWD", "SSH_AUTH_SOCK", "MONKEY", "AUTHOR"] {
            assert!(!looks_like_credential(name), "{name}");
        }
    }
}
