//! What arrives on one connection of a client, counted and checked.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use crate::feed::{FeedFormat, Received};
use crate::latency::Latencies;
use crate::report::{Findings, Totals};
use crate::sequence::{Sequence, Verdicts};

/// What one connection shares with the ticker, in cache lines of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Tally {
    messages: AtomicU64,
    bytes: AtomicU64,
    /// Zero until all messages have been counted.
    received_ns: AtomicU64,
}

impl Tally {
    pub fn totals(&self) -> Totals {
        Totals {
            messages: self.messages.load(Relaxed),
            bytes: self.bytes.load(Relaxed),
        }
    }

    pub fn received_ns(&self) -> Option<u64> {
        Some(self.received_ns.load(Relaxed)).filter(|&instant| instant > 0)
    }
}

/// What one connection has received. It must be dropped before the receiver finishes.
pub struct Connection<'a> {
    /// Where its check goes at the end.
    checks: &'a Mutex<Vec<Check>>,
    messages: u64,
    wanted: u64,
    /// The number of messages from which on each is looked at.
    next: u64,
    clock: fn() -> u64,
    tally: Arc<Tally>,
    check: Option<Box<Check>>,
}

impl<'a> Connection<'a> {
    pub(crate) fn new(
        checks: &'a Mutex<Vec<Check>>,
        wanted: u64,
        clock: fn() -> u64,
        tally: Arc<Tally>,
        feed: Option<FeedFormat>,
    ) -> Self {
        Self {
            checks,
            messages: 0,
            wanted,
            next: if feed.is_some() { 0 } else { wanted },
            clock,
            tally,
            check: feed.map(|feed| Box::new(Check::new(feed))),
        }
    }

    /// Counts one message, and tells whether that is all that was wanted: then the connection is
    /// to be closed, and this is not to be called any more.
    ///
    /// A store, no `fetch_add`: nobody else writes, and a locked instruction for each message
    /// would be felt. Of what is pushed, a sum, a store and a comparison are all.
    #[inline]
    pub fn received(&mut self, message: Received) -> bool {
        self.messages += 1;
        self.tally.messages.store(self.messages, Relaxed);
        self.messages >= self.next && self.look_at(message)
    }

    /// Checks a message of a feed, and notes when all are there.
    #[cold]
    #[inline(never)]
    fn look_at(&mut self, message: Received) -> bool {
        if let Some(check) = &mut self.check {
            let bytes = self.tally.bytes.load(Relaxed) + message.payload().len() as u64;
            self.tally.bytes.store(bytes, Relaxed);
            check.take(message, self.clock);
        }
        if self.messages < self.wanted {
            return false;
        }
        self.tally.received_ns.store((self.clock)(), Relaxed);
        true
    }
}

impl Drop for Connection<'_> {
    fn drop(&mut self) {
        if let Some(check) = self.check.take() {
            let mut checks = self.checks.lock();
            let checks = checks.as_mut().expect("nobody panics while holding it");
            checks.push(*check);
        }
    }
}

/// What one connection, or all of them, have found in a feed.
pub(crate) struct Check {
    feed: FeedFormat,
    wrong: u64,
    sequence: Sequence,
    latencies: Latencies,
}

impl Check {
    fn new(feed: FeedFormat) -> Self {
        Self {
            feed,
            wrong: 0,
            sequence: Sequence::new(),
            latencies: Latencies::default(),
        }
    }

    fn take(&mut self, message: Received, clock: fn() -> u64) {
        let Some(heading) = self.feed.decode(message) else {
            self.wrong += 1;
            return;
        };
        if let Some(time_ns) = heading.time_ns {
            match clock().checked_sub(time_ns) {
                Some(latency_ns) => self.latencies.record(latency_ns),
                None => {
                    self.wrong += 1;
                    return;
                }
            }
        }
        if let Some(number) = heading.number {
            self.sequence.check(number);
        }
    }
}

/// Adds up what all connections have found.
pub(crate) fn sum_up(feed: FeedFormat, checks: &[Check]) -> Findings {
    let mut verdicts = Verdicts::default();
    let mut latencies = Latencies::default();
    for check in checks {
        verdicts.merge(check.sequence.verdicts);
        latencies.merge(&check.latencies);
    }
    Findings {
        wrong: checks.iter().map(|check| check.wrong).sum(),
        verdicts: feed.has_number().then_some(verdicts),
        latencies: feed.has_instant().then_some(latencies),
    }
}
