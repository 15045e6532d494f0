//! `run_code`: programs and the calls they make. They run on a thread here; `tenon` shows the process.

mod bridge;
mod failures;
mod logged;
mod output;
mod policy;
mod samples;
mod support;
