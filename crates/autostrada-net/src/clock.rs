//! The clocks of the operating system; no other module reads them.

use std::time::Duration;

use autostrada_measure::Nanos;
use nix::errno::Errno;
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, ClockNanosleepFlags, clock_gettime, clock_nanosleep};

/// Returns the current instant (`CLOCK_MONOTONIC`), in nanoseconds.
#[must_use]
pub fn now() -> Nanos {
    read(ClockId::CLOCK_MONOTONIC)
}

/// Returns the nanoseconds since 1970 (`CLOCK_REALTIME`), for texts that other programs read.
#[must_use]
pub fn unix_ns() -> u64 {
    read(ClockId::CLOCK_REALTIME)
}

/// Returns the CPU time of this thread so far, user and system, in nanoseconds.
#[must_use]
pub fn thread_cpu() -> Nanos {
    read(ClockId::CLOCK_THREAD_CPUTIME_ID)
}

/// Returns the CPU time of this process so far, user and system, in nanoseconds.
#[must_use]
pub fn process_cpu() -> Nanos {
    read(ClockId::CLOCK_PROCESS_CPUTIME_ID)
}

/// Sleeps until the instant `at` (`CLOCK_MONOTONIC`); returns at once if it has passed.
pub fn sleep_until(at: Nanos) {
    let at = TimeSpec::from_duration(Duration::from_nanos(at));
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
