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
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::limits;
    use mio::{Events, Poll};

    /// Returns the tokens of the next events.
    fn awaited(poll: &mut Poll) -> Vec<Token> {
        let mut events = Events::with_capacity(4);
        poll.poll(&mut events, Some(Duration::from_secs(60)))
            .unwrap();
        events.iter().map(mio::event::Event::token).collect()
    }

    #[test]
    fn wakes_the_poller_each_time_it_is_set_and_not_before() {
        let mut poll = Poll::new().unwrap();
        let timer = Timer::new().unwrap();
        timer.register(poll.registry(), Token(7)).unwrap();
        for _ in 0..2 {
            let at = clock::now() + 2_000_000;
            timer.set(at).unwrap();
            assert_eq!(awaited(&mut poll), [Token(7)]);
            assert!(clock::now() >= at);
        }
    }

    #[test]
    fn wakes_a_poller_of_another_descriptor_table_each_time() {
        let timer = Timer::new().unwrap();
        let (ready, is_ready) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                limits::copy_descriptor_table().unwrap();
                let mut poll = Poll::new().unwrap();
                timer.register(poll.registry(), Token(7)).unwrap();
                for _ in 0..2 {
                    ready.send(()).unwrap();
                    assert_eq!(awaited(&mut poll), [Token(7)]);
                }
            });
            for _ in 0..2 {
                is_ready.recv().unwrap();
                timer.expire().unwrap();
            }
            waiting.join().unwrap();
        });
    }
}
