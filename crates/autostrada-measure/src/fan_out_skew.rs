//! How long a broadcast takes from the first connection that has it to the last.

use std::ops::Range;

use crate::{Histogram, Nanos, RecordError};

/// Of every so many broadcasts at most, one is kept; beyond that, they are unexpected.
const EVERY_MAX: u64 = 1 << 32;

/// What some connections have seen of one broadcast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Broadcast {
    /// The number of the message.
    pub number: u64,
    /// The first delivery.
    pub first_at: Nanos,
    /// The last delivery so far.
    pub last_at: Nanos,
    /// To how many connections; never 0.
    pub deliveries: u64,
}

/// The broadcasts that the connections of one thread have seen. Merge after the trial.
///
/// Constant memory: when there are more broadcasts than `capacity`, every second one is let go,
/// then every second of those, and so on: the ones kept are the multiples of `every`. Which they
/// are follows from the numbers alone, so threads that have never met keep the same ones, and
/// merging them gives exactly what one thread would have seen. Nothing expires while the trial
/// runs: a delivery counts, however late.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broadcasts {
    /// At (number / every) modulo the capacity.
    slots: Vec<Option<Broadcast>>,
    every_log2: u32,
    unexpected: u64,
}

impl Broadcasts {
    /// Has room for so many broadcasts, of 40 bytes each; must be a power of two.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        assert!(
            capacity.is_power_of_two(),
            "{capacity} broadcasts: give a power of two"
        );
        Self {
            slots: vec![None; capacity],
            every_log2: 0,
            unexpected: 0,
        }
    }

    /// Records that a connection received message `number`.
    ///
    /// Each connection must report each number once: leave out what `Sequence` calls a duplicate
    /// or unexpected. Where the capacity is exceeded, which is once for each doubling of the number of
    /// broadcasts, it goes through all of them: about 5 ns for each of the capacity.
    #[inline]
    pub fn record(&mut self, number: u64, at: Nanos) {
        self.add_one(Broadcast {
            number,
            first_at: at,
            last_at: at,
            deliveries: 1,
        });
    }

    /// Adds what another thread has seen.
    pub fn merge(&mut self, other: &Self) {
        self.unexpected += other.unexpected;
        self.add(other.every(), other.broadcasts());
    }

    /// Adds what another process has seen: its `every`, and its broadcasts.
    pub fn add(&mut self, every: u64, broadcasts: impl IntoIterator<Item = Broadcast>) {
        assert!(every.is_power_of_two(), "1 in {every} is not of broadcasts");
        while self.every() < every {
            self.thin();
        }
        for broadcast in broadcasts {
            self.add_one(broadcast);
        }
    }

    /// Of how many broadcasts one is kept: 1 as long as all fit, then a power of two.
    #[must_use]
    pub fn every(&self) -> u64 {
        1 << self.every_log2
    }

    /// The broadcasts kept, in no order.
    pub fn broadcasts(&self) -> impl Iterator<Item = Broadcast> {
        self.slots.iter().copied().flatten()
    }

    /// Sums up the broadcasts of a window, by their first delivery, that had to reach so many
    /// connections.
    ///
    /// End the window well before the trial: what was still under way is then not incomplete.
    ///
    /// # Errors
    ///
    /// When one took more than an hour.
    pub fn sum_up(
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
        usize::try_from(number >> self.every_log2 & mask).expect("below the capacity")
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

    /// Lets go of every second broadcast, in place.
    #[cold]
    fn thin(&mut self) {
        self.every_log2 += 1;
        for index in 0..self.slots.len() {
            let mut moving = self.slots[index].take();
            // Those that stay have places of their own, so each one moved displaces only one
            // that has not been moved yet, and is the next to move.
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
    /// From first to last delivery, of those that reached all.
    pub skew_ns: Histogram,
    /// Broadcasts that reached all connections.
    pub complete: u64,
    /// Broadcasts that did not.
    pub incomplete: u64,
    /// The figures are of the broadcasts whose number is a multiple of this.
    pub every: u64,
    /// Deliveries of which nothing was kept, because their numbers were too wild.
    pub unexpected: u64,
}
