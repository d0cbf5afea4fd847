//! The feed: what all subscribers get, and when.

mod batch;
mod pace;
mod rounds;

use std::sync::Arc;

use autostrada_measure::Nanos;

use crate::plan::FeedPlan;

pub use batch::Batch;
pub use pace::Pace;
pub use rounds::{RoundStatus, Rounds};

/// What is made at once of a feed without an interval.
const BATCH_BYTES: usize = 64 * 1024;

/// A feed without an interval waits for a subscriber for which so much waits.
pub const LAG_BYTES_MAX: usize = 64 * 1024;

/// A subscriber for which so much waits when a message is due is disconnected.
pub const BACKLOG_BYTES_MAX: usize = 16 * 1024 * 1024;

/// One thread's part of a feed.
#[derive(Debug)]
pub struct Feed {
    /// When messages are due.
    pub pace: Pace,
    /// What the threads know of each other's part.
    pub rounds: Arc<Rounds>,
    /// Which round this thread is in, counted from 0.
    pub round: usize,
    /// When it began, if it has begun.
    pub started_ns: Option<Nanos>,
    /// The number of the next message.
    pub next: u64,
    /// Connections that have joined.
    pub subscribers: Vec<usize>,
    /// One of the connections for which a feed without an interval waits.
    pub slow: Option<usize>,
    /// The messages in hand.
    pub batch: Batch,
    frames_bytes: usize,
}

impl Feed {
    /// Waits for subscribers.
    ///
    /// `is_one_by_one`: each message is a system call of its own.
    pub fn new(plan: &FeedPlan, rounds: Arc<Rounds>, is_one_by_one: bool) -> Self {
        Self {
            pace: Pace::new(plan),
            rounds,
            round: 0,
            started_ns: None,
            next: 0,
            subscribers: Vec::new(),
            slow: None,
            batch: Batch::new(plan.encoder(), plan.stocks),
            frames_bytes: if is_one_by_one { 1 } else { BATCH_BYTES },
        }
    }

    /// Whether nobody listens.
    pub fn is_empty(&self) -> bool {
        self.subscribers.is_empty()
    }

    /// Makes the message that was due at an instant.
    pub fn make_one(&mut self, due_ns: Nanos) {
        self.batch.clear();
        self.batch.push(self.next, due_ns);
        self.next += 1;
    }

    /// Makes as many messages as go into one call, each at its instant.
    pub fn make_many(&mut self, mut now: impl FnMut() -> Nanos) {
        self.batch.clear();
        while self.batch.payload_bytes() < self.frames_bytes && !self.pace.is_last(self.next) {
            self.batch.push(self.next, now());
            self.next += 1;
            if self.batch.payload_bytes() == 0 {
                break;
            }
        }
    }

    /// Begins to wait for the subscribers of the next round.
    pub fn begin_anew(&mut self) {
        self.round += 1;
        self.started_ns = None;
        self.next = 0;
        self.subscribers.clear();
        self.slow = None;
    }
}
