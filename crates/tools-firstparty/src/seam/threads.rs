//! Threads for one piece of work, as many as there are to be had.

use std::thread::Builder;

/// Does `work` on this thread and on up to `count - 1` others at once; gives what each came to. A thread
/// that the system does not give is done without.
pub(super) fn together<T: Send>(
    count: usize,
    thread: impl Fn() -> Builder,
    work: impl Fn() -> T + Sync,
) -> Vec<T> {
    let work = &work;
    std::thread::scope(|scope| {
        let spawn = |_| thread().spawn_scoped(scope, work).ok();
        let others: Vec<_> = (1..count).map_while(spawn).collect();
        let mut parts = vec![work()];
        for other in others {
            match other.join() {
                Ok(part) => parts.push(part),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        parts
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_gives_its_part() {
        assert_eq!(together(3, Builder::new, || 1), [1; 3]);
        assert_eq!(together(0, Builder::new, || 1), [1]);
    }

    #[test]
    fn this_thread_does_what_the_others_cannot() {
        // No system has room for such a stack.
        let thread = || Builder::new().stack_size(1 << 50);
        assert_eq!(together(4, thread, || 1), [1]);
    }
}
