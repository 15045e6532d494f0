//! How long the host lives, for tools that open what is meant to outlive a call (decisions DR7).

/// Whether anything can outlive the call that opened it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HostLife {
    /// The host goes on: a later call finds what this one opened.
    #[default]
    Session,
    /// The host ends with the call, and ends what it opened; the tools say so.
    OneCall,
}
