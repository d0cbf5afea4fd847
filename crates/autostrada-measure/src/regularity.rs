//! Inter-arrival regularity of a feed with a planned interval: on time, late, or in bursts.

use thiserror::Error;

use crate::{Histogram, Nanos, RecordError};

/// The interval of a feed, and the limits for ticks on time and for bursts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cadence {
    interval_ns: Nanos,
    tolerance_ns: Nanos,
    burst_within_ns: Nanos,
}

impl Cadence {
    /// Creates a cadence of one tick every `interval_ns`.
    ///
    /// A tick is on time if it is within `tolerance_ns` of its planned instant. It belongs to the
    /// same burst as the tick before it if it follows within `burst_within_ns`.
    /// Returns an error if the interval is not longer than `burst_within_ns`, because ticks on time
    /// would be bursts.
    pub fn new(
        interval_ns: Nanos,
        tolerance_ns: Nanos,
        burst_within_ns: Nanos,
    ) -> Result<Self, CadenceError> {
        if burst_within_ns >= interval_ns {
            return Err(CadenceError {
                interval_ns,
                burst_within_ns,
            });
        }
        Ok(Self {
            interval_ns,
            tolerance_ns,
            burst_within_ns,
        })
    }
}

/// An interval that is too short to distinguish bursts from ticks on time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "an interval of {interval_ns} ns is not longer than the burst limit of {burst_within_ns} ns: \
     give a longer interval"
)]
pub struct CadenceError {
    interval_ns: Nanos,
    burst_within_ns: Nanos,
}

/// The state of the ticks of one connection, in 32 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticks {
    /// Instant of the first arrival; before that, the instant at which the connection joined.
    origin: Nanos,
    last_at: Nanos,
    arrived: u64,
    burst: u64,
}

impl Ticks {
    /// Creates the state of a connection that joined the feed at `joined_at`.
    pub fn new(joined_at: Nanos) -> Self {
        Self {
            origin: joined_at,
            last_at: joined_at,
            arrived: 0,
            burst: 0,
        }
    }

    /// Returns the number of ticks that have arrived.
    pub fn arrived(&self) -> u64 {
        self.arrived
    }

    /// Returns the number of ticks that were due by `end` minus the tolerance.
    ///
    /// Later ticks are due at multiples of the interval after the first arrival. Before the first
    /// arrival, the first tick is due one interval after the connection joined.
    pub fn due_until(&self, cadence: &Cadence, end: Nanos) -> u64 {
        let judged_until = end.saturating_sub(cadence.tolerance_ns);
        let Some(span) = judged_until.checked_sub(self.origin) else {
            return 0;
        };
        span / cadence.interval_ns + u64::from(self.arrived > 0)
    }

    /// Records an arrival; returns the time since the one before, or `None` for the first.
    fn arrive(&mut self, cadence: &Cadence, at: Nanos) -> Option<Nanos> {
        assert!(
            self.last_at <= at,
            "a tick arrived before the one before it"
        );
        let gap = (self.arrived > 0).then(|| at - self.last_at);
        if gap.is_none() {
            self.origin = at;
        }
        let bursts = gap.is_some_and(|gap| gap <= cadence.burst_within_ns);
        self.burst = if bursts { self.burst + 1 } else { 1 };
        self.last_at = at;
        self.arrived += 1;
        gap
    }
}

/// The regularity of delivery over any number of connections of one feed.
///
/// Use one of two methods for a feed: `record_tick` if it is known when each tick was due, else
/// `record_arrival`.
#[derive(Debug, Clone, PartialEq)]
pub struct Regularity {
    cadence: Cadence,
    /// Time from one arrival to the next on the same connection, in nanoseconds.
    pub inter_arrival_ns: Histogram,
    /// Number of judged ticks: all with `record_tick`; all except the first of each connection with
    /// `record_arrival`.
    pub judged: u64,
    /// Number of judged ticks that were on time.
    pub on_time: u64,
    /// Number of ticks in the largest burst; 1 if there was no burst, 0 if no tick arrived.
    pub burst_max: u64,
    /// Number of ticks that were due at the end and had not arrived.
    pub backlog: u64,
    /// Number of ticks that had arrived at the end and were not due.
    pub surplus: u64,
}

impl Regularity {
    /// Creates an empty record.
    pub fn new(cadence: Cadence) -> Self {
        Self {
            cadence,
            inter_arrival_ns: Histogram::new(),
            judged: 0,
            on_time: 0,
            burst_max: 0,
            backlog: 0,
            surplus: 0,
        }
    }

    /// Records an arrival, which is on time if it is one interval after the one before.
    ///
    /// A late tick is not on time, and neither is the next one. After lost ticks, only the next one
    /// is not on time.
    pub fn record_arrival(&mut self, ticks: &mut Ticks, at: Nanos) -> Result<(), RecordError> {
        if let Some(gap) = self.arrive(ticks, at)? {
            self.judge(gap, self.cadence.interval_ns);
        }
        Ok(())
    }

    /// Records the arrival of a tick that was due at `due`.
    pub fn record_tick(
        &mut self,
        ticks: &mut Ticks,
        due: Nanos,
        at: Nanos,
    ) -> Result<(), RecordError> {
        self.arrive(ticks, at)?;
        self.judge(at, due);
        Ok(())
    }

    /// Ends a connection on which `due` ticks were due, for example by [`Ticks::due_until`].
    pub fn end(&mut self, ticks: Ticks, due: u64) {
        self.backlog += due.saturating_sub(ticks.arrived);
        self.surplus += ticks.arrived.saturating_sub(due);
    }

    /// Adds the record of another thread for the same feed.
    /// Panics if the cadences differ.
    pub fn merge(&mut self, other: &Self) {
        assert_eq!(self.cadence, other.cadence, "two feeds are two metrics");
        self.inter_arrival_ns.merge(&other.inter_arrival_ns);
        self.judged += other.judged;
        self.on_time += other.on_time;
        self.burst_max = self.burst_max.max(other.burst_max);
        self.backlog += other.backlog;
        self.surplus += other.surplus;
    }

    fn arrive(&mut self, ticks: &mut Ticks, at: Nanos) -> Result<Option<Nanos>, RecordError> {
        let gap = ticks.arrive(&self.cadence, at);
        self.burst_max = self.burst_max.max(ticks.burst);
        if let Some(gap) = gap {
            self.inter_arrival_ns.record(gap)?;
        }
        Ok(gap)
    }

    fn judge(&mut self, actual: Nanos, planned: Nanos) {
        self.judged += 1;
        self.on_time += u64::from(actual.abs_diff(planned) <= self.cadence.tolerance_ns);
    }
}
