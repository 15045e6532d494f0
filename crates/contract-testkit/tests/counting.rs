//! What a piece of work held in memory.

use contract_testkit::CountingAllocator;

#[global_allocator]
static MEMORY: CountingAllocator = CountingAllocator::new();

// Other tests allocate beside this one, so what is measured here is large and the bounds are wide.
#[test]
fn peak_and_rest_are_told_apart() {
    const MIB: usize = 1024 * 1024;
    let (kept, used) = MEMORY.measure(|| {
        drop(vec![1_u8; 300 * MIB]);
        vec![1_u8; 100 * MIB]
    });
    assert!((300 * MIB..350 * MIB).contains(&used.peak_bytes), "{used:?}");
    assert!((100 * MIB..150 * MIB).contains(&used.kept_bytes), "{used:?}");
    assert!(used.allocations >= 2, "{used:?}");
    drop(kept);
}
