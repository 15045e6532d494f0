//! Whether a program in front waits for typed input, as the kernel tells it: a thread that sleeps in a read of
//! the terminal, or in a wait for it among other things.
//!
//! Only on Linux, and only where `/proc` says in which call a thread is. Elsewhere, and for what it does not
//! know, the answer is no; nothing depends on a yes.

use super::WaitingReader;

#[cfg(not(target_os = "linux"))]
pub(super) fn waiting_reader(_: i32, _: i32) -> Option<WaitingReader> {
    None
}

#[cfg(target_os = "linux")]
pub(super) fn waiting_reader(shell: i32, front: i32) -> Option<WaitingReader> {
    linux::waiting_reader(shell, front)
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::{self, File};
    use std::os::unix::fs::FileExt as _;
    use std::path::{Path, PathBuf};

    use super::WaitingReader;

    /// Processes below a shell that are looked at.
    const PROCESSES_MAX: usize = 256;
    /// Threads of a process that are looked at.
    const THREADS_MAX: usize = 64;
    /// Descriptors of one wait that are looked at.
    const DESCRIPTORS_MAX: usize = 1024;

    /// Numbers of the calls that wait for input.
    struct Calls {
        read: &'static [u64],
        poll: &'static [u64],
        select: &'static [u64],
        epoll: &'static [u64],
    }

    #[cfg(target_arch = "x86_64")]
    const CALLS: Calls =
        Calls { read: &[0, 19], poll: &[7, 271], select: &[23, 270], epoll: &[232, 281, 441] };
    #[cfg(any(target_arch = "aarch64", target_arch = "riscv64"))]
    const CALLS: Calls = Calls { read: &[63, 65], poll: &[73], select: &[72], epoll: &[22, 441] };
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
    const CALLS: Calls = Calls { read: &[], poll: &[], select: &[], epoll: &[] };

    pub(super) fn waiting_reader(shell: i32, front: i32) -> Option<WaitingReader> {
        let terminal = fs::read_link(format!("/proc/{shell}/fd/0")).ok()?;
        let processes = family(shell);
        processes.iter().filter(|process| group(**process) == Some(front)).find_map(|process| {
            let tasks = fs::read_dir(format!("/proc/{process}/task")).ok()?;
            let threads = tasks.flatten().take(THREADS_MAX).map(|task| task.path());
            threads.filter_map(|task| reader(*process, &task, &terminal)).next()
        })
    }

    /// A process and what it started, by parent.
    fn family(root: i32) -> Vec<i32> {
        let mut found = vec![root];
        let mut next = 0;
        while let Some(process) = found.get(next).copied().filter(|_| found.len() < PROCESSES_MAX) {
            next += 1;
            let Ok(tasks) = fs::read_dir(format!("/proc/{process}/task")) else { continue };
            for task in tasks.flatten().take(THREADS_MAX) {
                let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
                found.extend(children.split_whitespace().filter_map(|id| id.parse::<i32>().ok()));
            }
        }
        found
    }

    fn group(process: i32) -> Option<i32> {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The name, in parentheses, may hold anything.
        let (_, rest) = stat.rsplit_once(')')?;
        rest.split_whitespace().nth(2)?.parse().ok()
    }

    fn reader(process: i32, task: &Path, terminal: &Path) -> Option<WaitingReader> {
        let call = Call::of(task)?;
        let is_terminal = |descriptor: u64| {
            let target = fs::read_link(format!("/proc/{process}/fd/{descriptor}"));
            target.is_ok_and(|target| target == terminal || target == Path::new("/dev/tty"))
        };
        if !call.descriptors(process).into_iter().any(is_terminal) {
            return None;
        }
        let thread = task.file_name()?.to_str()?.parse().ok()?;
        Some(WaitingReader { thread, waits: waits(task)? })
    }

    /// The call a thread sleeps in.
    struct Call {
        number: u64,
        arguments: [u64; 2],
    }

    impl Call {
        /// None while it runs.
        fn of(task: &Path) -> Option<Self> {
            let text = fs::read_to_string(task.join("syscall")).ok()?;
            let mut words = text.split_whitespace();
            let number = words.next()?.parse().ok()?;
            let mut argument =
                || u64::from_str_radix(words.next()?.trim_start_matches("0x"), 16).ok();
            Some(Self { number, arguments: [argument()?, argument()?] })
        }

        /// The descriptors it waits for to become readable.
        fn descriptors(&self, process: i32) -> Vec<u64> {
            let [first, second] = self.arguments;
            let is = |numbers: &[u64]| numbers.contains(&self.number);
            if is(CALLS.read) {
                vec![first]
            } else if is(CALLS.poll) {
                polled(process, first, second).unwrap_or_default()
            } else if is(CALLS.select) {
                selected(process, first, second).unwrap_or_default()
            } else if is(CALLS.epoll) {
                let path = PathBuf::from(format!("/proc/{process}/fdinfo/{first}"));
                fs::read_to_string(path).map(|text| watched(&text)).unwrap_or_default()
            } else {
                Vec::new()
            }
        }
    }

    fn memory(process: i32, address: u64, bytes: usize) -> Option<Vec<u8>> {
        let mut read = vec![0; bytes];
        let memory = File::open(format!("/proc/{process}/mem")).ok()?;
        memory.read_exact_at(&mut read, address).ok()?;
        Some(read)
    }

    /// An array of descriptor, events wanted and events had.
    fn polled(process: i32, address: u64, count: u64) -> Option<Vec<u64>> {
        const INPUT: u16 = 1;
        let count = usize::try_from(count).ok()?.min(DESCRIPTORS_MAX);
        let bytes = memory(process, address, count * 8)?;
        let wanted = bytes.as_chunks::<8>().0.iter().filter_map(|[a, b, c, d, low, high, ..]| {
            let descriptor = i32::from_ne_bytes([*a, *b, *c, *d]);
            let wants_input = u16::from_ne_bytes([*low, *high]) & INPUT != 0;
            u64::try_from(descriptor).ok().filter(|_| wants_input)
        });
        Some(wanted.collect())
    }

    /// A bit for each descriptor.
    fn selected(process: i32, count: u64, address: u64) -> Option<Vec<u64>> {
        let count = usize::try_from(count).ok()?.min(DESCRIPTORS_MAX);
        let bytes = memory(process, address, count.div_ceil(8))?;
        let is_set = |at: &usize| bytes.get(at / 8).is_some_and(|byte| byte & (1 << (at % 8)) != 0);
        Some((0..count).filter(is_set).filter_map(|at| u64::try_from(at).ok()).collect())
    }

    /// What an epoll descriptor watches for input, as `/proc` tells it.
    fn watched(info: &str) -> Vec<u64> {
        let lines = info.lines().filter_map(|line| line.strip_prefix("tfd:"));
        let watched = lines.filter_map(|line| {
            let mut words = line.split_whitespace();
            let descriptor = words.next()?.parse().ok()?;
            let events = words.find(|word| *word != "events:")?;
            (u64::from_str_radix(events, 16).ok()? & 1 != 0).then_some(descriptor)
        });
        watched.take(DESCRIPTORS_MAX).collect()
    }

    fn waits(task: &Path) -> Option<u64> {
        let status = fs::read_to_string(task.join("status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
        line.trim().parse().ok()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn what_an_epoll_descriptor_watches() {
            let info = "pos:\t0\ntfd:        0 events:       19 data: 0\n\
                        tfd:        5 events:       1c data: 5\n";
            assert_eq!(watched(info), [0]);
        }
    }
}
