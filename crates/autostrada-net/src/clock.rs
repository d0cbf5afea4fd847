//! The clocks of the operating system; no other module reads them.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use autostrada_measure::Nanos;
use nix::errno::Errno;
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, ClockNanosleepFlags, clock_gettime, clock_nanosleep};

/// How far `CLOCK_MONOTONIC` is ahead of the clock of this process, in nanoseconds.
static AHEAD_NS: AtomicI64 = AtomicI64::new(0);

/// Makes the clock of this process that of a host, whose `CLOCK_MONOTONIC` this machine's is
/// `ahead_ns` ahead of. Called before any instant is read.
pub fn set_ahead(ahead_ns: i64) {
    AHEAD_NS.store(ahead_ns, Ordering::Relaxed);
}

/// Returns the current instant, in nanoseconds: `CLOCK_MONOTONIC`, or that of the host that
/// [`set_ahead`] names.
pub fn now() -> Nanos {
    read(ClockId::CLOCK_MONOTONIC).wrapping_add_signed(-AHEAD_NS.load(Ordering::Relaxed))
}

/// Returns the instant of `CLOCK_MONOTONIC` that is `at` by the clock of this process.
pub(crate) fn monotonic(at: Nanos) -> TimeSpec {
    let at = at.saturating_add_signed(AHEAD_NS.load(Ordering::Relaxed));
    TimeSpec::from_duration(Duration::from_nanos(at.max(1)))
}

/// Returns the nanoseconds since 1970 (`CLOCK_REALTIME`), for texts that other programs read.
pub fn unix_ns() -> u64 {
    read(ClockId::CLOCK_REALTIME)
}

/// Returns the CPU time of this thread so far, user and system, in nanoseconds.
pub fn thread_cpu() -> Nanos {
    read(ClockId::CLOCK_THREAD_CPUTIME_ID)
}

/// Returns the CPU time of this process so far, user and system, in nanoseconds.
pub fn process_cpu() -> Nanos {
    read(ClockId::CLOCK_PROCESS_CPUTIME_ID)
}

/// Sleeps until the instant `at`; returns at once if it has passed.
pub fn sleep_until(at: Nanos) {
    let at = monotonic(at);
    let flags = ClockNanosleepFlags::TIMER_ABSTIME;
    while clock_nanosleep(ClockId::CLOCK_MONOTONIC, flags, &at) == Err(Errno::EINTR) {}
}

fn read(clock: ClockId) -> Nanos {
    let time = clock_gettime(clock).expect("Linux has this clock");
    let seconds: Nanos = time
        .tv_sec()
        .try_into()
        .expect("these clocks start at zero");
    let nanos: Nanos = time
        .tv_nsec()
        .try_into()
        .expect("below one thousand million");
    seconds * 1_000_000_000 + nanos
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_forward_and_faster_than_the_cpu_time_of_one_thread() {
        let (before, cpu_before) = (now(), thread_cpu());
        let (cpu_after, after) = (thread_cpu(), now());
        assert!(before <= after);
        assert!(cpu_before <= cpu_after);
        assert!(cpu_after - cpu_before <= after - before);
        assert!(process_cpu() >= cpu_after);
    }

    #[test]
    fn sleeps_until_an_instant_and_not_at_all_if_it_has_passed() {
        let at = now() + 2_000_000;
        sleep_until(at);
        assert!(now() >= at);
        sleep_until(at);
    }
}
