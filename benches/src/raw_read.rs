//! The minimal program that receives a push: a loop that only calls `read()`.
//!
//! `raw-read HOST:PORT MESSAGES FRAME_BYTES` prints the nanoseconds from the end of the
//! opening handshake to the last byte. Socket settings and size of the read buffer are
//! those of the engine's own client.
#![expect(clippy::print_stdout, reason = "stdout is its result")]

use std::io::{Read, Write};
use std::time::Instant;

use autostrada_benches::open;

const READ_BYTES: usize = 256 * 1024;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, messages, frame_bytes] = &arguments[..] else {
        return Err("usage: raw-read HOST:PORT MESSAGES FRAME_BYTES".into());
    };
    let messages: u64 = messages.parse()?;
    let total_bytes = messages * frame_bytes.parse::<u64>()?;

    let mut stream = open::connect(address)?;
    let (_, early_bytes) = open::upgrade(&mut stream, address, &format!("/{messages}"), "")?;
    let mut buffer = vec![0; READ_BYTES];
    let mut received_bytes = early_bytes as u64;
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
