//! The result line of `load`: `docs/format.md`.

mod sections;
mod sum;

use std::collections::BTreeMap;

use autostrada_measure::{Nanos, SequenceCounts};
use schemars::JsonSchema;
use serde::Serialize;

use super::workload::{Buckets, Sections};
use crate::ended::Ended;
use sections::{
    CompressionRow, FailureRow, FanOutSkewRow, PingsRow, RegularityRow, SequenceRow, TlsRow,
};
pub use sum::{LoadSum, Scope};

/// The result of `load`, printed as its last line. Sections that do not apply to the workload are
/// null.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LoadResult {
    /// Number of connections that opened. A connection that `reconnect` reopens counts again.
    connections: u64,
    /// Messages received: within the window for `slow-consumer` and for `receive` with `phases`, at
    /// any time for all other workloads. Messages of slow connections do not count.
    messages: u64,
    /// Payload bytes of these messages.
    bytes: u64,
    /// Instant at which the first opening handshake was complete, in nanoseconds; 0 if no
    /// connection opened.
    opened_ns: Nanos,
    /// Instant at which the last of these messages was received, in nanoseconds; `opened_ns` if
    /// there was none.
    received_ns: Nanos,
    /// Messages whose type or content was not the expected one. They are also counted in
    /// `failures`, as `mismatch`.
    wrong: u64,
    /// Bytes read, below the protocol and above TLS.
    read_bytes: u64,
    /// Number of reads that returned these bytes.
    read_calls: u64,
    /// Bytes written, below the protocol and above TLS.
    written_bytes: u64,
    /// Number of writes that accepted these bytes.
    write_calls: u64,
    /// Time to establish the TCP connection, in nanoseconds.
    connect_tcp_time_ns: Buckets,
    /// Duration of full TLS handshakes, in nanoseconds.
    connect_tls_time_ns: Buckets,
    /// Duration of TLS handshakes that resumed a session, in nanoseconds.
    connect_tls_resumed_time_ns: Buckets,
    /// Duration of the opening handshake of the protocol, in nanoseconds.
    connect_upgrade_time_ns: Buckets,
    /// Time from when a connection was due until it was open, in nanoseconds.
    connect_response_time_ns: Buckets,
    /// Failures, by kind.
    failures: Vec<FailureRow>,
    /// Parameters negotiated in the first TLS handshake; null without TLS.
    tls: Option<TlsRow>,
    /// For each subprotocol, the number of connections to which it was granted; the empty name
    /// stands for none.
    subprotocols: BTreeMap<String, u64>,
    /// Compressed messages; null if compression was not offered.
    compression: Option<CompressionRow>,
    #[serde(flatten)]
    sections: Sections,
    /// Order of numbered messages: of messages of a feed that were received within the window, or
    /// of stamped messages that were due within it. Null if messages have no numbers, or none was
    /// received.
    sequence: Option<SequenceRow>,
    /// Delivery time of a feed of kind `clock` or `stocks`: from the instant in a message until it
    /// was received, in nanoseconds. Valid only if server and client run on the same machine. Null
    /// for other feeds and workloads.
    delivery_time_ns: Option<Buckets>,
    /// Inter-arrival regularity of a feed with an interval; null without one. A message is on time
    /// within a tenth of the interval.
    regularity: Option<RegularityRow>,
    /// Fan-out skew of a broadcast; null without one. Messages first received in the last tenth of
    /// the window, or in its last second if that is shorter, are left out.
    fan_out_skew: Option<FanOutSkewRow>,
    /// WebSocket pings of the window; null without `ping_every_ms`.
    pings: Option<PingsRow>,
    /// CPU usage of each thread as a share of one core, from the start of the warm-up to the end of
    /// the window. For `receive` with `messages`, from the opening of the first connection to the
    /// last message.
    utilizations: Vec<f64>,
    /// Instant at which the window began, in nanoseconds. For `receive` with `messages`, the same
    /// as `opened_ns`.
    window_start_ns: Nanos,
    /// Length of the window, in nanoseconds: shorter than planned if the load was interrupted or
    /// all connections had ended. For `receive` with `messages`, the time from the opening of the
    /// first connection to the last message.
    window_ns: Nanos,
    /// How the load ended. `closed`: all connections ended before the window did, and nothing more
    /// was due; `reset`: no connection ever opened. For `receive` with `messages`, derived from the
    /// first of the `failures`.
    ended: Ended,
    /// Why the load generator was the bottleneck, as a text; null if it was not. See
    /// docs/methodology.md.
    generator_limited: Option<String>,
}

fn has_numbers(counts: &SequenceCounts) -> bool {
    *counts != SequenceCounts::default()
}
