//! Time series of counts per second.

use std::ops::AddAssign;

use crate::Nanos;

const SECOND_NS: Nanos = 1_000_000_000;

/// The counts of one second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecondOf<C> {
    /// Number of the second, counted from 0 at the start of the series.
    pub second: u64,
    /// The counts.
    pub counts: C,
}

impl<C: AddAssign> SecondOf<C> {
    /// Adds the counts of another thread in the same second.
    /// Panics if the seconds differ.
    pub fn merge(&mut self, other: Self) {
        assert_eq!(self.second, other.second, "two seconds are two rows");
        self.counts += other.counts;
    }
}

/// A time series of counts of any type; each second is returned once, when it is over.
///
/// A second in which nothing happened is a row of zeros, not a gap. Series of several threads
/// have the same rows if they have the same start.
#[derive(Debug, Clone)]
pub struct SeriesOf<C> {
    started_at: Nanos,
    current: SecondOf<C>,
}

impl<C: Default> SeriesOf<C> {
    /// Creates a series whose first second begins at `started_at`.
    pub fn new(started_at: Nanos) -> Self {
        Self {
            started_at,
            current: SecondOf {
                second: 0,
                counts: C::default(),
            },
        }
    }

    /// Returns the end of the current second: the earliest instant at which `finish` returns it.
    pub fn ends_at(&self) -> Nanos {
        self.started_at + (self.current.second + 1) * SECOND_NS
    }

    /// Returns the current second if it is over at `now`, and begins the next.
    ///
    /// Call it repeatedly until it returns `None`, because several seconds may have passed. Call it
    /// before counting, so that events after the end of a second are not counted into it.
    pub fn finish(&mut self, now: Nanos) -> Option<SecondOf<C>> {
        (now >= self.ends_at()).then(|| {
            let next = SecondOf {
                second: self.current.second + 1,
                counts: C::default(),
            };
            std::mem::replace(&mut self.current, next)
        })
    }

    /// Returns the counts of the current second, to add to.
    #[inline]
    pub fn counts(&mut self) -> &mut C {
        &mut self.current.counts
    }

    /// Ends the series, and returns the current second, which is incomplete.
    pub fn into_last(self) -> SecondOf<C> {
        self.current
    }
}

/// Messages and bytes of one second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Second {
    /// Number of the second, counted from 0 at the start of the series.
    pub second: u64,
    /// Number of messages in this second.
    pub messages: u64,
    /// Number of payload bytes in this second.
    pub bytes: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Traffic {
    messages: u64,
    bytes: u64,
}

/// A time series of messages and bytes.
#[derive(Debug, Clone)]
pub struct Series {
    traffic: SeriesOf<Traffic>,
}

impl Series {
    /// Creates a series whose first second begins at `started_at`.
    pub fn new(started_at: Nanos) -> Self {
        Self {
            traffic: SeriesOf::new(started_at),
        }
    }

    /// Returns the end of the current second: the earliest instant at which `finish` returns it.
    pub fn ends_at(&self) -> Nanos {
        self.traffic.ends_at()
    }

    /// Returns the current second if it is over at `now`, and begins the next.
    ///
    /// Call it repeatedly until it returns `None`, and before `count`; see [`SeriesOf::finish`].
    pub fn finish(&mut self, now: Nanos) -> Option<Second> {
        let SecondOf { second, counts } = self.traffic.finish(now)?;
        Some(Second {
            second,
            messages: counts.messages,
            bytes: counts.bytes,
        })
    }

    /// Adds messages and bytes to the current second.
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
    fn a_second_is_returned_once_when_it_is_over() {
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
    fn a_second_has_counts_of_any_type_and_merges_over_threads() {
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
