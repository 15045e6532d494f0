//! Tests of the registry through its public face.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod cancellation;
mod compile_fail;
mod containment;
mod declarations;
mod dispatch;
mod hostile;
mod nested;
mod policy;
mod reserved;
mod scheduler;
mod scope;
mod support;
mod tracing_fields;
