//! The messages of a feed: number, instant, and whether they come when they are due.

use autostrada_measure::{
    Broadcasts, Cadence, DURATION_NS_MAX, FailureKind, Nanos, RecordError, Regularity, Sequence,
    Ticks, Verdict,
};
use autostrada_proto::feed::{FeedEncoder, FeedKind, Heading, read_heading};
use autostrada_proto::frame::Opcode;
use schemars::JsonSchema;
use serde::Deserialize;

use super::message::Message;
use super::recorded::Recorded;
use crate::plan::{FeedEncodingName, FeedKindName, PlanError, nanos};

/// So many broadcasts are remembered one by one; of more, every second, every fourth, …
const BROADCASTS_MAX: usize = 1 << 16;

/// A tick within this share of its interval is on time, and one that follows another within it
/// is in one burst with it.
const TOLERANCE_SHARE: f64 = 0.1;

/// The bounds of the interval of a feed.
const EVERY_MS_MIN: f64 = 0.001;
const EVERY_MS_MAX: f64 = 3_600_000.0;

/// The feed that a server sends, as the client checks it.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectedFeed {
    /// What the messages hold.
    kind: FeedKindName,
    /// How the messages are encoded.
    #[serde(default)]
    encoding: FeedEncodingName,
    /// The interval at which messages are due, in milliseconds. Without it, the feed is
    /// continuous.
    #[schemars(range(min = EVERY_MS_MIN, max = EVERY_MS_MAX))]
    every_ms: Option<f64>,
    /// Each message goes to all connections: report the fan-out skew. Only of `sequence` and `stocks`,
    /// whose messages have numbers.
    #[serde(default)]
    pub broadcast: bool,
}

impl ExpectedFeed {
    /// How its messages are made.
    pub fn encoder(&self) -> FeedEncoder {
        FeedEncoder {
            kind: self.kind.into(),
            encoding: self.encoding.into(),
        }
    }

    /// Whether its messages tell when they were due.
    pub fn has_instants(&self) -> bool {
        matches!(self.encoder().kind, FeedKind::Clock | FeedKind::Stocks)
    }

    /// The interval, and what is on time.
    ///
    /// # Errors
    ///
    /// When it is no interval.
    pub fn cadence(&self) -> Result<Option<Cadence>, PlanError> {
        let Some(every_ms) = self.every_ms else {
            return Ok(None);
        };
        if !(EVERY_MS_MIN..=EVERY_MS_MAX).contains(&every_ms) {
            return Err(PlanError::new("feed.every_ms is 0.001 to 3600000"));
        }
        let part_ns = nanos(every_ms / 1e3 * TOLERANCE_SHARE);
        Cadence::new(nanos(every_ms / 1e3), part_ns, part_ns)
            .map(Some)
            .map_err(|error| PlanError::new(format!("feed.every_ms: {error}")))
    }

    /// Checks what the types cannot.
    ///
    /// # Errors
    ///
    /// When it is a broadcast without numbers, or has no interval.
    pub fn check(&self) -> Result<(), PlanError> {
        self.cadence()?;
        let is_numbered = matches!(self.encoder().kind, FeedKind::Sequence | FeedKind::Stocks);
        if self.broadcast && !is_numbered {
            return Err(PlanError::new(
                "feed.broadcast needs a feed with numbers: sequence or stocks",
            ));
        }
        Ok(())
    }
}

/// What a feed promises.
#[derive(Debug, Clone, Copy)]
pub struct FeedExpectation {
    /// What its messages are.
    pub feed: FeedEncoder,
    /// As what they arrive.
    pub opcode: Opcode,
    /// When they are due, where they are at an interval.
    pub cadence: Option<Cadence>,
    /// Whether each goes to all connections.
    pub is_broadcast: bool,
}

/// Checks the messages of a thread's connections against it.
#[derive(Debug)]
pub struct FeedCheck {
    expectation: FeedExpectation,
    /// By connection; of feeds with numbers.
    sequences: Vec<Sequence>,
    /// By connection, from the first message within the window on; of feeds with an interval.
    ticks: Vec<Option<Ticks>>,
}

impl FeedCheck {
    /// For so many connections; prepares what is recorded.
    pub fn new(expectation: FeedExpectation, connections: usize, recorded: &mut Recorded) -> Self {
        let is_numbered = matches!(expectation.feed.kind, FeedKind::Sequence | FeedKind::Stocks);
        let numbered = if is_numbered { connections } else { 0 };
        let timed = expectation.cadence.map_or(0, |_| connections);
        recorded.regularity = expectation.cadence.map(Regularity::new);
        recorded.broadcasts = expectation
            .is_broadcast
            .then(|| Broadcasts::new(BROADCASTS_MAX));
        Self {
            expectation,
            sequences: vec![Sequence::joining(); numbered],
            ticks: vec![None; timed],
        }
    }

    /// Judges a message; one outside of the window is only checked.
    ///
    /// # Errors
    ///
    /// When a duration cannot be recorded.
    pub fn check(
        &mut self,
        connection: usize,
        message: Message<'_>,
        now: Nanos,
        is_in_window: bool,
        recorded: &mut Recorded,
    ) -> Result<(), RecordError> {
        let FeedEncoder { kind, encoding } = self.expectation.feed;
        let heading = match read_heading(kind, encoding, message.payload) {
            Ok(heading) if message.opcode == self.expectation.opcode => heading,
            _ => {
                recorded.record_wrong(message, now);
                return Ok(());
            }
        };
        if let (Some(number), Some(sequence)) = (heading.number, self.sequences.get_mut(connection))
        {
            let verdict = sequence.check(number);
            if is_in_window {
                recorded.sequence.count(verdict);
            }
            let is_new = !matches!(verdict, Verdict::Duplicate | Verdict::Unexpected);
            if let Some(broadcasts) = recorded.broadcasts.as_mut().filter(|_| is_new) {
                broadcasts.record(number, now);
            }
        }
        if !is_in_window {
            return Ok(());
        }
        self.check_instant(connection, heading, now, recorded)
    }

    fn check_instant(
        &mut self,
        connection: usize,
        heading: Heading,
        now: Nanos,
        recorded: &mut Recorded,
    ) -> Result<(), RecordError> {
        let mut due = None;
        if let Some(time_ns) = heading.time_ns {
            match now.checked_sub(time_ns) {
                Some(delivery_ns) if delivery_ns <= DURATION_NS_MAX => {
                    recorded.latencies.delivery_time_ns.record(delivery_ns)?;
                    due = Some(time_ns);
                }
                _ => recorded.failures.record(FailureKind::Mismatch, now, || {
                    format!(
                        "the instant {time_ns} in a message that came at {now}: the clocks of \
                         two machines do not agree"
                    )
                }),
            }
        }
        let (Some(regularity), Some(ticks)) =
            (&mut recorded.regularity, self.ticks.get_mut(connection))
        else {
            return Ok(());
        };
        let ticks = ticks.get_or_insert_with(|| Ticks::new(now));
        match due {
            Some(due) => regularity.record_tick(ticks, due, now),
            None => regularity.record_arrival(ticks, now),
        }
    }

    /// A connection is open when the window begins: from then on its ticks are due.
    pub fn join(&mut self, connection: usize, window_start: Nanos) {
        if let Some(ticks) = self.ticks.get_mut(connection) {
            ticks.get_or_insert_with(|| Ticks::new(window_start));
        }
    }

    /// A connection is over: none of its ticks is due any more.
    pub fn leave(&mut self, connection: usize, recorded: &mut Recorded) {
        let ticks = self.ticks.get_mut(connection).and_then(Option::take);
        if let (Some(regularity), Some(ticks)) = (&mut recorded.regularity, ticks) {
            regularity.end(ticks, ticks.arrived());
        }
    }

    /// The window is over: what was due and has not come is backlog.
    pub fn end(&mut self, now: Nanos, recorded: &mut Recorded) {
        let (Some(regularity), Some(cadence)) =
            (&mut recorded.regularity, self.expectation.cadence)
        else {
            return;
        };
        for ticks in self.ticks.drain(..).flatten() {
            let due = ticks.due_until(&cadence, now);
            regularity.end(ticks, due);
        }
    }
}
