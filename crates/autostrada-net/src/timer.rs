//! A timer that wakes the poller, with a finer resolution than the milliseconds of `epoll_wait(2)`.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use autostrada_measure::Nanos;
use mio::unix::SourceFd;
use mio::{Interest, Registry, Token};
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};

use crate::clock;

/// A timer (`timerfd_create(2)`) on `CLOCK_MONOTONIC`, to be registered with a poller.
///
/// Unlike a `Waker` it is created before the poller that it wakes. So another thread also wakes by it
/// that of a thread which has copied its descriptor table since.
#[derive(Debug)]
pub struct Timer {
    inner: TimerFd,
}

impl Timer {
    /// Creates a timer that is not set.
    pub fn new() -> io::Result<Self> {
        let flags = TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC;
        let inner = TimerFd::new(ClockId::CLOCK_MONOTONIC, flags)?;
        Ok(Self { inner })
    }

    /// Sets the timer to the instant `at`, which replaces an earlier one.
    ///
    /// An instant that has passed wakes the poller at once.
    pub fn set(&self, at: Nanos) -> io::Result<()> {
        let at = clock::monotonic(at);
        let flags = TimerSetTimeFlags::TFD_TIMER_ABSTIME;
        self.inner.set(Expiration::OneShot(at), flags)?;
        Ok(())
    }

    /// Wakes the poller, at once or when it polls next.
    pub fn expire(&self) -> io::Result<()> {
        self.set(clock::now())
    }

    /// Registers the timer, so that each expiration is reported as `token`.
    pub fn register(&self, registry: &Registry, token: Token) -> io::Result<()> {
        let descriptor = self.inner.as_fd().as_raw_fd();
        registry.register(&mut SourceFd(&descriptor), token, Interest::READABLE)
    }
}

#[cfg(test)]
#[path = "tests/timer.rs"]
mod tests;
