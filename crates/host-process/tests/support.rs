//! Looking for what a test left behind.

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use host_process::{Command, Finished};

/// How often a process whose command line or environment holds `mark` is there, zombies included.
pub(crate) fn alive(mark: &str) -> usize {
    let mut count = 0;
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        if entry.file_name().to_str().is_none_or(|name| name.parse::<u32>().is_err()) {
            continue;
        }
        let text = |name: &str| fs::read(entry.path().join(name)).unwrap_or_default();
        let holds = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).contains(mark);
        if holds(text("cmdline")) || holds(text("environ")) {
            count += 1;
        }
    }
    count
}

/// Zombies whose parent is this process.
pub(crate) fn zombies() -> usize {
    let me = std::process::id().to_string();
    let states = fs::read_dir("/proc").unwrap().flatten();
    states
        .filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok())
        .filter(|stat| {
            let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
            let mut fields = rest.split_ascii_whitespace();
            fields.next() == Some("Z") && fields.next() == Some(me.as_str())
        })
        .count()
}

pub(crate) fn until(mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(10), "it never came to hold");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub(crate) fn run(script: &str) -> Finished {
    Command::shell(script).start().wait().unwrap()
}

pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: std::sync::Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = std::sync::Arc::new(Unpark(std::thread::current())).into();
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut std::task::Context::from_waker(&waker)) {
            std::task::Poll::Ready(output) => return output,
            std::task::Poll::Pending => std::thread::park(),
        }
    }
}

/// A number that no other command line holds.
pub(crate) fn new_mark() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(1000);
    format!("{}.{}", NEXT.fetch_add(1, Ordering::Relaxed), std::process::id())
}
