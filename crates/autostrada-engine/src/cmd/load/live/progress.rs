//! What is known of a load while it runs.

use std::collections::{BTreeMap, VecDeque};

use autostrada_measure::{FailureKind, Nanos};

use crate::client::{LoadSecond, Timetable};
use crate::cmd::load::times::{QUANTILES, by_power, quantiles};

/// Number of seconds that are remembered: more than any terminal has columns.
const SECONDS_MAX: usize = 1_000;

/// Factor by which a key changes the rate.
const STEP: f64 = 1.1;

/// What is known of a load while it runs.
#[derive(Debug, Default)]
pub struct Progress {
    /// What was asked for, in one line.
    pub title: String,
    /// Number of connections to hold.
    pub connections: u64,
    /// The newest seconds, oldest first.
    pub seconds: VecDeque<Second>,
    /// Connections that opened.
    pub opened: u64,
    /// Connections that ended.
    pub closed: u64,
    /// Failures by kind.
    pub failures: BTreeMap<&'static str, u64>,
    /// What the server's process uses.
    pub server: Option<String>,
    /// Whether the user has ended the load.
    pub is_stopping: bool,
    /// The rate of an open loop compared with what was asked for; `None` in a closed loop.
    pub factor: Option<f64>,
    /// Whether the open loop pauses.
    pub is_paused: bool,
    /// Its phases, once the first messages are sent.
    pub timetable: Option<Timetable>,
}

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Ends the load, the second time at once.
    Stop,
    /// Raises the rate of an open loop by a tenth.
    Faster,
    /// Lowers the rate of an open loop by as much.
    Slower,
    /// Pauses an open loop, or goes on.
    Pause,
}

/// What is shown of a second.
#[derive(Debug, Clone, PartialEq)]
pub struct Second {
    /// Messages received.
    pub messages: u64,
    /// Messages sent.
    pub sent: u64,
    /// Busy time of all threads of the load generator, as a share of a core.
    pub utilization: f64,
    /// Number of response times, or delivery times, between a power of two of nanoseconds and the
    /// next.
    pub times: BTreeMap<u32, u64>,
    /// Quantiles of these times, in words; empty without times.
    pub quantiles: String,
}

/// The phase of a load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Phase {
    /// Its name.
    pub name: &'static str,
    /// Share of the phase that is over, in [0, 1].
    pub done: f64,
    /// Time until its end; `None` if it is not known.
    pub left_ns: Option<Nanos>,
}

impl Progress {
    /// Adds a second.
    pub fn add(&mut self, second: &LoadSecond) {
        let tally = &second.tally;
        self.opened += tally.opened;
        self.closed += tally.closed;
        for (kind, count) in FailureKind::ALL.iter().zip(tally.failures_by_kind) {
            if count > 0 {
                *self.failures.entry(kind.name()).or_default() += count;
            }
        }
        let buckets = second.times();
        if self.seconds.len() == SECONDS_MAX {
            self.seconds.pop_front();
        }
        self.seconds.push_back(Second {
            messages: tally.messages,
            sent: tally.sent,
            utilization: tally.busy_ns as f64 / 1e9,
            times: by_power(buckets),
            quantiles: quantiles(buckets, &QUANTILES).join("   "),
        });
    }

    /// Changes the rate; does nothing in a closed loop.
    pub fn obey(&mut self, action: Action) {
        let Some(factor) = &mut self.factor else {
            return;
        };
        match action {
            Action::Faster => *factor *= STEP,
            Action::Slower => *factor /= STEP,
            Action::Pause => self.is_paused = !self.is_paused,
            Action::Stop => {}
        }
    }

    /// Returns the factor of the planned rate, 0 in a pause.
    pub fn pace(&self) -> f64 {
        if self.is_paused {
            0.0
        } else {
            self.factor.unwrap_or(1.0)
        }
    }

    /// Returns the number of connections that are open.
    pub fn open(&self) -> u64 {
        self.opened.saturating_sub(self.closed)
    }

    /// Returns the phase at an instant.
    pub fn phase(&self, now: Nanos) -> Phase {
        let Some(Timetable {
            started_at,
            window,
            drained_at,
        }) = &self.timetable
        else {
            return Phase {
                name: "connecting",
                done: share(self.opened, self.connections),
                left_ns: None,
            };
        };
        let (name, start, end) = if now < window.start {
            ("warm-up", *started_at, window.start)
        } else if now < window.end {
            ("measuring", window.start, window.end)
        } else {
            ("waiting for answers", window.end, *drained_at)
        };
        Phase {
            name,
            done: share(now.saturating_sub(start), end - start),
            left_ns: Some(end.saturating_sub(now)),
        }
    }
}

/// Returns a part as a share of a whole, at most 1.
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        return 1.0;
    }
    (part as f64 / whole as f64).min(1.0)
}

#[cfg(test)]
#[path = "tests/progress.rs"]
mod tests;
