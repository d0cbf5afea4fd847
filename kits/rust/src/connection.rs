//! Counts and checks the messages of one connection of a client.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use crate::feed::{FeedFormat, Received};
use crate::latency::Latencies;
use crate::report::{Findings, Totals};
use crate::sequence::{Sequence, Verdicts};

/// The counts that a connection shares with the ticker, on their own cache lines.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Tally {
    messages: AtomicU64,
    bytes: AtomicU64,
    /// Time at which the last expected message arrived; zero before that.
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

/// Counts the messages of one connection. It must be dropped before the receiver finishes.
pub struct Connection<'a> {
    /// Receives this connection's check when it is dropped.
    checks: &'a Mutex<Vec<Check>>,
    messages: u64,
    expected: u64,
    /// Number of the first message that is inspected: the first one of a feed, otherwise the last.
    next: u64,
    clock: fn() -> u64,
    tally: Arc<Tally>,
    check: Option<Box<Check>>,
}

impl<'a> Connection<'a> {
    pub(crate) fn new(
        checks: &'a Mutex<Vec<Check>>,
        expected: u64,
        clock: fn() -> u64,
        tally: Arc<Tally>,
        feed: Option<FeedFormat>,
    ) -> Self {
        Self {
            checks,
            messages: 0,
            expected,
            next: if feed.is_some() { 0 } else { expected },
            clock,
            tally,
            check: feed.map(|feed| Box::new(Check::new(feed))),
        }
    }

    /// Counts one message. Returns `true` once all expected messages have arrived: then close the
    /// connection and do not call this function again.
    ///
    /// A store instead of a `fetch_add`: there is only one writer, and a locked instruction for
    /// each message would be measurable. Without a feed, a message costs an addition, a store and a
    /// comparison.
    #[inline]
    pub fn received(&mut self, message: Received) -> bool {
        self.messages += 1;
        self.tally.messages.store(self.messages, Relaxed);
        self.messages >= self.next && self.inspect(message)
    }

    /// Checks a message of a feed and records the time if it is the last expected one.
    #[cold]
    #[inline(never)]
    fn inspect(&mut self, message: Received) -> bool {
        if let Some(check) = &mut self.check {
            let bytes = self.tally.bytes.load(Relaxed) + message.payload().len() as u64;
            self.tally.bytes.store(bytes, Relaxed);
            check.take(message, self.clock);
        }
        if self.messages < self.expected {
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

/// The findings in the feed messages of one connection.
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

/// Adds up the findings of all connections.
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
