//! Connections over loopback, for tests of streams.

use std::net::{TcpListener, TcpStream};

use super::{Endpoint, Stream};
use crate::SocketOptions;

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
    use rustix::event::{PollFd, PollFlags, poll};
    let mut streams = [PollFd::new(stream, PollFlags::IN)];
    poll(&mut streams, None).unwrap();
}
