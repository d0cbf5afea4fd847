//! Checks of the messages of a feed: number, instant, and whether they arrive when they are due.

use autostrada_measure::{
    Broadcasts, Cadence, DURATION_NS_MAX, FailureKind, Nanos, NumberClass, RecordError, Regularity,
    Sequence, Ticks,
};
use autostrada_proto::feed::{FeedEncoder, FeedKind, Heading, read_heading};
use autostrada_proto::frame::Opcode;
use schemars::JsonSchema;
use serde::Deserialize;

use super::message::Message;
use super::records::Records;
use crate::plan::{FeedEncodingName, FeedKindName, PlanError, nanos};

/// Maximum number of broadcast messages recorded individually; of more, every second is recorded,
/// then every fourth, and so on.
const BROADCASTS_MAX: usize = 1 << 16;

/// Tolerance as a share of the interval: a message that arrives within it is on time, and one that
/// follows another within it belongs to the same burst.
const TOLERANCE_SHARE: f64 = 0.1;

/// Minimum and maximum of the interval of a feed, in milliseconds.
const EVERY_MS_MIN: f64 = 0.001;
const EVERY_MS_MAX: f64 = 3_600_000.0;

/// The feed that the client expects from the server, and checks.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectedFeed {
    /// Content of the messages.
    kind: FeedKindName,
    /// Encoding of the messages.
    #[serde(default)]
    encoding: FeedEncodingName,
    /// Interval at which messages are due, in milliseconds. If it is given, the regularity is
    /// reported. Default: the feed is continuous.
    #[schemars(range(min = EVERY_MS_MIN, max = EVERY_MS_MAX))]
    every_ms: Option<f64>,
    /// Whether each message is sent to all connections, and the fan-out skew is reported. Requires
    /// a `kind` with message numbers: `sequence` or `stocks`.
    #[serde(default)]
    pub broadcast: bool,
}

impl ExpectedFeed {
    /// Returns the content and the encoding of the messages.
    pub fn encoder(&self) -> FeedEncoder {
        FeedEncoder {
            kind: self.kind.into(),
            encoding: self.encoding.into(),
        }
    }

    /// Whether messages contain the instant at which they were due.
    pub fn has_instants(&self) -> bool {
        matches!(self.encoder().kind, FeedKind::Clock | FeedKind::Stocks)
    }

    /// Returns the interval at which messages are due, or `None` if the feed is continuous.
    pub fn interval_ns(&self) -> Option<Nanos> {
        self.every_ms.map(|every_ms| nanos(every_ms / 1e3))
    }

    /// Returns the interval with its tolerances, or `None` if the feed is continuous.
    pub fn cadence(&self) -> Result<Option<Cadence>, PlanError> {
        let Some(every_ms) = self.every_ms else {
            return Ok(None);
        };
        if !(EVERY_MS_MIN..=EVERY_MS_MAX).contains(&every_ms) {
            return Err(PlanError::new(
                "feed.every_ms must be from 0.001 to 3600000",
            ));
        }
        let part_ns = nanos(every_ms / 1e3 * TOLERANCE_SHARE);
        Cadence::new(nanos(every_ms / 1e3), part_ns, part_ns)
            .map(Some)
            .map_err(|error| PlanError::new(format!("feed.every_ms: {error}")))
    }

    /// Checks the constraints that the types do not express.
    /// Returns an error if the interval is out of range, or a broadcast has no message numbers.
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

/// The expected properties of a feed.
#[derive(Debug, Clone, Copy)]
pub struct FeedExpectation {
    /// Content and encoding of the messages.
    pub feed: FeedEncoder,
    /// Type of the messages when they arrive.
    pub opcode: Opcode,
    /// Interval of the messages with its tolerances, or `None` if the feed is continuous.
    pub cadence: Option<Cadence>,
    /// Whether each message is sent to all connections.
    pub is_broadcast: bool,
}

/// Checks the messages of a thread's connections against the expected feed.
#[derive(Debug)]
pub struct FeedCheck {
    expectation: FeedExpectation,
    /// For each connection, the order of its messages; empty if messages have no numbers.
    sequences: Vec<Sequence>,
    /// For each connection, the messages received since the window began; empty if the feed has no
    /// interval.
    ticks: Vec<Option<Ticks>>,
}

impl FeedCheck {
    /// Creates a check for this many connections, and prepares `records` for it.
    pub fn new(expectation: FeedExpectation, connections: usize, records: &mut Records) -> Self {
        let is_numbered = matches!(expectation.feed.kind, FeedKind::Sequence | FeedKind::Stocks);
        let numbered = if is_numbered { connections } else { 0 };
        let timed = expectation.cadence.map_or(0, |_| connections);
        records.regularity = expectation.cadence.map(Regularity::new);
        records.broadcasts = expectation
            .is_broadcast
            .then(|| Broadcasts::new(BROADCASTS_MAX));
        Self {
            expectation,
            sequences: vec![Sequence::joining(); numbered],
            ticks: vec![None; timed],
        }
    }

    /// Checks a message. Outside of the window, its order and its instant are not recorded.
    pub fn check(
        &mut self,
        connection: usize,
        message: Message<'_>,
        now: Nanos,
        is_in_window: bool,
        records: &mut Records,
    ) -> Result<(), RecordError> {
        let FeedEncoder { kind, encoding } = self.expectation.feed;
        let heading = match read_heading(kind, encoding, message.payload) {
            Ok(heading) if message.opcode == self.expectation.opcode => heading,
            _ => {
                records.record_wrong(message, now);
                return Ok(());
            }
        };
        if let (Some(number), Some(sequence)) = (heading.number, self.sequences.get_mut(connection))
        {
            let class = sequence.classify(number);
            if is_in_window {
                records.sequence.count(class);
            }
            let is_new = !matches!(class, NumberClass::Duplicate | NumberClass::Unexpected);
            if let Some(broadcasts) = records.broadcasts.as_mut().filter(|_| is_new) {
                broadcasts.record(number, now);
            }
        }
        if !is_in_window {
            return Ok(());
        }
        self.check_instant(connection, heading, now, records)
    }

    fn check_instant(
        &mut self,
        connection: usize,
        heading: Heading,
        now: Nanos,
        records: &mut Records,
    ) -> Result<(), RecordError> {
        let mut due = None;
        if let Some(time_ns) = heading.time_ns {
            match now.checked_sub(time_ns) {
                Some(delivery_ns) if delivery_ns <= DURATION_NS_MAX => {
                    records.latencies.delivery_time_ns.record(delivery_ns)?;
                    due = Some(time_ns);
                }
                _ => records.failures.record(FailureKind::Mismatch, now, || {
                    format!(
                        "a message received at {now} has the instant {time_ns}: run server and \
                         client on one machine, as two clocks differ"
                    )
                }),
            }
        }
        let (Some(regularity), Some(ticks)) =
            (&mut records.regularity, self.ticks.get_mut(connection))
        else {
            return Ok(());
        };
        let ticks = ticks.get_or_insert_with(|| Ticks::new(now));
        match due {
            Some(due) => regularity.record_tick(ticks, due, now),
            None => regularity.record_arrival(ticks, now),
        }
    }

    /// Registers a connection that is open when the workload starts: its messages are due from the
    /// beginning of the window.
    pub fn join(&mut self, connection: usize, window_start: Nanos) {
        if let Some(ticks) = self.ticks.get_mut(connection) {
            ticks.get_or_insert_with(|| Ticks::new(window_start));
        }
    }

    /// Removes a connection that has ended: no further message is due on it.
    pub fn leave(&mut self, connection: usize, records: &mut Records) {
        let ticks = self.ticks.get_mut(connection).and_then(Option::take);
        if let (Some(regularity), Some(ticks)) = (&mut records.regularity, ticks) {
            regularity.end(ticks, ticks.arrived());
        }
    }

    /// Ends the check with the window: messages that were due and not received are backlog.
    pub fn end(&mut self, now: Nanos, records: &mut Records) {
        let (Some(regularity), Some(cadence)) = (&mut records.regularity, self.expectation.cadence)
        else {
            return;
        };
        for ticks in self.ticks.drain(..).flatten() {
            let due = ticks.due_until(&cadence, now);
            regularity.end(ticks, due);
        }
    }
}
