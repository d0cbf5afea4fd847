//! The per-second series: how many messages and bytes fell into each second.

use crate::Nanos;

const SECOND_NS: Nanos = 1_000_000_000;

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

/// Counts per second since a start; each second is handed out once, when it is over.
///
/// A second without any message is a row of zeros, not a gap.
#[derive(Debug, Clone)]
pub struct Series {
    started_at: Nanos,
    current: Second,
}

impl Series {
    /// Starts the series' first second at `started_at`.
    #[must_use]
    pub fn new(started_at: Nanos) -> Self {
        Self {
            started_at,
            current: Second {
                second: 0,
                messages: 0,
                bytes: 0,
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
    /// `count`, so that what arrives after a second's end is not counted into it.
    pub fn finish(&mut self, now: Nanos) -> Option<Second> {
        (now >= self.ends_at()).then(|| {
            let next = Second {
                second: self.current.second + 1,
                messages: 0,
                bytes: 0,
            };
            std::mem::replace(&mut self.current, next)
        })
    }

    /// Counts into the current second.
    pub fn count(&mut self, messages: u64, bytes: u64) {
        self.current.messages += messages;
        self.current.bytes += bytes;
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
}
