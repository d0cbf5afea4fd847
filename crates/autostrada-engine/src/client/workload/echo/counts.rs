//! What is counted of messages that are sent and answered.

use autostrada_measure::{Nanos, RecordError, Recorder};

use super::in_flight::Pending;
use crate::client::start::Timetable;
use crate::client::workload::Merge;

/// An answer within this time of when its message was due is on time for the achieved share: it is
/// longer than a server that keeps up takes, and short beside a window.
const GRACE_NS_MAX: Nanos = 100_000_000;

/// What a thread has counted.
#[derive(Debug, Default)]
pub struct ExchangeCounts {
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
}

impl ExchangeCounts {
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
        recorder: &mut Recorder,
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
            recorder.record_echoed(pending.due, pending.sent, now)?;
        }
        Ok(())
    }
}

impl Merge for ExchangeCounts {
    fn merge(&mut self, other: &Self) {
        self.sent += other.sent;
        self.echoed += other.echoed;
        self.completed += other.completed;
        self.sustained += other.sustained;
        self.answered_in_drain += other.answered_in_drain;
        self.unanswered += other.unanswered;
        self.unsent += other.unsent;
        self.overdue += other.overdue;
    }
}
