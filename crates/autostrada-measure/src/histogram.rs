//! Histograms of durations, which merge exactly and give every quantile.

use std::fmt;
use std::ops::Range;

use thiserror::Error;

use crate::{Nanos, integer};

/// Longest duration that can be recorded: one hour, in nanoseconds.
pub const DURATION_NS_MAX: Nanos = 3_600_000_000_000;

/// Number of the highest binary digits of a duration that determine its bucket.
const KEPT_BITS: u32 = 11;

/// Number of the highest binary digits of a duration that determine its coarse bucket.
const COARSE_KEPT_BITS: u32 = 8;

/// Number of buckets in a coarse bucket of durations from 1,024 ns.
const COARSE_STEP: usize = 1 << (KEPT_BITS - COARSE_KEPT_BITS);

/// Number of buckets from a power of two to the next.
const BLOCK: usize = 1 << (KEPT_BITS - 1);

/// Number of buckets; the last is that of the longest duration.
const BUCKETS: usize = bucket(DURATION_NS_MAX) + 1;

/// Returns the width in nanoseconds of the bucket that begins at `lowest_ns`.
///
/// The bucket of a duration `d` is determined by its 11 highest binary digits: with
/// `width = 1 << max(0, bit_length(d) - 11)` it begins at `d - d % width` and ends before that
/// plus `width`. So no bucket is wider than 1/1,024 of its durations, and other programs (SQL,
/// Python) derive each bucket from its lowest duration alone:
///
/// | durations (ns) | width (ns) |
/// |---|---|
/// | 0 to 2,047 | 1 |
/// | 2,048 to 4,095 | 2 |
/// | 2^k to 2^(k+1) − 1, with k ≥ 11 | 2^(k−10) |
pub fn bucket_width_ns(lowest_ns: Nanos) -> Nanos {
    1 << dropped_bits(lowest_ns, KEPT_BITS)
}

/// Returns the number of the lowest binary digits to drop if the `kept_bits` highest are kept.
const fn dropped_bits(duration_ns: Nanos, kept_bits: u32) -> u32 {
    let bit_length = Nanos::BITS - duration_ns.leading_zeros();
    bit_length.saturating_sub(kept_bits)
}

/// Returns the index of the bucket of a duration of up to an hour.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the highest 11 binary digits, and 31 times 1,024 at most"
)]
const fn bucket(duration_ns: Nanos) -> usize {
    let dropped = dropped_bits(duration_ns, KEPT_BITS);
    (duration_ns >> dropped) as usize + dropped as usize * BLOCK
}

/// Returns the lowest duration of a bucket.
fn lowest_ns(bucket: usize) -> Nanos {
    let dropped = (bucket / BLOCK).saturating_sub(1);
    ((bucket - dropped * BLOCK) as Nanos) << dropped
}

/// A histogram of durations from 0 to one hour, in nanoseconds with three significant digits.
///
/// Uses constant memory: about 270 kB, of which only the used pages are resident. All histograms
/// have the same buckets ([`bucket_width_ns`]), which are those of `HdrHistogram` with three
/// digits, so they merge exactly. Merging, listing and clearing visit only the powers of two that
/// occurred and take a few microseconds, so they may be done while messages are due.
#[derive(Clone, PartialEq)]
pub struct Histogram {
    counts: Box<[u64]>,
    /// One bit for each block of buckets, set if the block has recorded durations.
    used: u64,
    count: u64,
}

impl fmt::Debug for Histogram {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_map().entries(self.buckets()).finish()
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Histogram {
    /// Creates an empty histogram.
    pub fn new() -> Self {
        Self {
            counts: vec![0; BUCKETS].into_boxed_slice(),
            used: 0,
            count: 0,
        }
    }

    /// Records one duration.
    /// Returns an error if the duration is longer than an hour. It is not clamped, because a trial
    /// whose worst case is unknown must fail and not look better than it is.
    #[inline]
    pub fn record(&mut self, duration_ns: Nanos) -> Result<(), RecordError> {
        self.record_many(duration_ns, 1)
    }

    /// Records the same duration `count` times.
    #[inline]
    pub fn record_many(&mut self, duration_ns: Nanos, count: u64) -> Result<(), RecordError> {
        if duration_ns > DURATION_NS_MAX {
            return Err(RecordError::TooLong { duration_ns });
        }
        let bucket = bucket(duration_ns);
        self.counts[bucket] += count;
        self.used |= 1 << (bucket / BLOCK);
        self.count += count;
        Ok(())
    }

    /// Adds the durations of another histogram.
    pub fn merge(&mut self, other: &Self) {
        for buckets in other.used_buckets() {
            let others = &other.counts[buckets.clone()];
            let own = &mut self.counts[buckets];
            own.iter_mut()
                .zip(others)
                .for_each(|(own, other)| *own += other);
        }
        self.used |= other.used;
        self.count += other.count;
    }

    /// Removes all durations, and keeps the memory.
    pub fn clear(&mut self) {
        for buckets in self.used_buckets() {
            self.counts[buckets].fill(0);
        }
        self.used = 0;
        self.count = 0;
    }

    /// Returns the blocks of buckets that have recorded durations, in ascending order.
    fn used_buckets(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let used = self.used;
        (0..BUCKETS.div_ceil(BLOCK))
            .filter(move |block| used >> block & 1 == 1)
            .map(|block| block * BLOCK..((block + 1) * BLOCK).min(BUCKETS))
    }

    /// Returns the number of recorded durations.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the non-empty buckets in ascending order: the lowest duration in nanoseconds, and
    /// the count.
    ///
    /// [`bucket_width_ns`] returns the width of each; [`from_buckets`](Self::from_buckets) rebuilds
    /// the histogram.
    pub fn buckets(&self) -> impl Iterator<Item = (Nanos, u64)> {
        self.used_buckets()
            .flatten()
            .map(|bucket| (lowest_ns(bucket), self.counts[bucket]))
            .filter(|&(_, count)| count > 0)
    }

    /// Returns the non-empty buckets in a coarser form for time series.
    ///
    /// They are eight times as wide, and have at least two significant digits.
    ///
    /// The bucket of a duration `d` is determined by its 8 highest binary digits: with
    /// `width = 1 << max(0, bit_length(d) - 8)` it begins at `d - d % width`.
    pub fn coarse_buckets(&self) -> Vec<(Nanos, u64)> {
        let mut coarse: Vec<(Nanos, u64)> = Vec::new();
        for buckets in self.used_buckets() {
            // Coarse buckets below 1,024 ns are narrower.
            let step = if buckets.start == 0 { 1 } else { COARSE_STEP };
            let starts = buckets.clone().step_by(step);
            for (start, counts) in starts.zip(self.counts[buckets].chunks(step)) {
                let count: u64 = counts.iter().sum();
                if count == 0 {
                    continue;
                }
                let lowest_ns = lowest_ns(start);
                let dropped = dropped_bits(lowest_ns, COARSE_KEPT_BITS);
                let lowest_ns = lowest_ns >> dropped << dropped;
                match coarse.last_mut() {
                    Some((last_ns, counted)) if *last_ns == lowest_ns => *counted += count,
                    _ => coarse.push((lowest_ns, count)),
                }
            }
        }
        coarse
    }

    /// Rebuilds a histogram from its buckets in any order; adds the counts of equal buckets.
    /// Returns an error if a duration is not the lowest of a bucket or is longer than an hour,
    /// which means that the buckets belong to another kind of histogram.
    pub fn from_buckets(
        buckets: impl IntoIterator<Item = (Nanos, u64)>,
    ) -> Result<Self, RecordError> {
        let mut histogram = Self::new();
        for (lowest_ns, count) in buckets {
            if lowest_ns % bucket_width_ns(lowest_ns) != 0 {
                return Err(RecordError::NotABucket { lowest_ns });
            }
            if count > 0 {
                histogram.record_many(lowest_ns, count)?;
            }
        }
        Ok(histogram)
    }

    /// Returns the longest duration, in nanoseconds, of the bucket that contains a quantile.
    ///
    /// This is the first bucket up to which at least `quantile` × count durations were recorded;
    /// the returned value exceeds the exact quantile by less than 1/1,024. Returns `None` if the
    /// histogram is empty. Only verdicts and tests use it: results contain the buckets.
    /// Panics if `quantile` is not from 0 to 1.
    pub fn duration_at_quantile(&self, quantile: f64) -> Option<Nanos> {
        assert!(
            (0.0..=1.0).contains(&quantile),
            "a quantile is in [0, 1], not {quantile}"
        );
        let wanted = integer((quantile * self.count as f64).ceil()).max(1);
        let mut counted = 0;
        self.buckets()
            .find(|&(_, count)| {
                counted += count;
                counted >= wanted
            })
            .map(|(lowest_ns, _)| lowest_ns + bucket_width_ns(lowest_ns) - 1)
    }
}

/// The reason why a duration was not recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum RecordError {
    /// The duration is longer than [`DURATION_NS_MAX`].
    #[error(
        "a duration of {duration_ns} ns is longer than the maximum of one hour: \
         end the trial sooner"
    )]
    TooLong { duration_ns: Nanos },
    /// No bucket begins at the duration.
    #[error(
        "no bucket begins at {lowest_ns} ns: give buckets of a histogram with a unit of 1 ns \
         and 3 significant digits"
    )]
    NotABucket { lowest_ns: Nanos },
}
