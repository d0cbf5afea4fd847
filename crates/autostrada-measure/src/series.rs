//! The seconds of a time series.

use crate::Nanos;

const SECOND_NS: Nanos = 1_000_000_000;

/// The seconds since an instant; each is returned once, when it is over.
///
/// A second in which nothing happened is returned too: it is a row of zeros, not a gap. Series of
/// several threads have the same rows if they have the same start.
#[derive(Debug, Clone)]
pub struct Series {
    started_at: Nanos,
    /// Number of the current second, counted from 0.
    second: u64,
}

impl Series {
    /// Creates a series whose first second begins at `started_at`.
    pub fn new(started_at: Nanos) -> Self {
        Self {
            started_at,
            second: 0,
        }
    }

    /// Returns the end of the current second: the earliest instant at which `finish` returns it.
    pub fn ends_at(&self) -> Nanos {
        self.started_at + (self.second + 1) * SECOND_NS
    }

    /// Returns the number of the current second if it is over at `now`, and begins the next.
    ///
    /// Call it repeatedly until it returns `None`, because several seconds may have passed.
    pub fn finish(&mut self, now: Nanos) -> Option<u64> {
        (now >= self.ends_at()).then(|| {
            self.second += 1;
            self.second - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_is_returned_once_when_it_is_over_and_a_stall_is_several() {
        let mut series = Series::new(5_000);
        assert_eq!(series.finish(5_000 + SECOND_NS - 1), None);
        assert_eq!(series.finish(5_000 + SECOND_NS), Some(0));
        assert_eq!(series.finish(5_000 + SECOND_NS), None);
        let rows: Vec<_> = std::iter::from_fn(|| series.finish(5_000 + 3 * SECOND_NS)).collect();
        assert_eq!(rows, [1, 2]);
        assert_eq!(series.ends_at(), 5_000 + 4 * SECOND_NS);
    }
}
