//! What `load` prints at its end: `docs/format.md`.

mod sections;
mod sum;

use std::collections::BTreeMap;

use autostrada_measure::{Nanos, SequenceCounts};
use schemars::JsonSchema;
use serde::Serialize;

use super::workload::{Buckets, Sections};
use crate::ended::Ended;
use sections::{CompressionRow, FailureRow, FanOutSkewRow, RegularityRow, SequenceRow, TlsRow};
pub use sum::{LoadSum, Scope};

/// What `load` measured: one line, the last. Sections that do not apply to the workload are null.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LoadResult {
    /// Connections opened; of `reconnect`, those that came back count again.
    connections: u64,
    /// Messages received: of `receive` and `slow-consumer` with `phases` within the window,
    /// otherwise at any time.
    messages: u64,
    /// Payload bytes of these messages.
    bytes: u64,
    /// Instant when the first opening handshake was complete.
    opened_ns: Nanos,
    /// Instant of the last message.
    received_ns: Nanos,
    /// Messages whose type or content was not the expected one; they are also among `failures`, as
    /// `mismatch`.
    wrong: u64,
    /// Bytes read, below the protocol and above TLS.
    read_bytes: u64,
    /// System calls that read them.
    read_calls: u64,
    /// Bytes written, below the protocol and above TLS.
    written_bytes: u64,
    /// System calls that wrote them.
    write_calls: u64,
    /// Opening a connection: the time until TCP was connected.
    connect_tcp_time_ns: Buckets,
    /// Opening a connection: the time of a full TLS handshake.
    connect_tls_time_ns: Buckets,
    /// Opening a connection: the time of a TLS handshake that resumed a session.
    connect_tls_resumed_time_ns: Buckets,
    /// Opening a connection: the time of the handshake of the protocol.
    connect_upgrade_time_ns: Buckets,
    /// Opening a connection: the time from when the connection was due until it was open.
    connect_response_time_ns: Buckets,
    /// The failures, by kind.
    failures: Vec<FailureRow>,
    /// What the first TLS handshake agreed on; null without TLS.
    tls: Option<TlsRow>,
    /// How many connections were granted each subprotocol.
    subprotocols: BTreeMap<String, u64>,
    /// What was compressed; null where compression was not offered.
    compression: Option<CompressionRow>,
    #[serde(flatten)]
    sections: Sections,
    /// Of messages with a number: those of a feed that came within the window, or stamped ones that
    /// were due within it.
    sequence: Option<SequenceRow>,
    /// Of a feed with an instant: the time from there until the message was received; of one
    /// machine, whose clock is one.
    delivery_time_ns: Option<Buckets>,
    /// Of a feed with an interval, a tenth of which is the tolerance.
    regularity: Option<RegularityRow>,
    /// Of a broadcast, without the messages that began in the last tenth of the window, or in its
    /// last second, whichever is shorter.
    fan_out_skew: Option<FanOutSkewRow>,
    /// How much of one core each thread used, from the beginning of the warm-up to the end of the
    /// window; of `receive` with `messages`, from the opening of the first connection to the last
    /// message.
    busy_shares: Vec<f64>,
    /// Instant when the window began; of `receive` with `messages`, as `opened_ns`.
    window_start_ns: Nanos,
    /// Length of the window: shorter than planned where it was interrupted or all connections were
    /// gone; of `receive` with `messages`, from the opening of the first connection to the last
    /// message.
    window_ns: Nanos,
    /// How the load ended. `closed`: all connections were gone before the window was over, and
    /// nothing more was due; `reset`: none was ever open. Of `receive` with `messages` it follows
    /// from the first of the `failures`.
    ended: Ended,
    /// How the engine itself was the limit, in words, or null; see docs/methodology.md.
    generator_limited: Option<String>,
}

fn has_numbers(counts: &SequenceCounts) -> bool {
    *counts != SequenceCounts::default()
}
