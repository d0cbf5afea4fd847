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
mod tests {
    use super::*;

    /// Returns the first samples without missed samples.
    fn kept(samples: usize) -> Vec<Nanos> {
        let mut sample_times = SampleTimes::new(5_000, 1_000);
        let mut now = 5_000;
        (0..samples)
            .map(|_| {
                now = sample_times.next(now);
                now
            })
            .collect()
    }

    #[test]
    fn there_is_one_sample_in_each_interval() {
        for (interval, sample) in (6..).zip(kept(1_000)) {
            assert_eq!(sample / 1_000, interval);
        }
    }

    #[test]
    fn samples_are_neither_close_together_nor_far_apart() {
        for pair in kept(1_000).windows(2) {
            assert!((600..=1_620).contains(&(pair[1] - pair[0])), "{pair:?}");
        }
    }

    #[test]
    fn all_phases_of_a_periodic_load_are_sampled_equally() {
        for rhythm_ns in [10, 50, 100, 250, 500, 1_000] {
            let mut seen = [0; 10];
            for sample in kept(1_000) {
                let share = sample % rhythm_ns * 10 / rhythm_ns;
                seen[usize::try_from(share).unwrap()] += 1;
            }
            assert!(
                seen.iter().all(|samples| (80..=120).contains(samples)),
                "{rhythm_ns}: {seen:?}"
            );
        }
    }

    #[test]
    fn missed_samples_are_skipped() {
        let mut sample_times = SampleTimes::new(0, 1_000);
        assert_eq!(sample_times.next(0), 1_618);
        assert_eq!(sample_times.next(1_618), 2_236);
        // The sample of the tenth interval would have been at 10,180.
        assert_eq!(sample_times.next(10_180), 11_798);
        assert_eq!(sample_times.next(20_100), 20_360);
    }
}
