//! The parts of a result that several kinds of workload have.

use std::collections::BTreeMap;

use autostrada_measure::{FailureKind, Failures, FanOutSkew, Nanos, Regularity, SequenceCounts};
use autostrada_net::tls::Agreed;
use schemars::JsonSchema;
use serde::Serialize;

use crate::client::session::{Compressed, Granted};
use crate::client::workload::{Buckets, buckets};

/// The failures of one kind.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LoadFailure")]
pub struct FailureRow {
    /// What failed. `connect`, `tls`, `handshake`: a connection did not open; `read`, `write`: it
    /// broke, or (`write`) more than 16 MiB of answers waited for the peer to read them;
    /// `protocol`: the peer violated the protocol; `close`: the peer closed early; `mismatch`: a
    /// message was not the expected one; `timeout`: a message or the opening of a connection did
    /// not come in time.
    #[schemars(extend("enum" = FailureKind::ALL.map(FailureKind::name)))]
    kind: &'static str,
    /// How many failures of this kind there were.
    count: u64,
    /// What is known of the first of them.
    example: String,
}

impl FailureRow {
    /// All kinds that occurred.
    pub fn all(failures: &Failures) -> Vec<Self> {
        failures
            .iter()
            .map(|(kind, failure)| Self {
                kind: kind.name(),
                count: failure.count,
                example: failure.example.clone(),
            })
            .collect()
    }
}

/// What the first TLS handshake agreed on, and how many sessions were resumed.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TlsSession")]
pub struct TlsRow {
    /// The version.
    version: String,
    /// The cipher suite, by its IANA name.
    cipher_suite: String,
    /// How many sessions were resumed.
    resumed: u64,
}

impl TlsRow {
    pub fn new(agreed: &Agreed, resumed: u64) -> Self {
        Self {
            version: agreed.version.clone(),
            cipher_suite: agreed.cipher_suite.clone(),
            resumed,
        }
    }
}

/// What was compressed.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Compression")]
pub struct CompressionRow {
    /// How many connections were granted each set of parameters; an empty name stands for no
    /// compression.
    connections: BTreeMap<String, u64>,
    /// The messages that were sent compressed.
    sent: CompressedRow,
    /// The messages that were received compressed.
    received: CompressedRow,
}

/// The compressed messages of one direction.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Compressed")]
struct CompressedRow {
    /// How many messages they are.
    messages: u64,
    /// Their payload bytes, uncompressed.
    raw_bytes: u64,
    /// Their payload bytes, compressed.
    compressed_bytes: u64,
    /// The engine's time for compressing or decompressing them.
    busy_ns: Nanos,
}

impl CompressionRow {
    pub fn new(granted: &Granted) -> Self {
        let row = |compressed: Compressed| CompressedRow {
            messages: compressed.traffic.messages,
            raw_bytes: compressed.traffic.raw_bytes,
            compressed_bytes: compressed.traffic.compressed_bytes,
            busy_ns: compressed.busy_ns,
        };
        Self {
            connections: granted.extensions.clone(),
            sent: row(granted.sent),
            received: row(granted.received),
        }
    }
}

/// Messages that have numbers.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Sequence")]
pub struct SequenceRow {
    /// Messages whose number was the next, or the first on a connection that joined.
    in_order: u64,
    /// How often one or more numbers were skipped.
    gaps: u64,
    /// How many skipped numbers did not come later.
    missing: u64,
    /// Messages whose number had come before.
    duplicates: u64,
    /// Messages that came after one with a higher number, and had been counted as missing until then.
    reordered: u64,
    /// Messages whose number cannot be placed: too far ahead, from before the connection joined, or too
    /// old to know whether it was missing.
    unexpected: u64,
}

impl From<SequenceCounts> for SequenceRow {
    fn from(counts: SequenceCounts) -> Self {
        Self {
            in_order: counts.in_order,
            gaps: counts.gaps,
            missing: counts.missing,
            duplicates: counts.duplicates,
            reordered: counts.reordered,
            unexpected: counts.unexpected,
        }
    }
}

/// How regularly the messages of a feed with an interval came.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Regularity")]
pub struct RegularityRow {
    /// Time from one message to the next on the same connection.
    inter_arrival_ns: Buckets,
    /// How many messages were judged.
    judged: u64,
    /// How many of these came when they were due, within the tolerance.
    on_time: u64,
    /// The most messages in a row that came together although they were due an interval apart; 1 is
    /// none, 0 that no message came.
    burst_max: u64,
    /// Messages that were due and had not come at the end, of connections that were open until
    /// then.
    backlog: u64,
    /// Messages that came beyond those that were due, of connections that were open until then.
    surplus: u64,
}

impl From<&Regularity> for RegularityRow {
    fn from(regularity: &Regularity) -> Self {
        Self {
            inter_arrival_ns: buckets(&regularity.inter_arrival_ns),
            judged: regularity.judged,
            on_time: regularity.on_time,
            burst_max: regularity.burst_max,
            backlog: regularity.backlog,
            surplus: regularity.surplus,
        }
    }
}

/// How far apart the connections received the messages of a broadcast.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FanOutSkew")]
pub struct FanOutSkewRow {
    /// Time from the first connection that received a message to the last.
    skew_ns: Buckets,
    /// Messages that all connections received, slow ones excepted.
    complete: u64,
    /// Messages that some connections did not receive.
    incomplete: u64,
    /// One message in this many was followed.
    every: u64,
    /// Deliveries that were ignored because of their number.
    unexpected: u64,
}

impl From<&FanOutSkew> for FanOutSkewRow {
    fn from(skew: &FanOutSkew) -> Self {
        Self {
            skew_ns: buckets(&skew.skew_ns),
            complete: skew.complete,
            incomplete: skew.incomplete,
            every: skew.every,
            unexpected: skew.unexpected,
        }
    }
}
