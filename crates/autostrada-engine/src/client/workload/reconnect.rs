//! Reconnect: all connections are dropped, and reconnect.

use autostrada_measure::Nanos;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::{Kind, Outcome, Thread, Workload, WorkloadPlan};
use super::records::Records;
use super::recovery::{BackOffPlan, DropKind, Recovered, Recovery};
use crate::client::buckets::{Buckets, buckets};
use crate::client::merge::{Merge, merge};
use crate::plan::{Phases, PlanError, ProtocolPlan};

/// Maximum time from one drop to the next: an hour.
const EVERY_MS_MAX: u64 = 3_600_000;

/// Drop all connections when the window begins, or several times in it, and reconnect.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "ReconnectWorkload")]
#[serde(deny_unknown_fields)]
pub struct ReconnectPlan {
    /// The way in which the connections are dropped.
    #[serde(default)]
    drop: DropKind,
    /// Time from one drop to the next, in milliseconds; connections that are being opened are not
    /// dropped. Default: they are dropped once.
    #[schemars(range(min = 1, max = EVERY_MS_MAX))]
    every_ms: Option<u64>,
    /// Waiting time before each attempt to reconnect. Default: the defaults of its keys.
    #[serde(default)]
    back_off: BackOffPlan,
    /// Durations of the phases of the trial.
    phases: Phases,
}

impl WorkloadPlan for ReconnectPlan {
    fn check(&self, _connections: usize, _protocol: &ProtocolPlan) -> Result<(), PlanError> {
        if self
            .every_ms
            .is_some_and(|every| !(1..=EVERY_MS_MAX).contains(&every))
        {
            return Err(PlanError::new(format!(
                "every_ms must be from 1 to {EVERY_MS_MAX}"
            )));
        }
        self.back_off.check()
    }

    fn phases(&self) -> Option<&Phases> {
        Some(&self.phases)
    }

    fn reconnects(&self) -> bool {
        true
    }
}

impl Kind for ReconnectPlan {
    type Workload = Reconnect;
    type Section = ReconnectSection;

    fn workload(&self, thread: Thread<'_>) -> Result<Reconnect, PlanError> {
        let every_ns = self.every_ms.map(|every_ms| every_ms * 1_000_000);
        let connections = thread.connections();
        Ok(Reconnect {
            recovery: Recovery::new(self.drop, every_ns, self.back_off, connections),
            records: Records::default(),
        })
    }

    fn section(&self, outcome: &Outcome<'_, Recovered>) -> ReconnectSection {
        ReconnectSection {
            recovery: Some(RecoveryRow::new(outcome.counts, outcome.window_start)),
        }
    }
}

/// The section of the result for `reconnect`.
#[derive(Debug, Default, Clone, Deserialize, Serialize, JsonSchema)]
pub struct ReconnectSection {
    /// Results of `reconnect`; null for other workloads.
    pub recovery: Option<RecoveryRow>,
}

/// Connections that were lost and reconnected.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "Recovery")]
pub struct RecoveryRow {
    /// Number of times that a connection was lost: dropped by the engine or the peer, or not
    /// opened.
    pub dropped: u64,
    /// Number of attempts to reconnect.
    pub attempts: u64,
    /// Number of lost connections that were open again.
    pub recovered: u64,
    /// Time from the loss of a connection until it was open again, in nanoseconds.
    pub recovery_time_ns: Buckets,
    /// Time from the start of the window until the last connection was open again, in nanoseconds;
    /// null if a connection was not, or none was lost.
    pub recovered_ns: Option<Nanos>,
}

merge!(ReconnectSection { recovery: each });

merge!(fn merge_fields of RecoveryRow {
    dropped: sum,
    attempts: sum,
    recovered: sum,
    recovery_time_ns: buckets,
    recovered_ns: most,
});

impl Merge for RecoveryRow {
    fn merge(&mut self, other: &Self) {
        self.merge_fields(other);
        if self.recovered < self.dropped {
            self.recovered_ns = None;
        }
    }
}

impl RecoveryRow {
    fn new(recovered: &Recovered, window_start: Nanos) -> Self {
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

/// The `reconnect` workload of one thread. It counts messages that a server sends.
#[derive(Debug)]
pub struct Reconnect {
    recovery: Recovery,
    records: Records,
}

impl Workload for Reconnect {
    type Counts = Recovered;

    fn recovery(&mut self) -> Option<&mut Recovery> {
        Some(&mut self.recovery)
    }

    fn records(&mut self) -> &mut Records {
        &mut self.records
    }

    fn into_records(self) -> (Records, Recovered) {
        (self.records, self.recovery.recovered)
    }
}

merge!(Recovered {
    dropped: sum,
    attempts: sum,
    recovery_time_ns: each,
    last_at: most,
});
