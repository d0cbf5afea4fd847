//! The loop over `epoll(7)`, level-triggered.

use std::convert::Infallible;
use std::io;
use std::net::TcpStream;
use std::os::fd::AsRawFd;

use autostrada_benches::checked;

const EVENTS_MAX: usize = 1024;
/// Timeout of a wait without an end.
const FOREVER: i32 = -1;
/// Timeout of a call that does not wait.
pub const AT_ONCE: i32 = 0;

/// Connections by their index.
pub trait Connections {
    /// Reads what has arrived; returns whether the echo is complete.
    fn receive(&mut self, index: usize) -> io::Result<bool>;

    /// Sends the message.
    fn send(&mut self, index: usize) -> io::Result<()>;
}

/// Keeps one message in flight on each connection.
///
/// All echoes that have arrived are read before the next messages are sent: this order is faster
/// than reading and writing in turn.
pub fn run_closed_loop(
    poller: &mut Poller,
    connections: &mut impl Connections,
) -> io::Result<Infallible> {
    for index in 0..poller.watched {
        connections.send(index)?;
    }
    let mut answered = Vec::with_capacity(EVENTS_MAX);
    loop {
        for index in poller.wait(FOREVER)? {
            if connections.receive(index)? {
                answered.push(index);
            }
        }
        for index in answered.drain(..) {
            connections.send(index)?;
        }
    }
}

pub struct Poller {
    descriptor: i32,
    watched: usize,
    events: Vec<libc::epoll_event>,
}

impl Poller {
    /// Watches the streams for input.
    pub fn watch<'s>(streams: impl IntoIterator<Item = &'s TcpStream>) -> io::Result<Self> {
        // SAFETY: the call takes a flag and returns a descriptor, or -1.
        let descriptor = checked(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })?;
        let mut poller = Self {
            descriptor,
            watched: 0,
            events: vec![libc::epoll_event { events: 0, u64: 0 }; EVENTS_MAX],
        };
        for stream in streams {
            poller.add(stream)?;
        }
        Ok(poller)
    }

    fn add(&mut self, stream: &TcpStream) -> io::Result<()> {
        let mut event = libc::epoll_event {
            events: libc::EPOLLIN.cast_unsigned(),
            u64: self.watched as u64,
        };
        // SAFETY: both descriptors are open, and the event lives until the call returns.
        let status = unsafe {
            libc::epoll_ctl(
                self.descriptor,
                libc::EPOLL_CTL_ADD,
                stream.as_raw_fd(),
                &raw mut event,
            )
        };
        checked(status)?;
        self.watched += 1;
        Ok(())
    }

    /// Waits for input, for a number of milliseconds; returns the indices of the streams that have
    /// some.
    pub fn wait(&mut self, timeout_ms: i32) -> io::Result<impl Iterator<Item = usize>> {
        let room = i32::try_from(EVENTS_MAX).expect("a small constant");
        // SAFETY: `events` has room for `room` events.
        let count = unsafe {
            libc::epoll_wait(self.descriptor, self.events.as_mut_ptr(), room, timeout_ms)
        };
        let count = match checked(count) {
            // A program that was stopped and continues has nothing to read either.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
            count => count?.cast_unsigned(),
        };
        Ok(self.events[..count as usize]
            .iter()
            .map(|event| usize::try_from(event.u64).expect("events carry an index")))
    }
}
