//! The clock of the contract: clause 2.4.

use std::time::Duration;

pub const SECOND_NS: u64 = 1_000_000_000;

/// The present, as nanoseconds of `CLOCK_MONOTONIC`. `Instant` has the same clock, and hides them.
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

/// How long it is from one instant to another; nothing where that is over.
pub fn duration_between(now_ns: u64, then_ns: u64) -> Duration {
    Duration::from_nanos(then_ns.saturating_sub(now_ns))
}
