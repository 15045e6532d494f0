//! The system calls that rustix has no safe form of. All unsafe code of the crate is here.
//!
//! What runs between a fork and an exec of a program with threads may make system calls and nothing else: no lock,
//! no allocation. Functions here that say nothing else may be called there.
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
    use std::ffi::{CStr, CString, OsStr};
    use std::io;
    use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
    use std::os::unix::ffi::OsStrExt as _;
    use std::process::Command;
    use std::ptr;

    use rustix::io::Errno;
    use rustix::process::Pid;

    /// A program with its words and its environment, in the form that the system takes.
    #[derive(Debug)]
    pub(crate) struct Image {
        /// Where it may be, to be tried in order.
        paths: Vec<CString>,
        words: List,
        environment: List,
        /// For a script that names no program to read it: the shell's words, for each path.
        scripts: Vec<List>,
    }

    /// Strings, and the null-ended list of their addresses.
    #[derive(Debug)]
    struct List {
        addresses: Vec<*const libc::c_char>,
        _strings: Vec<CString>,
    }

    // SAFETY: the addresses are of the strings beside them, which nobody changes.
    unsafe impl Send for List {}
    // SAFETY: as above.
    unsafe impl Sync for List {}

    impl List {
        fn new(strings: Vec<CString>) -> Self {
            let addresses = strings.iter().map(|string| string.as_ptr());
            let addresses = addresses.chain([ptr::null()]).collect();
            Self { addresses, _strings: strings }
        }
    }

    impl Image {
        /// What the command would execute, found as the system finds it: by the `PATH` of its own environment.
        pub(crate) fn of(command: &Command) -> io::Result<Self> {
            let words = [command.get_program()].into_iter().chain(command.get_args());
            let words = words.map(|word| Ok(CString::new(word.as_bytes())?));
            let words: Vec<CString> = words.collect::<io::Result<_>>()?;
            let environment = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
            let environment = environment.map(|(name, value)| {
                Ok(CString::new([name.as_bytes(), b"=", value.as_bytes()].concat())?)
            });
            let environment: Vec<CString> = environment.collect::<io::Result<_>>()?;
            let paths = paths(command)?;
            let scripts = paths.iter().map(|path| {
                let shell = [c"/bin/sh".to_owned(), path.clone()].into_iter();
                List::new(shell.chain(words.iter().skip(1).cloned()).collect())
            });
            let scripts = scripts.collect();
            Ok(Self {
                paths,
                words: List::new(words),
                environment: List::new(environment),
                scripts,
            })
        }

        /// Becomes it. What was wrong, if that cannot be.
        fn execute(&self) -> Errno {
            let environment = self.environment.addresses.as_ptr();
            let mut fault = Errno::NOENT;
            for (path, script) in self.paths.iter().zip(&self.scripts) {
                let words = self.words.addresses.as_ptr();
                // SAFETY: both lists end with a null, and their strings live as long as they.
                unsafe { libc::execve(path.as_ptr(), words, environment) };
                match last_error() {
                    Errno::NOENT | Errno::NOTDIR => {}
                    Errno::NOEXEC => {
                        let shell = c"/bin/sh".as_ptr();
                        // SAFETY: as above.
                        unsafe { libc::execve(shell, script.addresses.as_ptr(), environment) };
                        return last_error();
                    }
                    // Another may be found that may be executed.
                    Errno::ACCESS => fault = Errno::ACCESS,
                    other => return other,
                }
            }
            fault
        }
    }

    fn paths(command: &Command) -> io::Result<Vec<CString>> {
        let program = command.get_program();
        if program.as_bytes().contains(&b'/') {
            return Ok(vec![CString::new(program.as_bytes())?]);
        }
        let folders = command.get_envs().find(|(name, _)| *name == "PATH");
        let folders = folders.and_then(|(_, value)| value).unwrap_or(OsStr::new("/bin:/usr/bin"));
        let found = std::env::split_paths(folders).map(|folder| folder.join(program));
        found.map(|path| Ok(CString::new(path.as_os_str().as_bytes())?)).collect()
    }

    /// What a new process is given by the one that makes it, and what that is told.
    struct Birth<'a> {
        image: &'a Image,
        before: &'a dyn Fn() -> io::Result<()>,
        fault: i32,
    }

    /// For calls on the way to the program.
    const STACK_BYTES: usize = 256 * 1024;

    /// Starts a program as a child, after `before` in the child. Until it has become the program it runs in this
    /// process's memory, while this process waits, so that no memory is copied.
    pub(crate) fn start(
        image: &Image,
        before: &dyn Fn() -> io::Result<()>,
    ) -> rustix::io::Result<Pid> {
        let mut birth = Birth { image, before, fault: 0 };
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK;
        // SAFETY: new memory, wherever the system finds room.
        let stack = unsafe { libc::mmap(ptr::null_mut(), STACK_BYTES, protection, kind, -1, 0) };
        if stack == libc::MAP_FAILED {
            return Err(last_error());
        }
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
        let argument = (&raw mut birth).cast::<libc::c_void>();
        // SAFETY: the child has a stack of its own, of which it is given the upper end, aligned as pages are. This
        // process, which has one thread, goes on only after the child is done with its memory, so that `birth`
        // outlives its use and nobody else touches it.
        let id = unsafe { libc::clone(be_born, stack.byte_add(STACK_BYTES), flags, argument) };
        let child = if id > 0 { Pid::from_raw(id).ok_or(Errno::SRCH) } else { Err(last_error()) };
        // SAFETY: nobody runs on it any more.
        unsafe { libc::munmap(stack, STACK_BYTES) };
        let child = child?;
        if birth.fault == 0 {
            return Ok(child);
        }
        let _ = rustix::process::waitpid(Some(child), rustix::process::WaitOptions::empty());
        Err(Errno::from_raw_os_error(birth.fault))
    }

    extern "C" fn be_born(argument: *mut libc::c_void) -> libc::c_int {
        // SAFETY: `start` gives this pointer, and waits meanwhile.
        let birth = unsafe { &mut *argument.cast::<Birth<'_>>() };
        birth.fault = match (birth.before)() {
            Ok(()) => birth.image.execute().raw_os_error(),
            Err(error) => error.raw_os_error().unwrap_or(libc::EPERM),
        };
        exit(1)
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
