//! Memory that a decoder holds, counted by the allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static IS_COUNTING: Cell<bool> = const { Cell::new(false) };
    static HELD_BYTES: Cell<isize> = const { Cell::new(0) };
    static HELD_BYTES_MAX: Cell<isize> = const { Cell::new(0) };
}

/// The system allocator, which counts what a decoder allocates.
pub struct Counting;

// SAFETY: every call is forwarded unchanged; counting is a side effect.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: the caller keeps to the contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, layout.size());
        // SAFETY: the caller keeps to the contract, which is the same.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count(new_size, layout.size());
        // SAFETY: the caller keeps to the contract, which is the same.
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

fn count(more_bytes: usize, fewer_bytes: usize) {
    if IS_COUNTING.get() {
        let held = HELD_BYTES
            .get()
            .wrapping_add_unsigned(more_bytes)
            .wrapping_sub_unsigned(fewer_bytes);
        HELD_BYTES.set(held);
        HELD_BYTES_MAX.set(HELD_BYTES_MAX.get().max(held));
    }
}

/// Begins to count for another decoder.
pub fn reset() {
    HELD_BYTES.set(0);
    HELD_BYTES_MAX.set(0);
}

/// Calls a decoder and counts its allocations.
pub fn count_allocations<T>(call: impl FnOnce() -> T) -> T {
    IS_COUNTING.set(true);
    let answer = call();
    IS_COUNTING.set(false);
    answer
}

/// Converts the result of a decoder without counting allocations.
pub fn without_counting<T>(call: impl FnOnce() -> T) -> T {
    let was_counting = IS_COUNTING.replace(false);
    let answer = call();
    IS_COUNTING.set(was_counting);
    answer
}

/// Peak of the bytes that the decoder held, over all of its calls.
pub fn held_bytes_max() -> usize {
    usize::try_from(HELD_BYTES_MAX.get()).expect("the peak is at least zero")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_includes_freed_memory() {
        reset();
        let kept = count_allocations(|| {
            drop(Vec::<u8>::with_capacity(1_000));
            Vec::<u8>::with_capacity(500)
        });
        assert_eq!(held_bytes_max(), 1_000);
        count_allocations(|| {
            drop(without_counting(|| Box::new([0_u8; 10_000])));
            drop(kept);
        });
        assert_eq!(held_bytes_max(), 1_000);
    }
}
