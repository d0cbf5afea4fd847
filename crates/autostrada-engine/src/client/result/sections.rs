//! The parts of a result that only some workloads have.

use std::collections::BTreeMap;

use autostrada_measure::{Failures, Nanos, Regularity, SequenceCounts, Spreads};
use autostrada_net::tls::Agreed;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Buckets, buckets};
use crate::client::session::{Compressed, Granted};
use crate::client::worker::Recovered;
use crate::client::workload::SlowCounts;

/// Echo and bots.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExchangeRow {
    pub sent: u64,
    pub echoed: u64,
    pub unsent: u64,
    pub overdue: u64,
    pub offered_rate_per_s: Option<f64>,
    pub achieved_rate_per_s: f64,
    pub response_time_ns: Buckets,
    pub service_time_ns: Buckets,
    pub lateness_ns: Buckets,
}

/// The failures of one kind.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FailureRow {
    kind: &'static str,
    count: u64,
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

/// What was agreed upon in the first TLS handshake, and how many sessions were taken up again.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TlsRow {
    version: String,
    cipher_suite: String,
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
pub struct CompressionRow {
    connections: BTreeMap<String, u64>,
    sent: CompressedRow,
    received: CompressedRow,
}

#[derive(Debug, Serialize, JsonSchema)]
struct CompressedRow {
    messages: u64,
    raw_bytes: u64,
    compressed_bytes: u64,
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

/// Messages with a number.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SequenceRow {
    in_order: u64,
    gaps: u64,
    missing: u64,
    repeats: u64,
    disorders: u64,
    strays: u64,
}

impl From<SequenceCounts> for SequenceRow {
    fn from(counts: SequenceCounts) -> Self {
        Self {
            in_order: counts.in_order,
            gaps: counts.gaps,
            missing: counts.missing,
            repeats: counts.repeats,
            disorders: counts.disorders,
            strays: counts.strays,
        }
    }
}

/// A feed with an interval.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RegularityRow {
    inter_arrival_ns: Buckets,
    judged: u64,
    on_time: u64,
    clump_max: u64,
    backlog: u64,
    surplus: u64,
}

impl From<&Regularity> for RegularityRow {
    fn from(regularity: &Regularity) -> Self {
        Self {
            inter_arrival_ns: buckets(&regularity.inter_arrival_ns),
            judged: regularity.judged,
            on_time: regularity.on_time,
            clump_max: regularity.clump_max,
            backlog: regularity.backlog,
            surplus: regularity.surplus,
        }
    }
}

/// A broadcast.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SpreadRow {
    spread_ns: Buckets,
    complete: u64,
    incomplete: u64,
    every: u64,
    strays: u64,
}

impl From<&Spreads> for SpreadRow {
    fn from(spreads: &Spreads) -> Self {
        Self {
            spread_ns: buckets(&spreads.spread_ns),
            complete: spreads.complete,
            incomplete: spreads.incomplete,
            every: spreads.every,
            strays: spreads.strays,
        }
    }
}

/// Connections that were slow.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SlowRow {
    connections: u64,
    messages: u64,
    bytes: u64,
    unread_bytes: u64,
    closed: u64,
}

impl SlowRow {
    pub fn new(counts: SlowCounts, unread_bytes: u64) -> Self {
        Self {
            connections: counts.connections,
            messages: counts.messages,
            bytes: counts.bytes,
            unread_bytes,
            closed: counts.closed,
        }
    }
}

/// Connections that dropped and came back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RecoveryRow {
    dropped: u64,
    attempts: u64,
    recovered: u64,
    recovery_time_ns: Buckets,
    /// From the beginning of the window until the last was back.
    recovered_ns: Option<Nanos>,
}

impl RecoveryRow {
    pub fn new(recovered: &Recovered, window_start: Nanos) -> Self {
        let count = recovered.recovery_time_ns.count();
        let all_ns = recovered.last_at.saturating_sub(window_start);
        Self {
            dropped: recovered.dropped,
            attempts: recovered.attempts,
            recovered: count,
            recovery_time_ns: buckets(&recovered.recovery_time_ns),
            recovered_ns: (count == recovered.dropped && count > 0).then_some(all_ns),
        }
    }
}
