//! Bounds of the kernel on this process.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::config::Limits;

/// What the process needs of memory beside heap and values.
const BASE_BYTES: u64 = 512 << 20;
/// Stack for reading a program that is nested deeply; pages of it are taken as they are touched.
const STACK_BYTES: u64 = 64 << 20;
/// Seconds of processor time beyond the limit on compute: the last resort behind its alarm.
const SPARE_SECONDS: u64 = 10;

/// Sets all bounds. Whether all could be set.
pub(super) fn apply(limits: &Limits) -> bool {
    raise_stack();
    let values = 4 * limits.payload_bytes() as u64;
    let memory = limits.heap_bytes as u64 + values + BASE_BYTES;
    let seconds = limits.compute_ms.div_ceil(1000) + SPARE_SECONDS;
    [
        (Resource::As, memory),
        (Resource::Cpu, seconds),
        (Resource::Core, 0),
        (Resource::Fsize, 0),
        (Resource::Nproc, 0),
    ]
    .into_iter()
    .all(|(resource, most)| lower(resource, most))
}

fn lower(resource: Resource, most: u64) -> bool {
    let before = getrlimit(resource);
    let most = before.maximum.map_or(most, |maximum| maximum.min(most));
    setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) }).is_ok()
}

fn raise_stack() {
    let before = getrlimit(Resource::Stack);
    let most = before.maximum.map_or(STACK_BYTES, |maximum| maximum.min(STACK_BYTES));
    if before.current.is_some_and(|current| current < most) {
        // With less, a program nested more deeply is refused.
        let _ = setrlimit(Resource::Stack, Rlimit { current: Some(most), ..before });
    }
}
