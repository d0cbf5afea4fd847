//! The only place that asks the operating system for the time.

use autostrada_measure::Nanos;
use nix::time::{ClockId, clock_gettime};

/// This instant, `CLOCK_MONOTONIC`.
#[must_use]
pub fn now() -> Nanos {
    read(ClockId::CLOCK_MONOTONIC)
}

/// The CPU time that this thread has used so far, user and system.
#[must_use]
pub fn thread_cpu() -> Nanos {
    read(ClockId::CLOCK_THREAD_CPUTIME_ID)
}

/// The CPU time that all threads of this process have used so far, user and system.
#[must_use]
pub fn process_cpu() -> Nanos {
    read(ClockId::CLOCK_PROCESS_CPUTIME_ID)
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
}
