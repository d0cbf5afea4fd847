//! Plain sockets: `recv` without parsing, and `send` of a prepared frame.

use std::convert::Infallible;
use std::io;
use std::net::TcpStream;
use std::time::{Duration, Instant};

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

/// Sends on the connections in turn when a message is due, and sleeps in between.
pub fn run_open_loop(
    streams: &[TcpStream],
    message: &[u8],
    rate_per_s: f64,
) -> io::Result<Infallible> {
    let mut poller = Poller::watch(streams)?;
    let frame = text_frame(message);
    let mut buffer = vec![0; BUFFER_BYTES];
    let interval = Duration::from_secs_f64(1.0 / rate_per_s);
    let mut due_at = Instant::now();
    let mut turn = streams.iter().cycle();
    loop {
        let now = Instant::now();
        while due_at <= now {
            send(turn.next().expect("there are connections"), &frame)?;
            due_at += interval;
        }
        for index in poller.wait(Some(due_at - now))? {
            receive(&streams[index], &mut buffer)?;
        }
    }
}
