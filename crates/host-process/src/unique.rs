//! Names that nothing else has.

use std::hash::{BuildHasher as _, RandomState};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Letters, digits and underscores: this process, the time, a count, and what cannot be guessed.
pub(crate) fn unique() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let random = RandomState::new().hash_one(number);
    format!("{}_{now}_{number}_{random:016x}", process::id())
}
