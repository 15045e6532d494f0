//! An allocator that counts: what a piece of work held at most, and how often it asked.
#![expect(
    unsafe_code,
    reason = "the trait of allocators is unsafe; every call is handed on unchanged to the system's"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The system's allocator, counted. Install it in a benchmark or test binary:
///
/// ```
/// use contract_testkit::CountingAllocator;
///
/// #[global_allocator]
/// static MEMORY: CountingAllocator = CountingAllocator::new();
///
/// let (_, use_of_memory) = MEMORY.measure(|| vec![0_u8; 1000]);
/// assert!(use_of_memory.peak_bytes >= 1000);
/// ```
#[derive(Debug, Default)]
pub struct CountingAllocator {
    held: AtomicUsize,
    peak: AtomicUsize,
    allocations: AtomicUsize,
}

/// What a piece of work used. Counts every thread of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryUse {
    /// The most bytes held at once, beyond what was held before.
    pub peak_bytes: usize,
    /// Bytes still held afterwards, beyond what was held before.
    pub kept_bytes: usize,
    /// How many allocations and reallocations were made.
    pub allocations: usize,
}

impl CountingAllocator {
    /// An allocator that has counted nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            held: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            allocations: AtomicUsize::new(0),
        }
    }

    /// Runs `work` and says what it used.
    pub fn measure<T>(&self, work: impl FnOnce() -> T) -> (T, MemoryUse) {
        let held = self.held.load(Ordering::Relaxed);
        let allocations = self.allocations.load(Ordering::Relaxed);
        self.peak.store(held, Ordering::Relaxed);
        let result = work();
        let used = MemoryUse {
            peak_bytes: self.peak.load(Ordering::Relaxed).saturating_sub(held),
            kept_bytes: self.held.load(Ordering::Relaxed).saturating_sub(held),
            allocations: self.allocations.load(Ordering::Relaxed) - allocations,
        };
        (result, used)
    }

    fn grow(&self, bytes: usize) {
        let held = self.held.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.peak.fetch_max(held, Ordering::Relaxed);
        self.allocations.fetch_add(1, Ordering::Relaxed);
    }

    fn shrink(&self, bytes: usize) {
        self.held.fetch_sub(bytes, Ordering::Relaxed);
    }
}

// SAFETY: every method hands its arguments on to the system's allocator unchanged and returns what that
// returned; the counting touches atomics only and never allocates.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.grow(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`, which is the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        self.shrink(layout.size());
        // SAFETY: as for `alloc`.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.grow(layout.size());
        // SAFETY: as for `alloc`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Large blocks are moved by remapping, so the old and the new are not held side by side.
        self.shrink(layout.size());
        self.grow(size);
        // SAFETY: as for `alloc`.
        unsafe { System.realloc(block, layout, size) }
    }
}
