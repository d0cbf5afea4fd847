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
use crate::watch::Look;

/// Longer than most lines; longer ones are written in pieces.
const BUFFER_BYTES: usize = 32 * 1024;

/// One line.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Line<'a> {
    /// The server listens, or the client is about to connect.
    #[schemars(title = "Ready")]
    Ready {
        /// Of this page.
        format: u32,
        /// Of the engine.
        version: &'a str,
        /// Where.
        url: &'a str,
    },
    /// What `serve` sent in one second.
    #[schemars(title = "Second")]
    Second {
        /// From 0.
        second: u64,
        /// In this second.
        messages: u64,
        /// Payload bytes in this second.
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
    /// One look of `observe`.
    Look(&'a Look<'a>),
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

/// What `serve` measured on one connection.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ServeResult {
    /// Handed to the kernel.
    pub messages: u64,
    /// Payload bytes handed to the kernel.
    pub bytes: u64,
    /// Wire bytes after the handshake that the peer's kernel acknowledged; not known with TLS,
    /// whose records are more than what they carry.
    pub acknowledged_bytes: Option<u64>,
    /// Wire bytes after the handshake handed to the kernel.
    pub wire_bytes: u64,
    /// In so many calls.
    pub write_calls: u64,
    /// Before the first write.
    pub first_sent_ns: Nanos,
    /// After the last write of a message.
    pub last_sent_ns: Nanos,
    /// The closing frame, or the end of the stream.
    pub closed_ns: Nanos,
    /// CPU time of the engine's thread from `first_sent_ns` to `closed_ns`.
    pub busy_ns: Nanos,
    /// How long the socket had no room while messages were left.
    pub blocked_ns: Nanos,
    /// Of the closing frame received.
    pub close_code: Option<u16>,
    /// How it ended.
    pub ended: Ended,
    /// In force on this connection.
    pub congestion_control: String,
    /// By name, as observed.
    pub processes: BTreeMap<String, ProcessResult>,
}

/// What one observed process used.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct ProcessResult {
    /// Between the two readings.
    pub cpu_ns: Nanos,
    /// At the second reading.
    pub resident_bytes: u64,
    /// At the second reading, since the process began.
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
