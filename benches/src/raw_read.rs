//! The minimal program that receives a push: a loop that only calls `read()`.
//!
//! `raw-read HOST:PORT MESSAGES FRAME_BYTES` prints the nanoseconds from the end of the
//! opening handshake to the last byte. Socket settings and size of the read buffer are
//! those of the engine's own client.
#![expect(clippy::print_stdout, reason = "stdout is its result")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Instant;

const READ_BYTES: usize = 256 * 1024;
const HEAD_END: &[u8] = b"\r\n\r\n";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, messages, frame_bytes] = &arguments[..] else {
        return Err("usage: raw-read HOST:PORT MESSAGES FRAME_BYTES".into());
    };
    let messages: u64 = messages.parse()?;
    let total_bytes = messages * frame_bytes.parse::<u64>()?;

    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    write!(
        stream,
        "GET /{messages} HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\n\
         Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
         Sec-WebSocket-Version: 13\r\n\r\n"
    )?;

    let mut buffer = vec![0; READ_BYTES];
    let mut received_bytes = read_head(&mut stream, &mut buffer)?;
    let opened_at = Instant::now();
    while received_bytes < total_bytes {
        match stream.read(&mut buffer)? {
            0 => return Err("the server closed early".into()),
            moved => received_bytes += moved as u64,
        }
    }
    println!("{}", opened_at.elapsed().as_nanos());
    // A masked close frame with code 1000; a masking key of zeros changes nothing.
    stream.write_all(&[0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8])?;
    while stream.read(&mut buffer)? > 0 {}
    Ok(())
}

/// Reads the response head; returns the number of message bytes received with it.
fn read_head(stream: &mut TcpStream, buffer: &mut [u8]) -> Result<u64, Box<dyn std::error::Error>> {
    let mut filled = 0;
    loop {
        match stream.read(&mut buffer[filled..])? {
            0 => return Err("no response".into()),
            moved => filled += moved,
        }
        let end = buffer[..filled]
            .windows(HEAD_END.len())
            .position(|window| window == HEAD_END);
        if let Some(end) = end {
            return Ok((filled - end - HEAD_END.len()) as u64);
        }
    }
}
