//! How regularly a feed with a planned interval is delivered: on time, or late and in bursts.

use std::error::Error;
use std::fmt;

use crate::{Histogram, Nanos, RecordError};

/// The plan of a feed, and what is called on time and a burst.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "units are last in every name")]
pub struct Cadence {
    interval_ns: Nanos,
    tolerance_ns: Nanos,
    burst_within_ns: Nanos,
}

impl Cadence {
    /// A tick every `interval_ns`. One that is within `tolerance_ns` of its plan is on time, and
    /// one that follows another within `burst_within_ns` bursts with it.
    ///
    /// # Errors
    ///
    /// When the interval is zero, or so short that ticks on time would be bursts.
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

/// An interval in which no burst could be told from ticks on time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CadenceError {
    interval_ns: Nanos,
    burst_within_ns: Nanos,
}

impl fmt::Display for CadenceError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "ticks every {} ns are all within {} ns of one another: give a longer interval",
            self.interval_ns, self.burst_within_ns
        )
    }
}

impl Error for CadenceError {}

/// What is remembered of the ticks of one connection: 32 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticks {
    /// The first arrival; until then, when the connection joined.
    origin: Nanos,
    last_at: Nanos,
    arrived: u64,
    burst: u64,
}

impl Ticks {
    /// Those of a connection that joined the feed at `joined_at`.
    #[must_use]
    pub fn new(joined_at: Nanos) -> Self {
        Self {
            origin: joined_at,
            last_at: joined_at,
            arrived: 0,
            burst: 0,
        }
    }

    /// How many have arrived.
    #[must_use]
    pub fn arrived(&self) -> u64 {
        self.arrived
    }

    /// How many were due by `end`, less the tolerance, going by the first arrival alone.
    ///
    /// Before it, the first tick is due one interval after the connection joined.
    #[must_use]
    pub fn due_until(&self, cadence: &Cadence, end: Nanos) -> u64 {
        let judged_until = end.saturating_sub(cadence.tolerance_ns);
        let Some(span) = judged_until.checked_sub(self.origin) else {
            return 0;
        };
        span / cadence.interval_ns + u64::from(self.arrived > 0)
    }

    /// Takes an arrival; returns the time since the one before, if there was one.
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

/// The regularity of delivery, over any number of connections of one feed.
///
/// Two ways to judge, of which a feed uses one: `record_arrival` where only the arrivals are
/// known, `record_tick` where it is known when each tick was due.
#[derive(Debug, Clone, PartialEq)]
pub struct Regularity {
    cadence: Cadence,
    /// From one arrival to the next on the same connection.
    pub inter_arrival_ns: Histogram,
    /// Ticks that were judged: all, or, by the arrivals alone, all but the first.
    pub judged: u64,
    /// Those of them within the tolerance of their plan.
    pub on_time: u64,
    /// The most ticks in a row of which each followed the one before within a moment, although
    /// they were due an interval apart; 1 is none, and 0 that nothing arrived.
    pub burst_max: u64,
    /// Ticks that were due at the end and had not arrived.
    pub backlog: u64,
    /// Ticks that had arrived at the end and were not due.
    pub surplus: u64,
}

impl Regularity {
    /// Nothing recorded yet.
    #[must_use]
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

    /// Records an arrival; on time if it came one interval after the one before.
    ///
    /// A tick that is late makes itself and the next irregular; ticks lost on the way make only
    /// the one after them irregular.
    ///
    /// # Errors
    ///
    /// When it came more than an hour after the one before.
    pub fn record_arrival(&mut self, ticks: &mut Ticks, at: Nanos) -> Result<(), RecordError> {
        if let Some(gap) = self.arrive(ticks, at)? {
            self.judge(gap, self.cadence.interval_ns);
        }
        Ok(())
    }

    /// Records an arrival of a tick whose plan is known; on time if it came then.
    ///
    /// # Errors
    ///
    /// When it came more than an hour after the one before.
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

    /// Closes a connection of which `due` ticks were due, as by `Ticks::due_until`.
    pub fn end(&mut self, ticks: Ticks, due: u64) {
        self.backlog += due.saturating_sub(ticks.arrived);
        self.surplus += ticks.arrived.saturating_sub(due);
    }

    /// The share of the judged ticks that were on time; `None` where none was judged.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a ratio for display")]
    pub fn on_time_share(&self) -> Option<f64> {
        (self.judged > 0).then(|| self.on_time as f64 / self.judged as f64)
    }

    /// Adds what another thread has recorded of the same feed.
    pub fn merge(&mut self, other: &Self) {
        assert_eq!(self.cadence, other.cadence, "two feeds are two figures");
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
