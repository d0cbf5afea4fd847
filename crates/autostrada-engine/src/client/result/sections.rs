//! Sections of a result that several kinds of workload share.

use autostrada_measure::{FailureKind, Failures, FanOutSkew, Regularity};
use autostrada_net::tls::Negotiated;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::client::buckets::{Buckets, buckets};
use crate::client::merge::{Merge, merge};
use crate::client::workload::RoundTrips;

/// The WebSocket pings of a load.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "Pings")]
pub struct PingsRow {
    /// Number of pings sent.
    pub sent: u64,
    /// Number of pings answered before the drain ended.
    pub answered: u64,
    /// Time from a ping to its pong, in nanoseconds.
    pub round_trip_ns: Buckets,
}

merge!(PingsRow {
    sent: sum,
    answered: sum,
    round_trip_ns: buckets
});

impl From<&RoundTrips> for PingsRow {
    fn from(round_trips: &RoundTrips) -> Self {
        Self {
            sent: round_trips.sent,
            answered: round_trips.answered,
            round_trip_ns: buckets(&round_trips.time_ns),
        }
    }
}

/// The failures of one kind.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "LoadFailure")]
pub struct FailureRow {
    /// The kind of failure. `connect`, `tls`, `handshake`: a connection did not open; `read`,
    /// `write`: a connection broke, or (`write`) the peer left more than 16 MiB of answers unread;
    /// `protocol`: the peer violated the protocol; `close`: the peer closed early; `mismatch`: a
    /// message was not the expected one; `timeout`: a message, or the opening or closing of a
    /// connection, took too long.
    #[schemars(extend("enum" = FailureKind::ALL.map(FailureKind::name)))]
    pub kind: String,
    /// Number of failures of this kind.
    pub count: u64,
    /// Description of the first of them.
    pub example: String,
}

/// Failures of the same kind are added; the example is that of the first part.
impl Merge for Vec<FailureRow> {
    fn merge(&mut self, other: &Self) {
        for failure in other {
            match self.iter_mut().find(|known| known.kind == failure.kind) {
                Some(known) => known.count += failure.count,
                None => self.push(failure.clone()),
            }
        }
    }
}

impl FailureRow {
    /// Returns a row for each kind that occurred.
    pub fn all(failures: &Failures) -> Vec<Self> {
        failures
            .iter()
            .map(|(kind, failure)| Self {
                kind: kind.name().to_owned(),
                count: failure.count,
                example: failure.example.clone(),
            })
            .collect()
    }
}

/// Parameters negotiated in the first TLS handshake, and the number of resumed sessions.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "TlsSession")]
pub struct TlsRow {
    /// TLS version.
    pub version: String,
    /// IANA name of the cipher suite.
    pub cipher_suite: String,
    /// Number of connections that resumed an earlier session.
    pub resumed: u64,
}

merge!(TlsRow {
    version: first,
    cipher_suite: first,
    resumed: sum
});

impl TlsRow {
    pub fn new(negotiated: &Negotiated, resumed: u64) -> Self {
        Self {
            version: negotiated.version.clone(),
            cipher_suite: negotiated.cipher_suite.clone(),
            resumed,
        }
    }
}

/// Inter-arrival regularity of a feed with an interval.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "Regularity")]
pub struct RegularityRow {
    /// Time from one message to the next on the same connection, in nanoseconds.
    pub inter_arrival_ns: Buckets,
    /// Number of messages that were checked for being on time.
    pub judged: u64,
    /// Number of these that arrived when they were due, within the tolerance.
    pub on_time: u64,
    /// Length of the longest burst, in messages: messages in a row that arrived together although
    /// they were due an interval apart. 1: there was no burst; 0: no message was received.
    pub burst_max: u64,
    /// Messages that were due and had not been received at the end, on connections that were open
    /// until then.
    pub backlog: u64,
    /// Messages received in excess of the messages due, on connections that were open until the
    /// end.
    pub surplus: u64,
}

merge!(RegularityRow {
    inter_arrival_ns: buckets,
    judged: sum,
    on_time: sum,
    burst_max: most,
    backlog: sum,
    surplus: sum,
});

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

/// Fan-out skew: how far apart the connections received each message of a broadcast.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "FanOutSkew")]
pub struct FanOutSkewRow {
    /// Time from the first delivery of a message to its last, in nanoseconds.
    pub skew_ns: Buckets,
    /// Messages that all connections, except slow ones, received.
    pub complete: u64,
    /// Messages that some of these connections did not receive.
    pub incomplete: u64,
    /// Sampling ratio: one message in this many was recorded; 1 means all messages.
    pub every: u64,
    /// Deliveries that were ignored because of their message number.
    pub unexpected: u64,
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
