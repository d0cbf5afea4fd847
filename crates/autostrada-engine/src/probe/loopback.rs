//! Throughput from one thread to another over one loopback connection.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Context;
use autostrada_net::clock;

use super::rates::{ROUND_NS, ROUNDS, Rates, per_s};

/// Size of each write, and of the read buffer.
const WRITE_BYTES: usize = 256 * 1024;

/// Timeout of connecting, reading and writing.
const LIMIT: Duration = Duration::from_secs(5);

/// Measures the bytes received per second while one thread writes and another reads.
pub fn bytes_per_s() -> anyhow::Result<Rates> {
    let (writer, reader) = pair().context(
        "cannot connect to 127.0.0.1: bring loopback up (ip link set lo up), or allow it",
    )?;
    measure(writer, reader).context("loopback: the connection broke")
}

/// Returns both ends of a connection; connections of other programs are closed.
fn pair() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let writer = TcpStream::connect_timeout(&listener.local_addr()?, LIMIT)?;
    let own = writer.local_addr()?;
    let reader = loop {
        let (stream, peer) = listener.accept()?;
        if peer == own {
            break stream;
        }
    };
    writer.set_write_timeout(Some(LIMIT))?;
    reader.set_read_timeout(Some(LIMIT))?;
    Ok((writer, reader))
}

fn measure(mut writer: TcpStream, reader: TcpStream) -> io::Result<Rates> {
    let received = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let reading = scope.spawn(|| count(reader, &received));
        let mut rounds = [0; ROUNDS];
        for per_s in &mut rounds {
            *per_s = one_round(&mut writer, &received)?;
        }
        drop(writer);
        reading
            .join()
            .expect("a thread that panics ends the process")?;
        Ok(Rates::of(rounds))
    })
}

/// Writes for one round; returns the bytes received per second.
fn one_round(writer: &mut TcpStream, received: &AtomicU64) -> io::Result<u64> {
    let bytes = vec![0; WRITE_BYTES];
    let (begun, before) = (clock::now(), received.load(Ordering::Relaxed));
    loop {
        writer.write_all(&bytes)?;
        let passed_ns = clock::now() - begun;
        if passed_ns >= ROUND_NS {
            let arrived = received.load(Ordering::Relaxed) - before;
            return Ok(per_s(arrived, passed_ns));
        }
    }
}

/// Reads to the end of the stream and counts the bytes.
fn count(mut reader: TcpStream, received: &AtomicU64) -> io::Result<()> {
    let mut bytes = vec![0; WRITE_BYTES];
    loop {
        match reader.read(&mut bytes)? {
            0 => return Ok(()),
            length => received.fetch_add(length as u64, Ordering::Relaxed),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_end_writes_the_other_one_counts() {
        let (mut writer, reader) = pair().unwrap();
        let received = AtomicU64::new(0);
        std::thread::scope(|scope| {
            let reading = scope.spawn(|| count(reader, &received));
            writer.write_all(&vec![0; 1_000_000]).unwrap();
            drop(writer);
            reading.join().unwrap().unwrap();
        });
        assert_eq!(received.into_inner(), 1_000_000);
    }
}
