//! The minimal program that waits for instants at a constant rate.
//!
//! `bare-timer RATE_PER_S SECONDS` waits with `epoll_pwait2` on an empty `epoll(7)`, and does
//! nothing at an instant but record how late it is. It prints quantiles of the delays and the
//! number of wakes, as JSON.
#![expect(clippy::print_stdout, reason = "stdout is its result")]

use std::io;
use std::ptr;
use std::time::Duration;

const USAGE: &str = "usage: bare-timer RATE_PER_S SECONDS";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [rate_per_s, seconds] = &arguments[..] else {
        return Err(USAGE.into());
    };
    let (Ok(rate_per_s), Ok(seconds)) = (rate_per_s.parse::<u64>(), seconds.parse()) else {
        return Err(USAGE.into());
    };
    let window_ns = Duration::try_from_secs_f64(seconds)?.as_nanos();
    let instants = usize::try_from(window_ns * u128::from(rate_per_s) / 1_000_000_000)?;
    if instants == 0 {
        return Err("there must be at least one instant: give a higher rate, or more time".into());
    }
    let timer = Timer::new(rate_per_s)?;
    // A first value other than 0 touches the memory, so that recording faults no pages in.
    let mut late_ns = vec![u32::MAX; instants];
    let wakes = timer.run(&mut late_ns)?;
    late_ns.sort_unstable();
    let quantile = |per_mille: usize| late_ns[(late_ns.len() * per_mille).div_ceil(1000) - 1];
    println!(
        r#"{{"late_p50_ns":{},"late_p99_ns":{},"late_p999_ns":{},"wakes":{wakes}}}"#,
        quantile(500),
        quantile(990),
        quantile(999),
    );
    Ok(())
}

struct Timer {
    /// An `epoll(7)` that watches nothing.
    descriptor: i32,
    rate_per_s: u64,
}

impl Timer {
    fn new(rate_per_s: u64) -> io::Result<Self> {
        // SAFETY: the call takes a flag and returns a descriptor, or -1.
        match unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) } {
            -1 => Err(io::Error::last_os_error()),
            descriptor => Ok(Self {
                descriptor,
                rate_per_s,
            }),
        }
    }

    /// Records how late each instant is; returns the number of times the program slept.
    fn run(&self, late_ns: &mut [u32]) -> Result<u64, Box<dyn std::error::Error>> {
        let mut wakes = 0;
        let started_ns = now_ns()?;
        for (seq, late_ns) in (0..).zip(late_ns) {
            // The first is due after an interval, so that none is late because of the start.
            let due_ns = started_ns + (seq + 1) * 1_000_000_000 / self.rate_per_s;
            let mut now = now_ns()?;
            while now < due_ns {
                self.sleep(due_ns - now)?;
                wakes += 1;
                now = now_ns()?;
            }
            *late_ns = u32::try_from(now - due_ns)
                .map_err(|error| format!("an instant was more than 4 s late: {error}"))?;
        }
        Ok(wakes)
    }

    fn sleep(&self, time_ns: u64) -> io::Result<()> {
        let part = |ns: u64| i64::try_from(ns).expect("an interval is short");
        let timeout = libc::timespec {
            tv_sec: part(time_ns / 1_000_000_000),
            tv_nsec: part(time_ns % 1_000_000_000),
        };
        let mut event = libc::epoll_event { events: 0, u64: 0 };
        // SAFETY: there is room for one event, the timeout lives until the call returns, and no
        // signal mask is given.
        let status = unsafe {
            libc::syscall(
                libc::SYS_epoll_pwait2,
                self.descriptor,
                &raw mut event,
                1,
                &raw const timeout,
                ptr::null::<libc::sigset_t>(),
                size_of::<u64>(),
            )
        };
        match io::Error::last_os_error() {
            error if status == -1 && error.kind() != io::ErrorKind::Interrupted => Err(error),
            _ => Ok(()),
        }
    }
}

fn now_ns() -> io::Result<u64> {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` lives until the call returns.
    if unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let part = |number: i64| u64::try_from(number).expect("the clock is not negative");
    Ok(part(time.tv_sec) * 1_000_000_000 + part(time.tv_nsec))
}
