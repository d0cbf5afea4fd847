//! The per-second series: what fell into each second.

use std::ops::AddAssign;

use crate::Nanos;

const SECOND_NS: Nanos = 1_000_000_000;

/// One second, and what was counted in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecondOf<C> {
    /// Which second, counted from 0 from the start of the series.
    pub second: u64,
    /// What fell into it.
    pub counts: C,
}

impl<C: AddAssign> SecondOf<C> {
    /// Adds what another thread has counted in the same second.
    pub fn merge(&mut self, other: Self) {
        assert_eq!(self.second, other.second, "two seconds are two rows");
        self.counts += other.counts;
    }
}

/// Any counts per second since a start; each second is handed out once, when it is over.
///
/// A second in which nothing happened is a row of zeros, not a gap. Series of several threads
/// have the same rows if they have the same start.
#[derive(Debug, Clone)]
pub struct SeriesOf<C> {
    started_at: Nanos,
    current: SecondOf<C>,
}

impl<C: Default> SeriesOf<C> {
    /// Starts the series' first second at `started_at`.
    #[must_use]
    pub fn new(started_at: Nanos) -> Self {
        Self {
            started_at,
            current: SecondOf {
                second: 0,
                counts: C::default(),
            },
        }
    }

    /// When the current second is over: the next instant at which `finish` has something.
    #[must_use]
    pub fn ends_at(&self) -> Nanos {
        self.started_at + (self.current.second + 1) * SECOND_NS
    }

    /// Returns the current second if it is over at `now`, and begins the next.
    ///
    /// Call again until `None`: a stall of several seconds is as many rows. Call before
    /// counting, so that what arrives after a second's end is not counted into it.
    pub fn finish(&mut self, now: Nanos) -> Option<SecondOf<C>> {
        (now >= self.ends_at()).then(|| {
            let next = SecondOf {
                second: self.current.second + 1,
                counts: C::default(),
            };
            std::mem::replace(&mut self.current, next)
        })
    }

    /// The counts of the current second, to be added to.
    #[inline]
    pub fn counts(&mut self) -> &mut C {
        &mut self.current.counts
    }

    /// Ends the series with the current second, which is not whole.
    #[must_use]
    pub fn into_last(self) -> SecondOf<C> {
        self.current
    }
}

/// What fell into one second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Second {
    /// Which second, counted from 0 from the start of the series.
    pub second: u64,
    /// Messages counted in it.
    pub messages: u64,
    /// Payload bytes counted in it.
    pub bytes: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Traffic {
    messages: u64,
    bytes: u64,
}

/// Messages and bytes per second since a start: a `SeriesOf` these two.
#[derive(Debug, Clone)]
pub struct Series {
    traffic: SeriesOf<Traffic>,
}

impl Series {
    /// Starts the series' first second at `started_at`.
    #[must_use]
    pub fn new(started_at: Nanos) -> Self {
        Self {
            traffic: SeriesOf::new(started_at),
        }
    }

    /// When the current second is over: the next instant at which `finish` has something.
    #[must_use]
    pub fn ends_at(&self) -> Nanos {
        self.traffic.ends_at()
    }

    /// Returns the current second if it is over at `now`, and begins the next.
    ///
    /// Call again until `None`, and before `count`, as in `SeriesOf`.
    pub fn finish(&mut self, now: Nanos) -> Option<Second> {
        let SecondOf { second, counts } = self.traffic.finish(now)?;
        Some(Second {
            second,
            messages: counts.messages,
            bytes: counts.bytes,
        })
    }

    /// Counts into the current second.
    pub fn count(&mut self, messages: u64, bytes: u64) {
        let traffic = self.traffic.counts();
        traffic.messages += messages;
        traffic.bytes += bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_is_handed_out_once_when_it_is_over() {
        let mut series = Series::new(5_000);
        series.count(2, 22);
        assert_eq!(series.finish(5_000 + SECOND_NS - 1), None);
        series.count(1, 11);
        let first = Second {
            second: 0,
            messages: 3,
            bytes: 33,
        };
        assert_eq!(series.finish(5_000 + SECOND_NS), Some(first));
        assert_eq!(series.finish(5_000 + SECOND_NS), None);
    }

    #[test]
    fn a_stall_is_rows_of_zeros() {
        let mut series = Series::new(0);
        series.count(7, 70);
        let rows: Vec<_> = std::iter::from_fn(|| series.finish(3 * SECOND_NS)).collect();
        assert_eq!(rows.len(), 3);
        assert_eq!(rows.iter().map(|row| row.messages).sum::<u64>(), 7);
        assert_eq!(rows[2].second, 2);
        assert_eq!(rows[2].messages, 0);
        assert_eq!(series.ends_at(), 4 * SECOND_NS);
    }

    #[derive(Debug, Default, PartialEq, Clone, Copy)]
    struct Errors(u32);

    impl AddAssign for Errors {
        fn add_assign(&mut self, other: Self) {
            self.0 += other.0;
        }
    }

    #[test]
    fn a_second_holds_whatever_is_counted_and_merges_over_threads() {
        let [mut here, mut there] = [SeriesOf::<Errors>::new(0), SeriesOf::new(0)];
        here.counts().0 += 1;
        there.counts().0 += 2;
        let mut row = here.finish(SECOND_NS).unwrap();
        row.merge(there.finish(SECOND_NS).unwrap());
        let expected = SecondOf {
            second: 0,
            counts: Errors(3),
        };
        assert_eq!(row, expected);
        *here.counts() += Errors(5);
        let last = here.into_last();
        assert_eq!((last.second, last.counts), (1, Errors(5)));
    }
}
