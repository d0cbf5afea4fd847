//! Reconnecting of connections with a back-off.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use autostrada_measure::{Histogram, Nanos, RecordError};
use autostrada_net::random_bytes;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plan::{PlanError, nanos};

/// Maximum waiting time before an attempt to reconnect: an hour.
const BACK_OFF_MS_MAX: f64 = 3_600_000.0;

/// The way in which connections are dropped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DropKind {
    /// With a TCP reset, as after the failure of a process or its machine.
    #[default]
    Abort,
    /// With a closing handshake, which the peer must answer within a second.
    Close,
}

/// Exponential back-off: the waiting time before each attempt to reconnect.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BackOffPlan {
    /// Waiting time before the first attempt, in milliseconds.
    #[schemars(range(min = 0, max = BACK_OFF_MS_MAX))]
    initial_ms: f64,
    /// Ratio of each waiting time to the previous one. From the second attempt on, an `initial_ms`
    /// below 1 counts as 1.
    #[schemars(range(min = 1, max = 100))]
    factor: f64,
    /// Maximum waiting time, in milliseconds.
    #[schemars(range(min = 0, max = BACK_OFF_MS_MAX))]
    maximum_ms: f64,
    /// Maximum share by which each waiting time is shortened at random; 0 means no jitter.
    #[schemars(range(min = 0, max = 1))]
    pub jitter: f64,
}

impl Default for BackOffPlan {
    fn default() -> Self {
        Self {
            initial_ms: 0.0,
            factor: 2.0,
            maximum_ms: 30_000.0,
            jitter: 0.5,
        }
    }
}

/// Minimum of `initial_ms` from the second attempt on, so that attempts do not flood a server that
/// is down.
const SECOND_WAIT_MS_MIN: f64 = 1.0;

impl BackOffPlan {
    /// Returns the waiting time before an attempt, counted from 0; `random` is from 0 to below 1.
    pub fn wait_ns(&self, attempt: u32, random: f64) -> Nanos {
        let first_ms = if attempt == 0 {
            self.initial_ms
        } else {
            self.initial_ms.max(SECOND_WAIT_MS_MIN)
        };
        let exponent = i32::try_from(attempt).unwrap_or(i32::MAX);
        let wait_ms = (first_ms * self.factor.powi(exponent)).min(self.maximum_ms);
        nanos(wait_ms * (1.0 - self.jitter * random) / 1e3)
    }

    /// Checks the constraints that the types do not express.
    pub fn check(&self) -> Result<(), PlanError> {
        let is_time = |ms: f64| (0.0..=BACK_OFF_MS_MAX).contains(&ms);
        let is_valid = is_time(self.initial_ms)
            && is_time(self.maximum_ms)
            && (1.0..=100.0).contains(&self.factor)
            && (0.0..=1.0).contains(&self.jitter);
        if is_valid {
            return Ok(());
        }
        Err(PlanError::new(
            "back_off: initial_ms and maximum_ms must be from 0 to 3600000, factor from 1 to 100, \
             jitter from 0 to 1",
        ))
    }
}

/// Counts and times of reconnecting.
#[derive(Debug, Default)]
pub struct Recovered {
    /// Number of times that a connection was lost, because of either side.
    pub dropped: u64,
    /// Number of attempts to reconnect.
    pub attempts: u64,
    /// Time from the loss of a connection until it was open again.
    pub recovery_time_ns: Histogram,
    /// Latest instant at which a lost connection was open again.
    pub last_at: Nanos,
}

/// A connection that was lost and is not open again.
#[derive(Debug, Clone, Copy)]
struct Lost {
    at: Nanos,
    attempts: u32,
}

/// The lost connections of a thread, and the instants of their next attempts.
#[derive(Debug)]
pub struct Recovery {
    /// The way in which connections are dropped.
    pub drop: DropKind,
    /// Time limit for the closing handshakes of dropped connections, or `None` if no limit is
    /// pending.
    pub closed_by: Option<Nanos>,
    /// Time from one drop to the next; `None` for a single drop.
    every_ns: Option<Nanos>,
    /// Instant of the next drop; `None` if none follows.
    pub drop_due: Option<Nanos>,
    back_off: BackOffPlan,
    lost: Vec<Option<Lost>>,
    due: BinaryHeap<Reverse<(Nanos, usize)>>,
    /// Counts and times so far.
    pub recovered: Recovered,
}

impl Recovery {
    /// Creates the state for this many connections, none of which is lost.
    pub fn new(
        drop: DropKind,
        every_ns: Option<Nanos>,
        back_off: BackOffPlan,
        connections: usize,
    ) -> Self {
        Self {
            drop,
            closed_by: None,
            every_ns,
            drop_due: None,
            back_off,
            lost: vec![None; connections],
            due: BinaryHeap::new(),
            recovered: Recovered::default(),
        }
    }

    /// Schedules the next drop after one.
    pub fn schedule_drop(&mut self, now: Nanos) {
        self.drop_due = self.every_ns.map(|every_ns| now + every_ns);
    }

    /// Schedules the next attempt of a connection that was lost, or whose last attempt failed.
    pub fn record_lost(&mut self, connection: usize, now: Nanos) {
        self.record_lost_with(connection, now, random_share());
    }

    fn record_lost_with(&mut self, connection: usize, now: Nanos, random: f64) {
        let lost = self.lost[connection].get_or_insert_with(|| {
            self.recovered.dropped += 1;
            Lost {
                at: now,
                attempts: 0,
            }
        });
        let wait_ns = self.back_off.wait_ns(lost.attempts, random);
        lost.attempts += 1;
        self.due.push(Reverse((now + wait_ns, connection)));
    }

    /// Returns the instant at which the next attempt is due, or `None` if there is none.
    pub fn next_due(&self) -> Option<Nanos> {
        self.due.peek().map(|&Reverse((due, _))| due)
    }

    /// Takes an attempt that is due; returns its instant and the index of the connection, or `None`
    /// if none is due.
    pub fn take_due(&mut self, now: Nanos) -> Option<(Nanos, usize)> {
        self.next_due().filter(|&due| due <= now)?;
        let Reverse(attempt) = self.due.pop()?;
        self.recovered.attempts += 1;
        Some(attempt)
    }

    /// Records that a connection is open; does nothing if it was not lost.
    /// Returns an error if it was lost for more than an hour.
    pub fn record_recovered(&mut self, connection: usize, now: Nanos) -> Result<(), RecordError> {
        if let Some(lost) = self.lost[connection].take() {
            self.recovered.last_at = self.recovered.last_at.max(now);
            self.recovered.recovery_time_ns.record(now - lost.at)?;
        }
        Ok(())
    }
}

/// Returns a uniformly distributed random number from 0 to below 1.
fn random_share() -> f64 {
    f64::from(u32::from_ne_bytes(random_bytes())) / (f64::from(u32::MAX) + 1.0)
}

#[cfg(test)]
#[path = "tests/recovery.rs"]
mod tests;
