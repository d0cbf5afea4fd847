//! Fetches values into the processor's cache before they are needed.

/// Size of a line of the cache.
#[cfg(target_arch = "x86_64")]
const LINE_BYTES: usize = 64;

/// Begins to fetch all of a value into the cache, without waiting.
///
/// While a system call runs, the kernel replaces what the cache had of this process.
#[inline]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let begin = std::ptr::from_ref(value).cast::<i8>();
        for offset in (0..size_of::<T>()).step_by(LINE_BYTES) {
            // SAFETY: the address is within `value`, and nothing is read from it.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(begin.add(offset)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
