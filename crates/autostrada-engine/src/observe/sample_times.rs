//! The instants of samples: one in each interval, at varying points of it.

use autostrada_measure::{Nanos, integer};

/// The golden ratio minus 1. Multiples of it, modulo 1, cover the interval from 0 to 1 most evenly,
/// whatever their number (Knuth, The Art of Computer Programming, volume 3, section 6.4).
const GOLDEN_SHARE: f64 = 0.618_033_988_749_894_9;

/// The instants of samples: one in each interval.
///
/// The sampled load may be periodic. Equidistant samples would observe, for example, a sender of a
/// thousand messages per second always at the same phase, and would take the state at that phase
/// for the permanent one. Therefore the point within the interval moves by the golden ratio from
/// one interval to the next; two samples are 0.6 or 1.6 intervals apart.
#[derive(Debug, Clone)]
pub struct SampleTimes {
    begin: Nanos,
    every_ns: Nanos,
    interval: u64,
}

impl SampleTimes {
    /// Creates times whose first sample is at `begin`.
    pub fn new(begin: Nanos, every_ns: Nanos) -> Self {
        Self {
            begin,
            every_ns,
            interval: 0,
        }
    }

    /// Returns the instant of the next sample after `now`; missed samples are skipped.
    pub fn next(&mut self, now: Nanos) -> Nanos {
        let passed = now.saturating_sub(self.begin) / self.every_ns;
        self.interval = passed.max(self.interval + 1);
        if self.due() <= now {
            self.interval += 1;
        }
        self.due()
    }

    fn due(&self) -> Nanos {
        self.begin + self.interval * self.every_ns + self.offset_ns()
    }

    fn offset_ns(&self) -> Nanos {
        let share = (self.interval as f64 * GOLDEN_SHARE).fract();
        integer(share * self.every_ns as f64)
    }
}

#[cfg(test)]
#[path = "tests/sample_times.rs"]
mod tests;
