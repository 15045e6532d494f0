//! The engine's memory: the system's, up to a limit whose hits are noted.

use std::cell::Cell;
use std::ptr;
use std::rc::Rc;

use rquickjs::allocator::Allocator;

use crate::sandbox;

/// Counts what the engine has.
pub(super) struct Heap {
    left: usize,
    /// The engine was refused memory.
    refused: Rc<Cell<bool>>,
}

impl Heap {
    pub(super) fn new(bytes: usize, refused: Rc<Cell<bool>>) -> Self {
        Self { left: bytes, refused }
    }

    fn may_have(&self, bytes: usize) -> bool {
        if bytes > self.left {
            self.note_refused();
            return false;
        }
        true
    }

    fn note_refused(&self) {
        self.refused.set(true);
        sandbox::note_no_memory();
    }

    /// Counts what was given, which may be a little more than was asked for.
    fn gave(&mut self, given: *mut u8) -> *mut u8 {
        if given.is_null() {
            self.note_refused();
        } else {
            self.left = self.left.saturating_sub(usable(given));
        }
        given
    }
}

fn usable(pointer: *mut u8) -> usize {
    // SAFETY: `pointer` came from the system's allocator and was not freed.
    unsafe { libc::malloc_usable_size(pointer.cast()) }
}

// SAFETY: all memory is the system allocator's, whose promises are those asked for here; the counting changes none.
unsafe impl Allocator for Heap {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        if !self.may_have(size) {
            return ptr::null_mut();
        }
        // SAFETY: any size may be asked for.
        let given = unsafe { libc::malloc(size) };
        self.gave(given.cast())
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        let bytes = count.checked_mul(size);
        if !bytes.is_some_and(|bytes| self.may_have(bytes)) {
            return ptr::null_mut();
        }
        // SAFETY: any size may be asked for.
        let given = unsafe { libc::calloc(count, size) };
        self.gave(given.cast())
    }

    unsafe fn dealloc(&mut self, pointer: *mut u8) {
        if pointer.is_null() {
            return;
        }
        self.left += usable(pointer);
        // SAFETY: the caller gives back what it was given, once.
        unsafe { libc::free(pointer.cast()) }
    }

    unsafe fn realloc(&mut self, pointer: *mut u8, size: usize) -> *mut u8 {
        let before = if pointer.is_null() { 0 } else { usable(pointer) };
        if !self.may_have(size.saturating_sub(before)) {
            return ptr::null_mut();
        }
        // SAFETY: the caller gives what it was given, or null.
        let given = unsafe { libc::realloc(pointer.cast(), size) };
        if !given.is_null() || size == 0 {
            self.left += before;
        }
        if size == 0 && given.is_null() {
            return ptr::null_mut();
        }
        self.gave(given.cast())
    }

    unsafe fn usable_size(pointer: *mut u8) -> usize {
        usable(pointer)
    }
}
