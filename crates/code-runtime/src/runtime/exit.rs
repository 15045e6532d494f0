//! What the end of a worker says that told nothing itself.

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use super::slot::Why;
use crate::config::Limits;
use crate::outcome::{Ended, Limit, LimitHit};
use crate::sandbox;

/// How the run ended, from how its worker did.
pub(super) fn ended(
    why: Option<Why>,
    status: Option<ExitStatus>,
    limits: &Limits,
    spoke: bool,
    started: bool,
) -> Ended {
    match why {
        Some(Why::Wall) => return hit(Limit::Wall, limits.wall_ms),
        Some(Why::Silent) => return Ended::Broken(not_a_worker("it said nothing")),
        Some(Why::Retired) | None => {}
    }
    let Some(status) = status else {
        return match why {
            Some(_) => Ended::Stopped,
            None => Ended::Broken("it ended before the program did".to_owned()),
        };
    };
    match status.code() {
        Some(sandbox::EXIT_HEAP) => return hit(Limit::Heap, limits.heap_bytes as u64),
        Some(sandbox::EXIT_STACK) => return hit(Limit::Stack, limits.stack_bytes as u64),
        _ => {}
    }
    match status.signal() {
        Some(libc::SIGPROF | libc::SIGXCPU) => hit(Limit::Compute, limits.compute_ms),
        // Reading the program is the one step whose depth only the stack bounds.
        Some(libc::SIGSEGV | libc::SIGABRT | libc::SIGBUS | libc::SIGILL) if spoke && !started => {
            hit(Limit::Stack, limits.stack_bytes as u64)
        }
        Some(libc::SIGKILL) if why.is_some() => Ended::Stopped,
        _ if !spoke => Ended::Broken(not_a_worker(&status.to_string())),
        _ => Ended::Broken(format!("it ended before the program did ({status})")),
    }
}

pub(super) fn hit(limit: Limit, allowed: u64) -> Ended {
    Ended::Limit(LimitHit { limit, allowed, fault: None })
}

fn not_a_worker(what: &str) -> String {
    format!("{what}: its main must begin with code_runtime::worker_main()")
}

/// What is allowed of a limit.
pub(super) fn allowed(limits: &Limits, limit: Limit) -> u64 {
    match limit {
        Limit::Heap => limits.heap_bytes as u64,
        Limit::Stack => limits.stack_bytes as u64,
        Limit::Compute => limits.compute_ms,
        Limit::Wall => limits.wall_ms,
        Limit::Output => limits.output_bytes as u64,
        Limit::ValueBytes => limits.value_bytes as u64,
        Limit::Calls => limits.calls.into(),
        Limit::PendingCalls => limits.pending_calls.into(),
    }
}
