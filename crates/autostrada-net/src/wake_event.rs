//! An event that another thread triggers to wake a poller.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use mio::unix::SourceFd;
use mio::{Interest, Registry, Token};
use nix::sys::eventfd::{EfdFlags, EventFd};

/// An event (`eventfd(2)`), to be registered with a poller.
///
/// Unlike a `Waker` it is created before the poller that it wakes. So it also wakes that of a thread
/// which has copied its descriptor table since.
#[derive(Debug)]
pub struct WakeEvent {
    inner: EventFd,
}

impl WakeEvent {
    /// Creates an event.
    pub fn new() -> io::Result<Self> {
        let flags = EfdFlags::EFD_NONBLOCK | EfdFlags::EFD_CLOEXEC;
        let inner = EventFd::from_value_and_flags(0, flags)?;
        Ok(Self { inner })
    }

    /// Wakes the poller, at once or when it polls next.
    pub fn wake(&self) -> io::Result<()> {
        self.inner.write(1)?;
        Ok(())
    }

    /// Registers the event, so that each time that it is triggered is reported as `token`.
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

    #[test]
    fn wakes_a_poller_of_another_descriptor_table_each_time() {
        let event = WakeEvent::new().unwrap();
        let (ready, is_ready) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                limits::copy_descriptor_table().unwrap();
                let mut poll = Poll::new().unwrap();
                event.register(poll.registry(), Token(7)).unwrap();
                let mut events = Events::with_capacity(4);
                for _ in 0..2 {
                    ready.send(()).unwrap();
                    let limit = Some(Duration::from_secs(60));
                    poll.poll(&mut events, limit).unwrap();
                    assert_eq!(events.iter().map(mio::event::Event::token).count(), 1);
                }
            });
            for _ in 0..2 {
                is_ready.recv().unwrap();
                event.wake().unwrap();
            }
            waiting.join().unwrap();
        });
    }
}
