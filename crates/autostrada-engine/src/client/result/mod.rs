//! What `load` prints at its end: `docs/format.md`.

mod sections;
mod sum;

use std::collections::BTreeMap;

use autostrada_measure::{Histogram, Nanos, SequenceCounts};
use schemars::JsonSchema;
use serde::Serialize;

use crate::ended::Ended;
use sections::{
    CompressionRow, ExchangeRow, FailureRow, RecoveryRow, RegularityRow, SequenceRow, SlowRow,
    SpreadRow, TlsRow,
};
pub use sum::{LoadSum, Scope};

/// Buckets of a histogram: the lowest duration of each in nanoseconds, and its count.
type Buckets = Vec<(Nanos, u64)>;

/// The result of any workload.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LoadResult {
    connections: u64,
    messages: u64,
    bytes: u64,
    opened_ns: Nanos,
    received_ns: Nanos,
    wrong: u64,
    read_bytes: u64,
    read_calls: u64,
    written_bytes: u64,
    write_calls: u64,
    connect_tcp_time_ns: Buckets,
    connect_tls_time_ns: Buckets,
    connect_tls_resumed_time_ns: Buckets,
    connect_upgrade_time_ns: Buckets,
    connect_response_time_ns: Buckets,
    failures: Vec<FailureRow>,
    tls: Option<TlsRow>,
    subprotocols: BTreeMap<String, u64>,
    compression: Option<CompressionRow>,
    answered: Option<u64>,
    exchange: Option<ExchangeRow>,
    sequence: Option<SequenceRow>,
    delivery_time_ns: Option<Buckets>,
    regularity: Option<RegularityRow>,
    spread: Option<SpreadRow>,
    slow: Option<SlowRow>,
    recovery: Option<RecoveryRow>,
    busy_shares: Vec<f64>,
    window_start_ns: Nanos,
    window_ns: Nanos,
    ended: Ended,
    generator_limited: Option<String>,
}

fn buckets(histogram: &Histogram) -> Buckets {
    histogram.buckets().collect()
}

fn has_numbers(counts: &SequenceCounts) -> bool {
    *counts != SequenceCounts::default()
}
