//! The result line of `load`: `docs/format.md`.

mod sections;
mod sum;

use std::collections::BTreeMap;

use autostrada_measure::{Nanos, SequenceCounts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::buckets::Buckets;
use super::connection_stats::SocketTraffic;
use super::merge::{Merge, merge};
use super::session::CompressionRow;
use super::workload::Sections;
use crate::ended::Ended;
pub use sections::{FailureRow, PingsRow};
use sections::{FanOutSkewRow, RegularityRow, TlsRow};
pub use sum::{LoadSum, Scope};

/// The result of `load`, printed as its last line. Sections that do not apply to the workload are
/// null.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
pub struct LoadResult {
    /// Number of connections that opened. A connection that `reconnect` reopens counts again.
    pub connections: u64,
    /// Number of connections that were open and that the peer, or an error, ended before the load
    /// did.
    pub lost: u64,
    /// Time from the start of the window until the last of these was lost, in nanoseconds: 0 if
    /// that was before it. Null if none was lost.
    pub lost_after_ns: Option<Nanos>,
    /// Messages received: within the window for `slow-consumer` and for `receive` with `phases`, at
    /// any time for all other workloads. Messages of slow connections do not count.
    pub messages: u64,
    /// Payload bytes of these messages.
    pub bytes: u64,
    /// Instant at which the first opening handshake was complete, in nanoseconds; 0 if no
    /// connection opened.
    pub opened_ns: Nanos,
    /// Instant at which the last of these messages was received, in nanoseconds; `opened_ns` if
    /// there was none.
    pub received_ns: Nanos,
    /// Messages whose type or content was not the expected one. They are also counted in
    /// `failures`, as `mismatch`.
    pub wrong: u64,
    #[serde(flatten)]
    pub traffic: SocketTraffic,
    /// Time to establish the TCP connection, in nanoseconds.
    pub connect_tcp_time_ns: Buckets,
    /// Duration of full TLS handshakes, in nanoseconds.
    pub connect_tls_time_ns: Buckets,
    /// Duration of TLS handshakes that resumed a session, in nanoseconds.
    pub connect_tls_resumed_time_ns: Buckets,
    /// Duration of the opening handshake of the protocol, in nanoseconds.
    pub connect_upgrade_time_ns: Buckets,
    /// Time from when a connection was due until it was open, in nanoseconds.
    pub connect_response_time_ns: Buckets,
    /// Failures, by kind.
    pub failures: Vec<FailureRow>,
    /// Parameters negotiated in the first TLS handshake; null without TLS.
    pub tls: Option<TlsRow>,
    /// For each subprotocol, the number of connections to which it was granted; the empty name
    /// stands for none.
    pub subprotocols: BTreeMap<String, u64>,
    /// Compressed messages; null if compression was not offered.
    pub compression: Option<CompressionRow>,
    #[serde(flatten)]
    pub sections: Sections,
    /// Order of numbered messages: of messages of a feed that were received within the window, or
    /// of stamped messages that were due within it. Null if messages have no numbers, or none was
    /// received.
    pub sequence: Option<SequenceCounts>,
    /// Delivery time of a feed of kind `clock` or `stocks`: from the instant in a message until it
    /// was received, in nanoseconds. Valid only if server and client run on the same machine. Null
    /// for other feeds and workloads.
    pub delivery_time_ns: Option<Buckets>,
    /// Inter-arrival regularity of a feed with an interval; null without one. A message is on time
    /// within a tenth of the interval.
    pub regularity: Option<RegularityRow>,
    /// Fan-out skew of a broadcast; null without one. Messages first received in the last tenth of
    /// the window, or in its last second if that is shorter, are left out.
    pub fan_out_skew: Option<FanOutSkewRow>,
    /// WebSocket pings of the window; null without `ping_every_ms`.
    pub pings: Option<PingsRow>,
    /// CPU usage of each thread as a share of one core, from the start of the warm-up to the end of
    /// the window. For `receive` with `messages`, from the opening of the first connection to the
    /// last message.
    pub utilizations: Vec<f64>,
    /// Instant at which the window began, in nanoseconds. For `receive` with `messages`, the same
    /// as `opened_ns`.
    pub window_start_ns: Nanos,
    /// Length of the window, in nanoseconds: shorter than planned if the load was interrupted or
    /// all connections had ended. For `receive` with `messages`, the time from the opening of the
    /// first connection to the last message.
    pub window_ns: Nanos,
    /// How the load ended. `closed`: all connections ended before the window did, and nothing more
    /// was due; `reset`: no connection ever opened. For `receive` with `messages`, derived from the
    /// first of the `failures`.
    pub ended: Ended,
    /// Why the load generator was the bottleneck, as a text; null if it was not. See
    /// docs/methodology.md.
    pub generator_limited: Option<String>,
}

merge!(fn merge_fields of LoadResult {
    connections: sum,
    lost: sum,
    lost_after_ns: most,
    messages: sum,
    bytes: sum,
    opened_ns: first,
    received_ns: derived,
    wrong: sum,
    traffic: each,
    connect_tcp_time_ns: buckets,
    connect_tls_time_ns: buckets,
    connect_tls_resumed_time_ns: buckets,
    connect_upgrade_time_ns: buckets,
    connect_response_time_ns: buckets,
    failures: each,
    tls: each,
    subprotocols: counts,
    compression: each,
    sections: each,
    sequence: each,
    delivery_time_ns: buckets_of_known,
    regularity: each,
    fan_out_skew: unknown,
    pings: each,
    utilizations: append,
    window_start_ns: first,
    window_ns: most,
    ended: each,
    generator_limited: derived,
});

/// Instants are those of the first engine, because hosts have clocks of their own. Fan-out skew is
/// unknown: a message may have reached one engine long after another.
impl Merge for LoadResult {
    fn merge(&mut self, other: &Self) {
        let lasted_ns = |part: &Self| part.received_ns.saturating_sub(part.opened_ns);
        self.received_ns = self.opened_ns + lasted_ns(self).max(lasted_ns(other));
        self.generator_limited = match (self.generator_limited.take(), &other.generator_limited) {
            (Some(ours), Some(theirs)) if ours != *theirs => Some(format!("{ours}; {theirs}")),
            (ours, theirs) => ours.or_else(|| theirs.clone()),
        };
        self.merge_fields(other);
    }
}

impl LoadResult {
    /// Returns the number of failures whose kind fulfils a condition.
    pub fn failures(&self, is_counted: impl Fn(&str) -> bool) -> u64 {
        let failures = self.failures.iter();
        let counted = failures.filter(|failure| is_counted(&failure.kind));
        counted.map(|failure| failure.count).sum()
    }
}
