//! Work shared by threads that make more of it while they work.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A stack of work; it is done when it is empty and nobody works.
#[derive(Debug)]
pub(super) struct Queue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

#[derive(Debug)]
struct State<T> {
    waiting: Vec<T>,
    working: usize,
}

impl<T> Queue<T> {
    pub(super) fn new(first: T) -> Self {
        let state = State { waiting: vec![first], working: 0 };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Adds work.
    pub(super) fn push(&self, work: T) {
        self.lock().waiting.push(work);
        self.changed.notify_one();
    }

    /// Works until all is done, by this thread and the others.
    pub(super) fn work(&self, mut each: impl FnMut(T)) {
        while let Some(work) = self.take() {
            // Counted down even by a panic: the others must not wait for ever.
            let _working = Working(self);
            each(work);
        }
    }

    fn take(&self) -> Option<T> {
        let mut state = self.lock();
        loop {
            if let Some(work) = state.waiting.pop() {
                state.working += 1;
                return Some(work);
            }
            if state.working == 0 {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Working<'q, T>(&'q Queue<T>);

impl<T> Drop for Working<'_, T> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.working -= 1;
        if state.working == 0 && state.waiting.is_empty() {
            self.0.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn all_work_is_done_once() {
        let queue = Queue::new(12_u32);
        let done = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    queue.work(|depth| {
                        done.fetch_add(1, Ordering::Relaxed);
                        if depth > 0 {
                            queue.push(depth - 1);
                            queue.push(depth - 1);
                        }
                    });
                });
            }
        });
        assert_eq!(done.load(Ordering::Relaxed), (1 << 13) - 1);
    }

    #[test]
    fn a_panic_does_not_leave_the_others_waiting() {
        let queue = Queue::new(());
        let outcome = thread::scope(|scope| {
            let first = scope.spawn(|| queue.work(|()| panic!("on purpose")));
            queue.work(|()| {});
            first.join()
        });
        drop(outcome);
        assert_eq!(queue.lock().working, 0);
    }
}
