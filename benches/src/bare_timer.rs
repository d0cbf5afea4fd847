//! The minimal program that waits for instants at a constant rate.
//!
//! `bare-timer RATE_PER_S SECONDS` waits with `epoll_pwait2` on an empty `epoll(7)`, and does
//! nothing at an instant but record how late it is. It prints the p99.9 of the delays, in nanoseconds.
#![expect(clippy::print_stdout, reason = "stdout is its result")]

use std::error::Error;
use std::io;
use std::ptr;

use autostrada_benches::{Instants, checked, now_ns};

const USAGE: &str = "usage: bare-timer RATE_PER_S SECONDS";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [rate_per_s, seconds] = &arguments[..] else {
        return Err(USAGE.into());
    };
    // An `epoll(7)` that watches nothing.
    // SAFETY: the call takes a flag and returns a descriptor, or -1.
    let descriptor = checked(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })?;
    let mut instants = Instants::begin(rate_per_s, seconds)?;
    while let Some(due_ns) = instants.next_ns() {
        let mut now = now_ns()?;
        while now < due_ns {
            sleep(descriptor, due_ns - now)?;
            now = now_ns()?;
        }
        instants.pass(due_ns, now)?;
    }
    println!("{}", instants.late_p999_ns());
    Ok(())
}

fn sleep(descriptor: i32, time_ns: u64) -> io::Result<()> {
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
            descriptor,
            &raw mut event,
            1,
            &raw const timeout,
            ptr::null::<libc::sigset_t>(),
            size_of::<u64>(),
        )
    };
    match checked(status) {
        Err(error) if error.kind() != io::ErrorKind::Interrupted => Err(error),
        _ => Ok(()),
    }
}
