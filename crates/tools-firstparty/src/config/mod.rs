//! Every limit of the first-party tools: one table of defaults, units in the names, checked when the
//! tools are built (decisions DG3).

mod access;
mod code;
mod files;
mod host;
mod jobs;
mod search;
mod shell;
mod terminal;

pub use access::AccessCaps;
pub use code::CodeCaps;
pub use files::{ChangeCaps, EditCaps, ReadCaps, WriteCaps};
pub use host::HostLife;
pub use jobs::JobsCaps;
pub use search::{GlobCaps, GrepCaps, SearchCaps};
pub use shell::BashCaps;
pub use terminal::TerminalCaps;

/// Limits of all first-party tools. `Config::default()` is the table of defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// What the access mode leaves open.
    pub access: AccessCaps,
    /// Whether anything can outlive a call.
    pub host_life: HostLife,
    /// Limits of `read`.
    pub read: ReadCaps,
    /// Limits of `write`.
    pub write: WriteCaps,
    /// Limits of `edit`.
    pub edit: EditCaps,
    /// Limits of `glob`.
    pub glob: GlobCaps,
    /// Limits of `grep`.
    pub grep: GrepCaps,
    /// Limits of background jobs.
    pub jobs: JobsCaps,
    /// Limits of `bash`.
    pub bash: BashCaps,
    /// Limits of the terminals.
    pub terminal: TerminalCaps,
    /// Limits of programs.
    pub code: CodeCaps,
}

/// A limit that cannot work; raised when the tools are built, never when a call happens.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A limit is outside what the tools can honour.
    #[error("{key} is {found}, but must be from {min} to {max}")]
    OutOfRange {
        /// The limit, as `tool.name`.
        key: &'static str,
        /// What it was set to.
        found: u64,
        /// The least value that works.
        min: u64,
        /// The greatest value that works.
        max: u64,
    },
    /// A folder that may be written to has no absolute path, so it would depend on where the process runs.
    #[error("access.writable_roots has `{}`, which is not an absolute path", .folder.display())]
    RelativeRoot {
        /// The folder.
        folder: std::path::PathBuf,
    },
    /// A search would be ended from outside before it could end itself and keep its results.
    #[error(
        "{tool}.search.gather_max_ms ({gather_max_ms}) must be less than {tool}.search.timeout_ms ({timeout_ms})"
    )]
    GatherOutlastsTimeout {
        /// The tool.
        tool: &'static str,
        /// Its time for gathering, in milliseconds.
        gather_max_ms: u64,
        /// Its time for the whole call, in milliseconds.
        timeout_ms: u64,
    },
    /// A limit of programs is outside what their runtime can honour.
    #[error("code.{0}")]
    Code(code_runtime::ConfigError),
    /// There is no shell to open terminals with.
    #[error("terminal.shell is empty, but must name a program")]
    NoShell,
}

/// The longest time that every timer can wait, in milliseconds.
const TIMER_MAX_MS: u64 = 2_147_483_647;
/// The greatest count that JavaScript holds exactly (contract V4).
const COUNT_MAX: u64 = 9_007_199_254_740_991;
/// No page, line or metadata limit needs more, and sizes below it fit every integer used here.
const BYTES_MAX: u64 = 1 << 30;

impl Config {
    /// Checks every limit; the tools call this when they are built.
    ///
    /// # Errors
    /// The first limit that cannot work.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.access.validate()?;
        self.read.validate()?;
        self.write.validate()?;
        self.edit.validate()?;
        self.glob.validate()?;
        self.grep.validate()?;
        self.jobs.validate()?;
        self.bash.validate()?;
        self.terminal.validate()?;
        self.code.validate()
    }
}

fn within(key: &'static str, found: u64, min: u64, max: u64) -> Result<(), ConfigError> {
    if (min..=max).contains(&found) {
        return Ok(());
    }
    Err(ConfigError::OutOfRange { key, found, min, max })
}

fn as_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_valid() {
        assert_eq!(Config::default().validate(), Ok(()));
    }

    #[test]
    fn a_limit_that_cannot_work_is_named() {
        let mut config = Config::default();
        config.read.page_max_lines = 0;
        let error = config.validate().expect_err("zero lines");
        assert_eq!(error.to_string(), "read.page_max_lines is 0, but must be from 1 to 1073741824");
    }

    #[test]
    fn writable_folders_are_absolute() {
        let mut config = Config::default();
        config.access.writable_roots = vec!["/var/cache".into(), "cache".into()];
        let error = config.validate().expect_err("relative");
        assert!(error.to_string().contains("`cache`"), "{error}");
    }

    #[test]
    fn gathering_must_end_before_the_call_does() {
        let mut config = Config::default();
        config.grep.search.gather_max_ms = 30_000;
        let error = config.validate().expect_err("gathers as long as the call may take");
        assert!(error.to_string().contains("grep.search.gather_max_ms"), "{error}");
    }

    #[test]
    fn the_value_keeps_at_least_what_the_page_shows() {
        let mut config = Config::default();
        config.grep.value_line_max_bytes = 100;
        assert!(config.validate().is_err());
    }
}
