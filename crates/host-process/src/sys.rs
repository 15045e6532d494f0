//! The system calls that rustix has no safe form of. All unsafe code of the crate is here.
//!
//! What runs between a fork and an exec of a program with threads may make system calls and nothing else: no lock,
//! no allocation. Every function here but [`before_exec`] may be called there, and [`fork`] only there.
#![expect(unsafe_code, reason = "system calls without a safe form in rustix; see each")]

use std::io;
use std::process::Command;

/// Has `action` run in the child, between fork and exec. It must make system calls only.
pub(crate) fn before_exec(
    command: &mut Command,
    action: impl FnMut() -> io::Result<()> + Send + Sync + 'static,
) {
    use std::os::unix::process::CommandExt as _;
    // SAFETY: the actions given here take no lock and allocate nothing, which is what is asked of them.
    unsafe { command.pre_exec(action) };
}

#[cfg(target_os = "linux")]
pub(crate) use linux::*;

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::{CStr, CString};
    use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
    use std::ptr;

    use rustix::io::Errno;
    use rustix::process::Pid;

    /// Forks without running what libraries registered for a fork. The child's id, in the parent.
    pub(crate) fn fork() -> rustix::io::Result<Option<Pid>> {
        // SAFETY: no memory is shared and no pointer is given, so that this is a plain fork. It is called in a
        // process that a fork made of one thread, where no other thread can hold a lock.
        let id = unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) };
        if id < 0 {
            return Err(last_error());
        }
        Ok(i32::try_from(id).ok().and_then(Pid::from_raw))
    }

    fn last_error() -> Errno {
        // SAFETY: the pointer is to this thread's own error number.
        Errno::from_raw_os_error(unsafe { *libc::__errno_location() })
    }

    /// Closes descriptors from `first` to `last`, both included. Only in a process that runs nothing else, for
    /// whoever has such a descriptor loses it.
    pub(crate) fn close_range(first: u32, last: u32) {
        if first > last {
            return;
        }
        // SAFETY: closing touches no memory. This process will use none of them.
        let closed = unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
        if closed == 0 {
            return;
        }
        // Before Linux 5.9.
        let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
        let limit = limit.current.and_then(|limit| u32::try_from(limit).ok()).unwrap_or(1 << 16);
        for descriptor in first..=last.min(limit) {
            // SAFETY: as above.
            unsafe { libc::close(descriptor.cast_signed()) };
        }
    }

    /// Blocks every signal that can be blocked, or none.
    pub(crate) fn block_signals(block: bool) {
        // SAFETY: the set is initialized by the first call, and both live on this stack.
        unsafe {
            let mut set: libc::sigset_t = std::mem::zeroed();
            if block {
                libc::sigfillset(&raw mut set);
            } else {
                libc::sigemptyset(&raw mut set);
            }
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const set, ptr::null_mut());
        }
    }

    /// Takes `SIGCHLD` as the system does by default. Were it ignored, as a program may have it, children would
    /// vanish unseen.
    pub(crate) fn see_children() {
        // SAFETY: no handler is given.
        unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
    }

    /// A descriptor that is readable when a child has ended. `SIGCHLD` must be blocked.
    pub(crate) fn child_signals() -> rustix::io::Result<OwnedFd> {
        // SAFETY: the set is initialized before it is used; the descriptor is new and ours.
        unsafe {
            let mut set: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut set);
            libc::sigaddset(&raw mut set, libc::SIGCHLD);
            let flags = libc::SFD_CLOEXEC | libc::SFD_NONBLOCK;
            let descriptor = libc::signalfd(-1, &raw const set, flags);
            if descriptor < 0 {
                return Err(last_error());
            }
            Ok(OwnedFd::from_raw_fd(descriptor))
        }
    }

    /// Ends this process, running nothing.
    pub(crate) fn exit(code: i32) -> ! {
        // SAFETY: it does not return, and runs no handler.
        unsafe { libc::_exit(code) }
    }

    /// Becomes `program`, with at most 14 arguments and an empty environment. Returns if that cannot be.
    pub(crate) fn become_program(program: &CStr, arguments: &[CString]) {
        let mut all = [ptr::null(); 16];
        let given = std::iter::once(program).chain(arguments.iter().map(CString::as_c_str));
        for (slot, argument) in all.iter_mut().zip(given.take(15)) {
            *slot = argument.as_ptr();
        }
        let environment = [ptr::null()];
        // SAFETY: both lists end with a null and what they point to outlives the call.
        unsafe { libc::execve(program.as_ptr(), all.as_ptr(), environment.as_ptr()) };
    }

    /// Puts this thread, and what it starts, under a Landlock ruleset for good.
    pub(crate) fn restrict_self(ruleset: &OwnedFd) -> rustix::io::Result<()> {
        rustix::thread::set_no_new_privs(true)?;
        // SAFETY: it takes numbers only.
        let done =
            unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0) };
        if done == 0 { Ok(()) } else { Err(last_error()) }
    }

    /// The version of Landlock that the kernel has; 0 for none.
    pub(crate) fn landlock_version() -> i64 {
        let version_only = 1;
        let nothing = ptr::null::<libc::c_void>();
        // SAFETY: with this flag nothing is read and nothing made.
        let version =
            unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, nothing, 0, version_only) };
        version.max(0)
    }
}
