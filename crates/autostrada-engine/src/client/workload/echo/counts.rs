//! Counts of messages that are sent and answered.

use autostrada_measure::{Histogram, Nanos, RecordError, Recorder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::deliveries::Deliveries;
use super::in_flight::Pending;
use super::surplus::Surplus;
use crate::client::buckets::{Buckets, buckets};
use crate::client::merge::{Merge, merge};
use crate::client::timetable::Timetable;

/// An answer within this time after its message was due counts as immediate for the achieved share.
/// A server that keeps up responds faster, and a window is much longer.
const GRACE_NS_MAX: Nanos = 100_000_000;

/// The counts of a thread.
#[derive(Debug, Default)]
pub struct ExchangeCounts {
    /// Messages that were due within the window and sent.
    pub sent: u64,
    /// Messages among `sent` that were answered correctly.
    pub echoed: u64,
    /// Correct answers received within the window, whenever their messages were due.
    pub completed: u64,
    /// Messages among `completed` that were received in the first half of the window.
    pub completed_early: u64,
    /// Correct answers that count for the achieved share.
    pub sustained: u64,
    /// Correct answers received after the window.
    pub answered_in_drain: u64,
    /// Messages that were sent, whenever they were due, and were neither answered before the window
    /// ended nor correctly after it.
    pub unanswered: u64,
    /// Messages that were due within the window on connections that were not open.
    pub unsent: u64,
    /// Messages that were due within the window and too late to be sent.
    pub overdue: u64,
    /// Messages received that answer nothing, if answers are not checked.
    pub others: u64,
    /// Events received where acknowledgements answer.
    pub events: u64,
    /// Whether the rate was changed while messages were sent.
    pub is_changed: bool,
    /// Times within answers of several messages; `None` if answers are single messages.
    pub streams: Option<Box<Streams>>,
    /// Deliveries of messages that are timed by their instants; `None` if they are not.
    pub deliveries: Option<Box<Deliveries>>,
    /// Messages received when each message had its answer, of a closed loop.
    pub surplus: Surplus,
    /// How the answers were distributed over the connections.
    pub answers: Answers,
}

/// Times within answers of several messages, to messages that were due within the window.
#[derive(Debug, Clone, Default)]
pub struct Streams {
    /// From when a message was due until the first message of its answer was received.
    pub first_ns: Histogram,
    /// Between two messages of an answer.
    pub gap_ns: Histogram,
}

merge!(Streams {
    first_ns: each,
    gap_ns: each,
});

/// The answers of each connection on which messages were sent, in the whole trial. A message that
/// is overtaken by the answer to a later one counts as answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "AnswersPerConnection")]
pub struct Answers {
    /// Answers on the connection with the fewest; null if no message was sent.
    pub least: Option<u64>,
    /// Answers on the connection with the most.
    pub most: u64,
    /// Number of connections on which messages were sent and none was answered.
    pub connections_without: u64,
}

impl Answers {
    /// Adds a connection on which messages were sent.
    pub fn add(&mut self, answers: u64) {
        self.merge(&Self {
            least: Some(answers),
            most: answers,
            connections_without: u64::from(answers == 0),
        });
    }
}

merge!(Answers {
    least: least_of_known,
    most: most,
    connections_without: sum,
});

/// Whether what was due at an instant and received at another one counts for the achieved share.
///
/// It is placed at the later of two instants: when it was due, and a grace period before it was
/// received. The grace period is at most as long as the drain. A server that answers within the
/// grace period therefore achieves exactly what was due, however short the window is. A server that
/// falls behind achieves its own rate, over a window shifted by the grace period.
#[inline]
pub fn is_sustained(due: Nanos, now: Nanos, timetable: &Timetable) -> bool {
    let grace_ns = GRACE_NS_MAX.min(timetable.drain_ns());
    let placed_at = due.max(now.saturating_sub(grace_ns));
    timetable.window.contains(&placed_at)
}

impl ExchangeCounts {
    /// Returns the buckets of a time within answers of several messages; none if answers are single
    /// messages.
    pub fn stream_buckets(&self, time: impl Fn(&Streams) -> &Histogram) -> Buckets {
        let streams = self.streams.as_deref();
        streams.map_or_else(Buckets::new, |streams| buckets(time(streams)))
    }

    /// Records a correct answer.
    ///
    /// The answer counts as completed if it is received within the window. Its response time counts
    /// if its message was due within the window. For the achieved share, see [`is_sustained`].
    /// Returns an error if the response time exceeds an hour.
    #[inline]
    pub fn record_answer(
        &mut self,
        pending: Pending,
        now: Nanos,
        timetable: &Timetable,
        recorder: &mut Recorder,
    ) -> Result<(), RecordError> {
        let window = &timetable.window;
        if window.contains(&now) {
            self.completed += 1;
            self.completed_early += u64::from(timetable.is_in_first_half(now));
        } else if now >= window.end {
            self.answered_in_drain += 1;
        }
        self.sustained += u64::from(is_sustained(pending.due, now, timetable));
        if window.contains(&pending.due) {
            self.echoed += 1;
            recorder.record_echoed(pending.due, pending.sent, now)?;
        }
        Ok(())
    }
}

merge!(ExchangeCounts {
    sent: sum,
    echoed: sum,
    completed: sum,
    completed_early: sum,
    sustained: sum,
    answered_in_drain: sum,
    unanswered: sum,
    unsent: sum,
    overdue: sum,
    others: sum,
    events: sum,
    is_changed: any,
    streams: each,
    deliveries: each,
    surplus: each,
    answers: each,
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answers_of_two_threads_have_one_least_and_one_most() {
        let [mut ours, mut theirs, idle] = [Answers::default(); 3];
        ours.add(5);
        ours.add(3);
        theirs.add(0);
        theirs.add(9);
        ours.merge(&theirs);
        ours.merge(&idle);
        let all = Answers {
            least: Some(0),
            most: 9,
            connections_without: 1,
        };
        assert_eq!(ours, all);
    }
}
