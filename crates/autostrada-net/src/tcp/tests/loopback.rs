//! Connections over loopback, for tests of streams.

use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use super::{Endpoint, Stream};
use crate::SocketOptions;

/// Time after which what a test waits for is missing: far more than it takes.
pub const WAIT_MAX: Duration = Duration::from_secs(20);

/// A stream, and the other end of its connection, which blocks.
pub fn pair() -> (Stream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = Endpoint::Tcp(listener.local_addr().unwrap());
    let near = Stream::connect(&endpoint, None, &SocketOptions::default()).unwrap();
    let (far, _) = listener.accept().unwrap();
    assert!(near.connect_error().unwrap().is_none());
    (near, far)
}

/// Waits until bytes, or the end, have arrived at a stream.
pub fn await_input(stream: &Stream) {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let mut streams = [PollFd::new(stream, PollFlags::IN)];
    let wait_max = Timespec::try_from(WAIT_MAX).unwrap();
    assert_eq!(poll(&mut streams, Some(&wait_max)).unwrap(), 1);
}
