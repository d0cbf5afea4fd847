//! permessage-deflate with context takeover in both directions: RFC 7692.
//!
//! Level and window are those of the engine's client without settings. Received frames are short,
//! and not parsed.

use std::convert::Infallible;
use std::io;
use std::net::TcpStream;

use autostrada_benches::{open, socket};
use zlib_rs::{Deflate, DeflateFlush, Inflate, InflateFlush};

use crate::epoll::{self, Connections, Poller};
use crate::frame::{BUFFER_BYTES, HEADER_BYTES, put_header};

const LEVEL: i32 = 6;
const WINDOW_BITS: u8 = 15;
const OFFER: &str = "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n";
/// The end of a flush, which is removed from a message: section 7.2.1.
const TAIL: [u8; 4] = [0x00, 0x00, 0xff, 0xff];
/// First byte of a text frame that is a whole compressed message (RSV1).
const COMPRESSED_TEXT: u8 = 0xc1;

/// Opens a connection; the server must accept the offer, and not limit the client.
pub fn open(address: &str) -> io::Result<TcpStream> {
    let mut stream = open::connect(address)?;
    let (head, _) = open::upgrade(&mut stream, address, open::ECHO, OFFER)?;
    if !head.contains("permessage-deflate") || head.contains("; client_") {
        return Err(io::Error::other(format!(
            "the server must accept permessage-deflate without limits of the client: {head}"
        )));
    }
    stream.set_nonblocking(true)?;
    Ok(stream)
}

/// Keeps one message in flight on each connection.
pub fn run(streams: Vec<TcpStream>, message: &[u8]) -> io::Result<Infallible> {
    let mut poller = Poller::watch(&streams)?;
    let connections = streams.into_iter().map(|stream| Connection {
        stream,
        inflate: Inflate::new(false, WINDOW_BITS),
        deflate: Deflate::new(LEVEL, false, WINDOW_BITS),
    });
    let mut compressed = Compressed {
        connections: connections.collect(),
        message: message.to_vec(),
        received: vec![0; BUFFER_BYTES],
        inflated: vec![0; BUFFER_BYTES],
        frame: vec![0; BUFFER_BYTES],
    };
    epoll::run_closed_loop(&mut poller, &mut compressed)
}

struct Connection {
    stream: TcpStream,
    inflate: Inflate,
    deflate: Deflate,
}

struct Compressed {
    connections: Vec<Connection>,
    message: Vec<u8>,
    received: Vec<u8>,
    inflated: Vec<u8>,
    frame: Vec<u8>,
}

impl Connections for Compressed {
    fn receive(&mut self, index: usize) -> io::Result<bool> {
        let Connection {
            stream, inflate, ..
        } = &mut self.connections[index];
        // One echo is in flight, so the room for the tail remains.
        let end = socket::receive(stream, &mut self.received)?;
        self.received[end..end + TAIL.len()].copy_from_slice(&TAIL);
        inflate
            .decompress(
                &self.received[2..end + TAIL.len()],
                &mut self.inflated,
                InflateFlush::SyncFlush,
            )
            .map_err(|error| io::Error::other(error.as_str()))?;
        Ok(true)
    }

    fn send(&mut self, index: usize) -> io::Result<()> {
        let Connection {
            stream, deflate, ..
        } = &mut self.connections[index];
        let before = deflate.total_out();
        deflate
            .compress(
                &self.message,
                &mut self.frame[HEADER_BYTES..],
                DeflateFlush::SyncFlush,
            )
            .map_err(|error| io::Error::other(error.as_str()))?;
        let flushed = usize::try_from(deflate.total_out() - before).expect("fits the buffer");
        let payload_bytes = flushed - TAIL.len();
        put_header(&mut self.frame, payload_bytes, COMPRESSED_TEXT);
        socket::send(stream, &self.frame[..HEADER_BYTES + payload_bytes])
    }
}
