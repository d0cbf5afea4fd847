//! Plain sockets: `recv` without parsing, and `send` of a prepared frame.

use std::convert::Infallible;
use std::error::Error;
use std::io;
use std::net::TcpStream;

use autostrada_benches::socket::{receive, send};
use autostrada_benches::{Instants, now_ns};

use crate::epoll::{self, AT_ONCE, Connections, Poller};
use crate::frame::{BUFFER_BYTES, MissingBytes, text_frame};

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

/// Sends a message at each instant, on one connection after the other, and polls for echoes between
/// them.
pub fn run_open_loop(
    streams: &[TcpStream],
    message: &[u8],
    instants: &mut Instants,
) -> Result<(), Box<dyn Error>> {
    let mut poller = Poller::watch(streams)?;
    let frame = text_frame(message);
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut next = streams.iter().cycle();
    while let Some(due_ns) = instants.next_ns() {
        let mut now = now_ns()?;
        while now < due_ns {
            for index in poller.wait(AT_ONCE)? {
                receive(&streams[index], &mut buffer)?;
            }
            now = now_ns()?;
        }
        instants.pass(due_ns, now)?;
        send(next.next().ok_or("there are no connections")?, &frame)?;
    }
    Ok(())
}
