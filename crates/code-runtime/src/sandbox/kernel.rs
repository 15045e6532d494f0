//! Calls of the kernel that rustix has no safe form of.

use std::sync::atomic::{AtomicBool, Ordering};

use std::time::Duration;

use super::{EXIT_HEAP, EXIT_STACK};

/// The engine was refused memory.
static NO_MEMORY: AtomicBool = AtomicBool::new(false);

/// Closes every descriptor from `first` on. Called before anything was opened.
pub(super) fn close_from(first: u32) {
    // SAFETY: the worker has opened nothing yet, so no descriptor that is closed here has an owner.
    unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, 0_u32) };
}

/// Ends the process with `SIGPROF` when it has used so much more processor time. Replaces the alarm before.
pub(crate) fn compute_alarm(after: Duration) {
    let value = libc::timeval {
        tv_sec: libc::time_t::try_from(after.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_usec: libc::suseconds_t::from(after.subsec_micros().max(1)),
    };
    let once = libc::timeval { tv_sec: 0, tv_usec: 0 };
    let timer = libc::itimerval { it_interval: once, it_value: value };
    // SAFETY: the timer is read during the call; no old one is asked for.
    unsafe { libc::setitimer(libc::ITIMER_PROF, &raw const timer, std::ptr::null_mut()) };
}

/// Notes that the engine was refused memory, for [`exit_on_abort`].
pub(crate) fn note_no_memory() {
    NO_MEMORY.store(true, Ordering::Relaxed);
}

/// Turns an abort into an exit that says what was used up: where neither memory nor stack is left to reject a promise
/// with, the engine aborts.
pub(super) fn exit_on_abort() {
    // SAFETY: all zeros is a valid `sigaction` without flags, and the handler only loads an atomic and exits.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        let handler: extern "C" fn(libc::c_int) = aborted;
        action.sa_sigaction = handler as libc::sighandler_t;
        // The stack may be what is used up.
        action.sa_flags = libc::SA_ONSTACK;
        libc::sigaction(libc::SIGABRT, &raw const action, std::ptr::null_mut());
    }
}

extern "C" fn aborted(_: libc::c_int) {
    let code = if NO_MEMORY.load(Ordering::Relaxed) { EXIT_HEAP } else { EXIT_STACK };
    // SAFETY: allowed in a signal handler.
    unsafe { libc::_exit(code) }
}
