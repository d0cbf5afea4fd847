//! Memory that a decoder holds, counted by the allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static IS_COUNTING: Cell<bool> = const { Cell::new(false) };
    static HELD_BYTES: Cell<isize> = const { Cell::new(0) };
    static HELD_BYTES_MAX: Cell<isize> = const { Cell::new(0) };
}

/// The system allocator, which counts the allocations of a [`Meter`].
pub struct Counting;

// SAFETY: every call is forwarded unchanged; counting is a side effect.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: the caller keeps to the contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: the caller keeps to the contract, which is the same.
        unsafe { System.alloc_zeroed(layout) }
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

/// The memory that one decoder has allocated, over all of its calls.
#[derive(Debug, Default)]
pub struct Meter {
    held_bytes: isize,
    held_bytes_max: isize,
}

impl Meter {
    /// Calls a decoder and counts its allocations.
    pub fn count<T>(&mut self, call: impl FnOnce() -> T) -> T {
        HELD_BYTES.set(self.held_bytes);
        HELD_BYTES_MAX.set(self.held_bytes_max);
        IS_COUNTING.set(true);
        let answer = call();
        IS_COUNTING.set(false);
        self.held_bytes = HELD_BYTES.get();
        self.held_bytes_max = HELD_BYTES_MAX.get();
        answer
    }

    /// Peak of the allocated bytes.
    pub fn bytes_max(&self) -> usize {
        usize::try_from(self.held_bytes_max).unwrap_or(0)
    }
}

/// Converts the result of a decoder without counting allocations.
pub fn uncounted<T>(call: impl FnOnce() -> T) -> T {
    let was_counting = IS_COUNTING.replace(false);
    let answer = call();
    IS_COUNTING.set(was_counting);
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_includes_freed_memory() {
        let mut meter = Meter::default();
        let kept = meter.count(|| {
            drop(Vec::<u8>::with_capacity(1_000));
            Vec::<u8>::with_capacity(500)
        });
        assert_eq!(meter.bytes_max(), 1_000);
        meter.count(|| {
            drop(uncounted(|| Box::new([0_u8; 10_000])));
            drop(kept);
        });
        assert_eq!(meter.bytes_max(), 1_000);
    }
}
