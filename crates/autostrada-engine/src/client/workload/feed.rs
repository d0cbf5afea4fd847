//! The messages of a feed: number, instant, and whether they come when they are due.

use autostrada_measure::{
    Broadcasts, Cadence, DURATION_NS_MAX, FailureKind, Nanos, RecordError, Regularity, Sequence,
    Ticks, Verdict,
};
use autostrada_proto::feed::{FeedEncoder, FeedKind, Heading, read_heading};
use autostrada_proto::frame::Opcode;

use super::{Message, Recorded};

/// So many broadcasts are remembered one by one; of more, every second, every fourth, …
const BROADCASTS_MAX: usize = 1 << 16;

/// What a feed promises.
#[derive(Debug, Clone, Copy)]
pub struct FeedTerms {
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
    terms: FeedTerms,
    /// By connection; of feeds with numbers.
    sequences: Vec<Sequence>,
    /// By connection, from the first message within the window on; of feeds with an interval.
    ticks: Vec<Option<Ticks>>,
}

impl FeedCheck {
    /// For so many connections; prepares what is recorded.
    pub fn new(terms: FeedTerms, connections: usize, recorded: &mut Recorded) -> Self {
        let is_numbered = matches!(terms.feed.kind, FeedKind::Sequence | FeedKind::Stocks);
        let numbered = if is_numbered { connections } else { 0 };
        let timed = terms.cadence.map_or(0, |_| connections);
        recorded.regularity = terms.cadence.map(Regularity::new);
        recorded.broadcasts = terms.is_broadcast.then(|| Broadcasts::new(BROADCASTS_MAX));
        Self {
            terms,
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
        let FeedEncoder { kind, encoding } = self.terms.feed;
        let heading = match read_heading(kind, encoding, message.payload) {
            Ok(heading) if message.opcode == self.terms.opcode => heading,
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
        let (Some(regularity), Some(cadence)) = (&mut recorded.regularity, self.terms.cadence)
        else {
            return;
        };
        for ticks in self.ticks.drain(..).flatten() {
            let due = ticks.due_until(&cadence, now);
            regularity.end(ticks, due);
        }
    }
}
