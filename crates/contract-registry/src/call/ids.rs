//! Ids: newtypes, so that one cannot stand where another belongs.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Serialize, Serializer};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Takes an id as the caller has it.
            pub fn new(id: impl Into<Arc<str>>) -> Self {
                Self(id.into())
            }

            /// The id as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id! {
    /// A call, as the model or the host numbers it.
    CallId
}
id! {
    /// A session.
    SessionId
}
id! {
    /// An agent within a session.
    AgentId
}

impl CallId {
    /// An id of this process's own: `call-1`, `call-2` and so on.
    #[must_use]
    pub fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self::new(format!("call-{}", NEXT.fetch_add(1, Ordering::Relaxed)))
    }
}

impl Default for AgentId {
    /// `main`, the agent a user talks to.
    fn default() -> Self {
        Self::new("main")
    }
}
