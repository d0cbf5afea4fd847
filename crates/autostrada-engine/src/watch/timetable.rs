//! When to sample: once in each interval, and never long at the same point of it.

use autostrada_measure::Nanos;

/// Of a turn: steps so long come closest to covering it evenly, however many there are (Knuth, The Art
/// of Computer Programming, volume 3, section 6.4).
const GOLDEN_SHARE: f64 = 0.618_033_988_749_894_9;

/// Instants to sample: one in each interval.
///
/// What is sampled may have a rhythm of its own. Samples at equal distances would see a sender of a
/// thousand messages a second always at the same point between two of them, and tell what is there
/// for what is there all the time. So the point within the interval moves on, by the golden ratio:
/// two samples are 0.6 or 1.6 intervals apart.
#[derive(Debug, Clone)]
pub struct Timetable {
    begin: Nanos,
    every_ns: Nanos,
    interval: u64,
}

impl Timetable {
    /// Begins with a sample at an instant.
    pub fn new(begin: Nanos, every_ns: Nanos) -> Self {
        Self {
            begin,
            every_ns,
            interval: 0,
        }
    }

    /// Returns when to sample next, after `now`; samples that were missed are not made up for.
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

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "a share of an interval, of as many as there are in years"
    )]
    fn offset_ns(&self) -> Nanos {
        let share = (self.interval as f64 * GOLDEN_SHARE).fract();
        (share * self.every_ns as f64) as Nanos
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the first samples of a timetable that is kept.
    fn kept(samples: usize) -> Vec<Nanos> {
        let mut timetable = Timetable::new(5_000, 1_000);
        let mut now = 5_000;
        (0..samples)
            .map(|_| {
                now = timetable.next(now);
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
    fn a_rhythm_is_seen_at_all_of_its_points_alike() {
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
    fn missed_samples_are_not_made_up_for() {
        let mut timetable = Timetable::new(0, 1_000);
        assert_eq!(timetable.next(0), 1_618);
        assert_eq!(timetable.next(1_618), 2_236);
        // The sample of the tenth interval would have been at 10,180.
        assert_eq!(timetable.next(10_180), 11_798);
        assert_eq!(timetable.next(20_100), 20_360);
    }
}
