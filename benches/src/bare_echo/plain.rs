//! Plain sockets: `recv` without parsing, and `send` of a prepared frame.

use std::convert::Infallible;
use std::io;
use std::net::TcpStream;

use crate::epoll::{self, Connections, Poller};
use crate::frame::{BUFFER_BYTES, MissingBytes, text_frame};
use crate::socket::{receive, send};

/// Keeps one message in flight on each connection.
pub fn run_closed_loop(streams: Vec<TcpStream>, message: &[u8]) -> io::Result<Infallible> {
    let mut poller = Poller::watch(&streams)?;
    let frame = text_frame(message);
    let mut sockets = Sockets {
        missing: MissingBytes::new(streams.len(), &frame),
        streams,
        frame,
        buffer: vec![0; BUFFER_BYTES],
    };
    epoll::run_closed_loop(&mut poller, &mut sockets)
}

struct Sockets {
    streams: Vec<TcpStream>,
    missing: MissingBytes,
    frame: Vec<u8>,
    buffer: Vec<u8>,
}

impl Connections for Sockets {
    fn receive(&mut self, index: usize) -> io::Result<bool> {
        let received = receive(&self.streams[index], &mut self.buffer)?;
        Ok(self.missing.is_complete(index, received))
    }

    fn send(&mut self, index: usize) -> io::Result<()> {
        send(&self.streams[index], &self.frame)
    }
}

/// Reads what arrives.
pub fn run_receive(streams: &[TcpStream]) -> io::Result<Infallible> {
    let mut poller = Poller::watch(streams)?;
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        for index in poller.wait()? {
            receive(&streams[index], &mut buffer)?;
        }
    }
}
