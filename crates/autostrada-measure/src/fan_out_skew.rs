//! Fan-out skew: the time from the first delivery of a broadcast message to the last.

use std::ops::Range;

use crate::{Histogram, Nanos, RecordError};

/// Largest `every`. If the kept broadcasts do not fit even then, further ones are unexpected.
const EVERY_MAX: u64 = 1 << 32;

/// The deliveries of one broadcast to some connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Broadcast {
    /// Number of the message.
    pub number: u64,
    /// Instant of the first delivery, in nanoseconds.
    pub first_at: Nanos,
    /// Instant of the last delivery so far, in nanoseconds.
    pub last_at: Nanos,
    /// Number of deliveries so far, at least 1.
    pub deliveries: u64,
}

/// The broadcasts that the connections of one thread received. Merge the threads after the trial.
///
/// Uses constant memory: if there are more broadcasts than `capacity`, every second one is dropped,
/// then every second one of the rest, and so on. The kept ones are those whose number is a multiple
/// of `every`. The selection depends only on the numbers, so all threads keep the same broadcasts,
/// and merging them gives exactly the result of a single thread. Nothing expires during the trial:
/// a delivery counts however late it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broadcasts {
    /// Broadcast `number` is at index (number / every) modulo the capacity.
    slots: Vec<Option<Broadcast>>,
    every_log2: u32,
    unexpected: u64,
}

impl Broadcasts {
    /// Creates an empty set for `capacity` broadcasts, of 40 bytes each.
    /// Panics if `capacity` is not a power of two.
    pub fn new(capacity: usize) -> Self {
        assert!(
            capacity.is_power_of_two(),
            "the capacity {capacity} is not a power of two"
        );
        Self {
            slots: vec![None; capacity],
            every_log2: 0,
            unexpected: 0,
        }
    }

    /// Records that a connection received message `number` at the instant `at`.
    ///
    /// Each connection must report each number once: omit messages that `Sequence` judges as
    /// duplicate or unexpected. A call that exceeds the capacity, once per doubling of the number
    /// of broadcasts, visits all slots, which takes about 5 ns per slot.
    #[inline]
    pub fn record(&mut self, number: u64, at: Nanos) {
        self.add_one(Broadcast {
            number,
            first_at: at,
            last_at: at,
            deliveries: 1,
        });
    }

    /// Adds the broadcasts of another thread.
    pub fn merge(&mut self, other: &Self) {
        self.unexpected += other.unexpected;
        while self.every() < other.every() {
            self.thin();
        }
        for broadcast in other.broadcasts() {
            self.add_one(broadcast);
        }
    }

    /// Returns the divisor of the numbers of kept broadcasts: 1 if all fit, else a power of two.
    pub fn every(&self) -> u64 {
        1 << self.every_log2
    }

    /// Returns the kept broadcasts in no particular order.
    pub fn broadcasts(&self) -> impl Iterator<Item = Broadcast> {
        self.slots.iter().copied().flatten()
    }

    /// Returns the skew of the broadcasts whose first delivery is in `window`.
    ///
    /// `connections` is the number of connections that each broadcast must reach. End the window
    /// well before the end of the trial, so that broadcasts in transit do not count as incomplete.
    pub fn summarize(
        &self,
        connections: u64,
        window: &Range<Nanos>,
    ) -> Result<FanOutSkew, RecordError> {
        let mut skew = FanOutSkew {
            skew_ns: Histogram::new(),
            complete: 0,
            incomplete: 0,
            every: self.every(),
            unexpected: self.unexpected,
        };
        for broadcast in self.broadcasts() {
            if !window.contains(&broadcast.first_at) {
                continue;
            }
            if broadcast.deliveries < connections {
                skew.incomplete += 1;
                continue;
            }
            skew.complete += 1;
            skew.skew_ns
                .record(broadcast.last_at - broadcast.first_at)?;
        }
        Ok(skew)
    }

    fn keeps(&self, number: u64) -> bool {
        number & (self.every() - 1) == 0
    }

    fn slot_of(&self, number: u64) -> usize {
        let mask = self.slots.len() as u64 - 1;
        usize::try_from(number >> self.every_log2 & mask).expect("less than the capacity")
    }

    #[inline]
    fn add_one(&mut self, seen: Broadcast) {
        loop {
            if !self.keeps(seen.number) {
                return;
            }
            let is_thinnest = self.every() == EVERY_MAX;
            let index = self.slot_of(seen.number);
            match &mut self.slots[index] {
                Some(kept) if kept.number == seen.number => {
                    kept.first_at = kept.first_at.min(seen.first_at);
                    kept.last_at = kept.last_at.max(seen.last_at);
                    kept.deliveries += seen.deliveries;
                    return;
                }
                empty @ None => {
                    *empty = Some(seen);
                    return;
                }
                Some(_) if is_thinnest => {
                    self.unexpected += seen.deliveries;
                    return;
                }
                Some(_) => self.thin(),
            }
        }
    }

    /// Drops every second broadcast, in place.
    #[cold]
    fn thin(&mut self) {
        self.every_log2 += 1;
        for index in 0..self.slots.len() {
            let mut moving = self.slots[index].take();
            // Kept broadcasts have distinct slots, so a moved one displaces only a broadcast that
            // has not been moved yet, which is moved next.
            while let Some(kept) = moving.filter(|kept| self.keeps(kept.number)) {
                let target = self.slot_of(kept.number);
                moving = self.slots[target].replace(kept);
            }
        }
    }
}

/// The skew of the broadcasts of one feed.
#[derive(Debug, Clone, PartialEq)]
pub struct FanOutSkew {
    /// Time from the first delivery to the last, in nanoseconds, of each complete broadcast.
    pub skew_ns: Histogram,
    /// Number of broadcasts that reached all connections.
    pub complete: u64,
    /// Number of broadcasts that did not reach all connections.
    pub incomplete: u64,
    /// The metrics cover the broadcasts whose number is a multiple of this.
    pub every: u64,
    /// Number of deliveries that were not kept, because their numbers are too far apart to fit even
    /// at the largest `every`.
    pub unexpected: u64,
}
