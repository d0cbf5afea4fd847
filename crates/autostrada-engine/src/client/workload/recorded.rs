//! What the workloads record, each its part of it.

use autostrada_measure::{
    Broadcasts, FailureKind, Failures, Histogram, Nanos, RecordError, Recorder, Regularity,
    SequenceCounts,
};

use super::Message;
use super::in_flight::Pending;
use crate::client::start::Timetable;

/// An answer within this time of when its message was due is on time for the achieved share: it is
/// longer than a server that keeps up takes, and short beside a window.
const GRACE_NS_MAX: Nanos = 100_000_000;

/// What a thread has recorded.
#[derive(Debug, Default)]
pub struct Recorded {
    /// Messages that were received, wrong ones included; not those of slow connections.
    pub messages: u64,
    /// Their payload bytes.
    pub bytes: u64,
    /// The last of them.
    pub received_ns: Nanos,
    /// Messages whose type or content was not the one expected.
    pub wrong: u64,
    /// Messages that were sent, whenever they were due.
    pub sent_in_all: u64,
    /// Messages that were sent, and due within the window.
    pub sent: u64,
    /// Of these, those that came back as they should.
    pub echoed: u64,
    /// Correct answers that came within the window, whenever their messages were due.
    pub completed: u64,
    /// Correct answers whose place for the achieved share is within the window.
    pub sustained: u64,
    /// Correct answers that came after the window.
    pub answered_in_drain: u64,
    /// Messages that were sent, whenever they were due, and not answered when the window ended, nor
    /// correctly after it.
    pub unanswered: u64,
    /// Messages that were due within the window on connections that were not open.
    pub unsent: u64,
    /// Messages that were due within the window, and too late to be sent at all.
    pub overdue: u64,
    /// How long it took.
    pub latencies: Latencies,
    /// Of messages with a number.
    pub sequence: SequenceCounts,
    /// Of a feed with an interval.
    pub regularity: Option<Regularity>,
    /// Of a broadcast.
    pub broadcasts: Option<Broadcasts>,
    /// What slow connections were sent.
    pub slow: SlowCounts,
    /// Wrong messages, and answers that did not come.
    pub failures: Failures,
}

/// How long it took, since it was last told: a thread hands them on each second, and keeps none.
#[derive(Debug, Default)]
pub struct Latencies {
    /// Of messages that were due within the window.
    pub recorder: Recorder,
    /// From the instant in a message to its arrival.
    pub delivery_time_ns: Histogram,
}

impl Latencies {
    /// Adds what another thread, or another second, has recorded.
    pub fn merge(&mut self, other: &Self) {
        self.recorder.merge(&other.recorder);
        self.delivery_time_ns.merge(&other.delivery_time_ns);
    }

    /// Forgets all, and keeps the memory.
    pub fn clear(&mut self) {
        self.recorder.clear();
        self.delivery_time_ns.clear();
    }
}

/// What slow connections have received.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct SlowCounts {
    /// How many there are.
    pub connections: u64,
    /// What they have read.
    pub messages: u64,
    /// Their payload bytes.
    pub bytes: u64,
    /// How many the peer has closed.
    pub closed: u64,
}

impl Recorded {
    /// Counts a message.
    #[inline]
    pub fn count(&mut self, messages: u64, bytes: u64, now: Nanos) {
        self.messages += messages;
        self.bytes += bytes;
        self.received_ns = now;
    }

    /// Records a correct answer.
    ///
    /// It completes within the window by the instant at which it came, and its response time counts
    /// by the instant at which its message was due. For the achieved share, it stands where its
    /// message was due, or a grace before it came, whichever is later; the grace is no longer than
    /// the drain. So a server that answers within the grace has achieved just what was due, however
    /// short the window; and what a server that falls behind has achieved is its own rate over a
    /// window moved by the grace.
    ///
    /// # Errors
    ///
    /// When it took more than an hour.
    #[inline]
    pub fn record_answer(
        &mut self,
        pending: Pending,
        now: Nanos,
        timetable: &Timetable,
    ) -> Result<(), RecordError> {
        let window = &timetable.window;
        if window.contains(&now) {
            self.completed += 1;
        } else if now >= window.end {
            self.answered_in_drain += 1;
        }
        let grace_ns = GRACE_NS_MAX.min(timetable.drain_ns());
        let placed_at = pending.due.max(now.saturating_sub(grace_ns));
        self.sustained += u64::from(window.contains(&placed_at));
        if window.contains(&pending.due) {
            self.echoed += 1;
            let recorder = &mut self.latencies.recorder;
            recorder.record_echoed(pending.due, pending.sent, now)?;
        }
        Ok(())
    }

    /// Counts a message that should not have come.
    pub fn record_wrong(&mut self, message: Message<'_>, now: Nanos) {
        self.wrong += 1;
        self.failures
            .record(FailureKind::Mismatch, now, || message.describe());
    }

    /// Adds what another thread has recorded.
    pub fn merge(&mut self, other: &Self) {
        self.messages += other.messages;
        self.bytes += other.bytes;
        self.received_ns = self.received_ns.max(other.received_ns);
        self.wrong += other.wrong;
        self.sent_in_all += other.sent_in_all;
        self.sent += other.sent;
        self.echoed += other.echoed;
        self.completed += other.completed;
        self.sustained += other.sustained;
        self.answered_in_drain += other.answered_in_drain;
        self.unanswered += other.unanswered;
        self.unsent += other.unsent;
        self.overdue += other.overdue;
        self.latencies.merge(&other.latencies);
        self.sequence.merge(&other.sequence);
        merge_option(
            &mut self.regularity,
            other.regularity.as_ref(),
            Regularity::merge,
        );
        merge_option(
            &mut self.broadcasts,
            other.broadcasts.as_ref(),
            Broadcasts::merge,
        );
        self.slow.merge(other.slow);
        self.failures.merge(&other.failures);
    }
}

fn merge_option<T: Clone>(ours: &mut Option<T>, theirs: Option<&T>, merge: impl Fn(&mut T, &T)) {
    match (ours, theirs) {
        (_, None) => {}
        (Some(ours), Some(theirs)) => merge(ours, theirs),
        (ours, theirs) => *ours = theirs.cloned(),
    }
}

impl SlowCounts {
    fn merge(&mut self, other: Self) {
        self.connections += other.connections;
        self.messages += other.messages;
        self.bytes += other.bytes;
        self.closed += other.closed;
    }
}
