//! The JSON lines that the engine prints on stdout: `docs/format.md`.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

use autostrada_measure::{Nanos, Second};
use autostrada_observe::Reading;
use schemars::JsonSchema;
use serde::Serialize;

use crate::client::{LoadResult, LoadSecond};
use crate::ended::Ended;
use crate::probe::Machine;
use crate::watch::line::Sample;

/// Longer than most lines; longer ones are written in pieces.
const BUFFER_BYTES: usize = 32 * 1024;

/// A line that the engine prints.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Line<'a> {
    /// The server listens, or the client is about to connect.
    #[schemars(title = "Ready")]
    Ready {
        /// The format of plans and lines.
        format: u32,
        /// The version of the engine, and the commit of its sources.
        version: &'a str,
        /// Where the server listens, or where the client connects.
        url: &'a str,
    },
    /// What `serve` handed to the kernel in one second, all connections of all threads together,
    /// without echoes. When all connections are closed the series ends, and the next message begins
    /// another.
    #[schemars(title = "Second")]
    Second {
        /// The number of the second, from 0 at the first byte sent.
        second: u64,
        /// Messages handed to the kernel in this second.
        messages: u64,
        /// Payload bytes handed to the kernel in this second.
        bytes: u64,
    },
    /// What `load` counted in one second.
    #[serde(rename = "second")]
    LoadSecond(&'a LoadSecond),
    /// The result of `load`.
    #[serde(rename = "result")]
    Load(&'a LoadResult),
    /// The result of one connection of `serve`.
    #[serde(rename = "result")]
    Serve(&'a ServeResult),
    /// One sample of `observe`.
    Sample(&'a Sample<'a>),
    /// What `probe` measured.
    Machine(&'a Machine),
}

impl From<Second> for Line<'_> {
    fn from(row: Second) -> Self {
        Self::Second {
            second: row.second,
            messages: row.messages,
            bytes: row.bytes,
        }
    }
}

/// What `serve` measured on one connection that has ended, one to `/echo` excepted; one to `/feed`
/// only where `connections` of the plan is given and at most 1000.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ServeResult {
    /// Messages handed to the kernel.
    pub messages: u64,
    /// Payload bytes handed to the kernel.
    pub bytes: u64,
    /// Wire bytes after the handshake that the peer's kernel acknowledged (`tcpi_bytes_acked`); null
    /// with TLS, whose records are more than what they carry.
    pub acknowledged_bytes: Option<u64>,
    /// Wire bytes after the handshake handed to the kernel.
    pub wire_bytes: u64,
    /// System calls that wrote them.
    pub write_calls: u64,
    /// Instant before the first write.
    pub first_sent_ns: Nanos,
    /// Instant after the last write of a message.
    pub last_sent_ns: Nanos,
    /// Instant when the closing frame, or the end of the stream, was received.
    pub closed_ns: Nanos,
    /// CPU time of the engine's thread from `first_sent_ns` to `closed_ns`.
    pub busy_ns: Nanos,
    /// How long in total the socket had no room while messages were left to send.
    pub blocked_ns: Nanos,
    /// The code of the closing frame received; null where the peer sent none.
    pub close_code: Option<u16>,
    /// How the connection ended.
    pub ended: Ended,
    /// The congestion control of this connection.
    pub congestion_control: String,
    /// What each process of the `observe` command used, by its name.
    pub processes: BTreeMap<String, ProcessResult>,
}

/// What a process and its descendants used on behalf of one connection.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[schemars(rename = "ObservedProcess")]
pub struct ProcessResult {
    /// CPU time between the two readings: at the first byte sent and at the closing frame received.
    pub cpu_ns: Nanos,
    /// Resident memory at the second reading.
    pub resident_bytes: u64,
    /// The most resident memory since the process began, at the second reading.
    pub peak_resident_bytes: u64,
}

impl ProcessResult {
    /// The difference of two readings.
    #[must_use]
    pub fn between(first: Reading, second: Reading) -> Self {
        Self {
            // A descendant that ended in between takes its CPU time with it.
            cpu_ns: second.cpu_ns.saturating_sub(first.cpu_ns),
            resident_bytes: second.resident_bytes,
            peak_resident_bytes: second.peak_resident_bytes,
        }
    }
}

/// Prints one line, at once.
///
/// # Errors
///
/// When nobody reads stdout any more.
pub fn print(line: &Line<'_>) -> io::Result<()> {
    let mut stdout = BufWriter::with_capacity(BUFFER_BYTES, io::stdout().lock());
    serde_json::to_writer(&mut stdout, line)?;
    stdout.write_all(b"\n")?;
    stdout.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_is_the_line_that_the_contract_shows() {
        let line = Line::from(Second {
            second: 0,
            messages: 212_345,
            bytes: 2_335_795,
        });
        assert_eq!(
            serde_json::to_string(&line).unwrap(),
            r#"{"event":"second","second":0,"messages":212345,"bytes":2335795}"#
        );
    }

    #[test]
    fn the_difference_of_two_readings_keeps_the_later_memory() {
        let first = Reading {
            cpu_ns: 100,
            resident_bytes: 5,
            peak_resident_bytes: 9,
        };
        let second = Reading {
            cpu_ns: 350,
            resident_bytes: 4,
            peak_resident_bytes: 11,
        };
        let result = ProcessResult::between(first, second);
        assert_eq!((result.cpu_ns, result.resident_bytes), (250, 4));
        assert_eq!(result.peak_resident_bytes, 11);
    }
}
