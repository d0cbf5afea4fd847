//! The clock of `docs/contract.md`, clause 2.4.

use std::time::Duration;

pub const SECOND_NS: u64 = 1_000_000_000;

/// Returns the present, in nanoseconds of `CLOCK_MONOTONIC`. `Instant` reads the same clock but
/// does not expose the value.
#[must_use]
pub fn monotonic_ns() -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is a valid place for the kernel to write to.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    assert_eq!(status, 0, "Linux always has this clock");
    now.tv_sec.cast_unsigned() * SECOND_NS + now.tv_nsec.cast_unsigned()
}

/// Returns the time from `now_ns` to `then_ns`, or zero if `then_ns` has passed.
pub fn duration_between(now_ns: u64, then_ns: u64) -> Duration {
    Duration::from_nanos(then_ns.saturating_sub(now_ns))
}
