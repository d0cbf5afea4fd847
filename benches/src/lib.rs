//! What the programs share: system calls, how connections are opened, and how late a program is at
//! instants with a constant rate.

use std::error::Error;
use std::io;
use std::time::Duration;

pub mod open;
pub mod socket;

/// Instants with a constant rate, and how late the program was at those that have passed.
pub struct Instants {
    rate_per_s: u64,
    started_ns: u64,
    passed: usize,
    late_ns: Vec<u32>,
}

impl Instants {
    /// Begins a number of seconds of instants.
    pub fn begin(rate_per_s: &str, seconds: &str) -> Result<Self, Box<dyn Error>> {
        let (Ok(rate_per_s), Ok(seconds)) = (rate_per_s.parse::<u64>(), seconds.parse()) else {
            return Err(format!(
                "the rate must be an integer, and the seconds a number: {rate_per_s} {seconds}"
            )
            .into());
        };
        let window_ns = Duration::try_from_secs_f64(seconds)?.as_nanos();
        let instants = usize::try_from(window_ns * u128::from(rate_per_s) / 1_000_000_000)?;
        if instants == 0 {
            return Err(
                "there must be at least one instant: give a higher rate, or more time".into(),
            );
        }
        Ok(Self {
            rate_per_s,
            // A first value other than 0 touches the memory, so that recording faults no pages in.
            late_ns: vec![u32::MAX; instants],
            passed: 0,
            started_ns: now_ns()?,
        })
    }

    /// Returns the next instant, or `None` after the last one.
    pub fn next_ns(&self) -> Option<u64> {
        // The first is due after an interval, so that none is late because of the start.
        let seq = self.passed as u64 + 1;
        (self.passed < self.late_ns.len())
            .then(|| self.started_ns + seq * 1_000_000_000 / self.rate_per_s)
    }

    /// Records that the program has reached an instant, and goes on to the next.
    /// Returns an error if it was more than 4 s late.
    pub fn pass(&mut self, due_ns: u64, now_ns: u64) -> Result<(), Box<dyn Error>> {
        self.late_ns[self.passed] = u32::try_from(now_ns - due_ns)
            .map_err(|error| format!("an instant was more than 4 s late: {error}"))?;
        self.passed += 1;
        Ok(())
    }

    /// Returns the p99.9 of the delays, in nanoseconds.
    pub fn late_p999_ns(mut self) -> u32 {
        self.late_ns.sort_unstable();
        self.late_ns[(self.late_ns.len() * 999).div_ceil(1000) - 1]
    }
}

/// Returns the current instant of `CLOCK_MONOTONIC`, in nanoseconds.
pub fn now_ns() -> io::Result<u64> {
    read_clock(libc::CLOCK_MONOTONIC)
}

/// Returns what a clock of the kernel shows, in nanoseconds.
pub fn read_clock(clock: libc::clockid_t) -> io::Result<u64> {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` lives until the call returns.
    checked(unsafe { libc::clock_gettime(clock, &raw mut time) })?;
    let part = |number: i64| u64::try_from(number).expect("the clock is not negative");
    Ok(part(time.tv_sec) * 1_000_000_000 + part(time.tv_nsec))
}

/// Returns what a system call has returned, or its error if that is -1.
pub fn checked<N: PartialEq + From<i8>>(returned: N) -> io::Result<N> {
    if returned == N::from(-1) {
        Err(io::Error::last_os_error())
    } else {
        Ok(returned)
    }
}
