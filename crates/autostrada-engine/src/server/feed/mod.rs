//! The feed: its messages, their schedule, and its subscribers.

mod batch;
mod rounds;
mod schedule;

use std::sync::Arc;

use autostrada_measure::Nanos;

use crate::plan::FeedPlan;

pub use batch::Batch;
pub use rounds::{RoundStatus, Rounds};
pub use schedule::FeedSchedule;

/// Payload bytes per batch of a feed without an interval.
const BATCH_BYTES: usize = 64 * 1024;

/// Number of unsent bytes of a subscriber above which a feed without an interval waits for it.
pub const LAG_BYTES_MAX: usize = 64 * 1024;

/// Number of unsent bytes above which a subscriber of a feed with an interval is disconnected.
pub const BACKLOG_BYTES_MAX: usize = 16 * 1024 * 1024;

/// One thread's part of a feed.
#[derive(Debug)]
pub struct Feed {
    /// The schedule of the messages.
    pub schedule: FeedSchedule,
    /// The rounds, which all threads share.
    pub rounds: Arc<Rounds>,
    /// The round of this thread, counted from 0.
    pub round: usize,
    /// When the round began, in nanoseconds; `None` if it has not begun.
    pub started_ns: Option<Nanos>,
    /// The number of the next message.
    pub next: u64,
    /// Indices of the subscribed connections.
    pub subscribers: Vec<usize>,
    /// Index of a connection for which a feed without an interval waits; `None` if it waits for
    /// none.
    pub slow: Option<usize>,
    /// The messages that are being sent.
    pub batch: Batch,
    frames_bytes: usize,
}

impl Feed {
    /// Creates a thread's part of a feed, which waits for subscribers.
    ///
    /// `writes_single_frames`: whether each message is written by its own system call.
    pub fn new(plan: &FeedPlan, rounds: Arc<Rounds>, writes_single_frames: bool) -> Self {
        Self {
            schedule: FeedSchedule::new(plan),
            rounds,
            round: 0,
            started_ns: None,
            next: 0,
            subscribers: Vec::new(),
            slow: None,
            batch: Batch::new(plan.encoder(), plan.stocks),
            frames_bytes: if writes_single_frames { 1 } else { BATCH_BYTES },
        }
    }

    /// Returns whether this thread has no subscribers.
    pub fn is_empty(&self) -> bool {
        self.subscribers.is_empty()
    }

    /// Replaces the batch with the next message, which is due at `due_ns`.
    pub fn fill_with_next(&mut self, due_ns: Nanos) {
        self.batch.clear();
        self.batch.push(self.next, due_ns);
        self.next += 1;
    }

    /// Replaces the batch with as many messages as one write takes.
    ///
    /// Each has the timestamp that `now` returns.
    pub fn fill(&mut self, mut now: impl FnMut() -> Nanos) {
        self.batch.clear();
        while self.batch.payload_bytes() < self.frames_bytes
            && !self.schedule.is_past_last(self.next)
        {
            self.batch.push(self.next, now());
            self.next += 1;
            if self.batch.payload_bytes() == 0 {
                break;
            }
        }
    }

    /// Starts the next round, which waits for subscribers.
    pub fn start_next_round(&mut self) {
        self.round += 1;
        self.started_ns = None;
        self.next = 0;
        self.subscribers.clear();
        self.slow = None;
    }
}
