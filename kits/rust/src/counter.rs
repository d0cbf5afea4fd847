//! What arrived on one connection, counted by its reader and read by the ticker.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::report::Totals;

/// What one counter shares with the receiver, in cache lines of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Tally {
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

/// Counts what arrives on one connection.
pub struct Counter {
    wanted: u64,
    clock: fn() -> u64,
    tally: Arc<Tally>,
}

impl Counter {
    pub(crate) fn new(wanted: u64, clock: fn() -> u64) -> Self {
        Self {
            wanted,
            clock,
            tally: Arc::default(),
        }
    }

    pub(crate) fn tally(&self) -> Arc<Tally> {
        Arc::clone(&self.tally)
    }

    /// Takes one message and tells whether more are wanted. It is not to be called after that.
    ///
    /// A load and a store, no `fetch_add`: nobody else writes, and a locked instruction for each
    /// message would be felt.
    #[inline]
    pub fn count(&mut self, payload_bytes: usize) -> bool {
        let tally = &*self.tally;
        let messages = tally.messages.load(Relaxed) + 1;
        let bytes = tally.bytes.load(Relaxed) + payload_bytes as u64;
        tally.messages.store(messages, Relaxed);
        tally.bytes.store(bytes, Relaxed);
        if messages < self.wanted {
            return true;
        }
        tally.received_ns.store((self.clock)(), Relaxed);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wants_more_until_all_are_counted() {
        let mut counter = Counter::new(3, || 99);
        assert!(counter.count(11));
        assert!(counter.count(11));
        assert_eq!(counter.tally().received_ns(), None);
        assert!(!counter.count(11));
        let expected = Totals {
            messages: 3,
            bytes: 33,
        };
        assert_eq!(counter.tally().totals(), expected);
        assert_eq!(counter.tally().received_ns(), Some(99));
    }

    #[test]
    fn the_clock_is_read_only_for_the_last_message() {
        let mut counter = Counter::new(2, || panic!("read"));
        counter.count(11);
    }
}
