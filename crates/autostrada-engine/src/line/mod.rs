//! The JSON lines that the engine prints on stdout: `docs/format.md`.

pub mod sample;
mod slice;

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

use autostrada_measure::Nanos;
use autostrada_observe::Reading;
use schemars::JsonSchema;
use serde::Serialize;

use crate::ended::Ended;
use sample::Sample;

pub use slice::SliceRow;

/// Size of the output buffer. Most lines are shorter; a longer one is written in pieces.
const BUFFER_BYTES: usize = 32 * 1024;

/// A line that several commands print, or a server, or an observer.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Line<'a> {
    /// The server listens, or the client is about to connect.
    #[schemars(title = "Ready")]
    Ready {
        /// Version of the format of plans and lines.
        format: u32,
        /// Version of the engine and commit of its sources.
        version: &'a str,
        /// URL on which the server listens, or to which the client connects.
        url: &'a str,
    },
    /// All connections of `load`, or the one that `serve` pushes to in slices, are open, or the time
    /// of `load` for that is over: the command `start-at-ns` or `slice` is awaited.
    #[schemars(title = "Opened")]
    Opened,
    /// What was done in one slice.
    Slice(&'a SliceRow),
    /// Messages that `serve` wrote in one second, on all connections of all threads together,
    /// without echoes. The series ends when all connections are closed; the next message starts
    /// another. Not printed with `slices`.
    #[schemars(title = "Second")]
    Second {
        /// Number of the second, counted from 0; second 0 begins with the first byte sent.
        second: u64,
        /// Number of messages handed to the kernel in this second.
        messages: u64,
        /// Payload bytes handed to the kernel in this second.
        bytes: u64,
    },
    /// The result of one connection of `serve`.
    #[serde(rename = "result")]
    Serve(&'a ServeResult),
    /// One sample of `observe`.
    Sample(&'a Sample<'a>),
}

/// The result of one connection of `serve` that has ended. Connections to `/echo` have no result;
/// connections to `/feed` have one only if the plan sets `connections` to at most 1000.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ServeResult {
    /// Number of messages handed to the kernel.
    pub messages: u64,
    /// Payload bytes handed to the kernel.
    pub bytes: u64,
    /// Bytes after the opening handshake that the peer's kernel acknowledged (`tcpi_bytes_acked`),
    /// without pings; null with TLS, because TLS records are longer than their content.
    pub acknowledged_bytes: Option<u64>,
    /// Bytes after the opening handshake that were handed to the kernel, without pings.
    pub wire_bytes: u64,
    /// Number of writes that handed over `wire_bytes`; a write that a ping divides counts once.
    pub write_calls: u64,
    /// Instant before the first write, in nanoseconds; in slices, before the first slice.
    pub first_sent_ns: Nanos,
    /// Instant after the last write of a message, in nanoseconds; 0 if no message was written, or
    /// if uncompressed messages of `/N` were not all sent.
    pub last_sent_ns: Nanos,
    /// Instant at which the closing frame, or the end of the stream, was received, in nanoseconds.
    pub closed_ns: Nanos,
    /// CPU time of the engine's thread from `first_sent_ns` to `closed_ns`, not counting polling
    /// without a result, in nanoseconds.
    pub busy_ns: Nanos,
    /// Total time in which the socket had no room while messages were left to send, in nanoseconds.
    pub blocked_ns: Nanos,
    /// Code of the closing frame received; null if the peer sent none.
    pub close_code: Option<u16>,
    /// How the connection ended.
    pub ended: Ended,
    /// Number of pings sent between the messages.
    pub pings: u64,
    /// Number of these after the last one that was answered.
    pub pings_unanswered: u64,
    /// The pongs that arrived, in order.
    pub marks: Vec<Mark>,
    /// Shortest round-trip time of the connection (`tcpi_min_rtt`), in nanoseconds; null if the
    /// kernel does not report it.
    pub round_trip_ns: Option<Nanos>,
    /// TCP congestion control algorithm of this connection, by the kernel's name for it.
    pub congestion_control: String,
    /// Resources that each process of the `observe` command used, by its name.
    pub processes: BTreeMap<String, ProcessResult>,
}

/// A pong: the client had processed a known number of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Mark {
    /// Number of messages before the ping.
    pub messages: u64,
    /// Instant at which the pong was read, in nanoseconds.
    pub answered_ns: Nanos,
}

/// Resources that a process and its descendants used during one connection.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[schemars(rename = "ObservedProcess")]
pub struct ProcessResult {
    /// CPU time between the two readings, in nanoseconds: from the first byte sent to the closing
    /// frame received.
    pub cpu_ns: Nanos,
    /// Resident memory at the second reading, in bytes.
    pub resident_bytes: u64,
    /// Peak resident memory since the start of the process, at the second reading, in bytes.
    pub peak_resident_bytes: u64,
}

impl ProcessResult {
    /// Returns the difference of two readings.
    #[must_use]
    pub fn between(first: Reading, second: Reading) -> Self {
        Self {
            // The difference may be negative: the CPU time of a descendant that ended is lost.
            cpu_ns: second.cpu_ns.saturating_sub(first.cpu_ns),
            resident_bytes: second.resident_bytes,
            peak_resident_bytes: second.peak_resident_bytes,
        }
    }
}

/// Prints one line and flushes it.
///
/// # Errors
///
/// Returns an error if stdout cannot be written, for example because its reader has ended.
pub fn print(line: &impl Serialize) -> io::Result<()> {
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
        let line = Line::Second {
            second: 0,
            messages: 212_345,
            bytes: 2_335_795,
        };
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
