//! Durations in buckets that merge exactly and from which every quantile can be asked later.

use std::error::Error;
use std::fmt;

use crate::Nanos;

/// The longest duration that is recorded: one hour.
pub const DURATION_NS_MAX: Nanos = 3_600_000_000_000;

const SIGNIFICANT_DIGITS: u8 = 3;

/// How wide the bucket is that begins at `lowest_ns`: 1 below 2,048, then a power of two.
///
/// The bucket of a duration `d` keeps its 11 highest binary digits: with
/// `width = 1 << max(0, bit_length(d) - 11)` it begins at `d - d % width` and ends before that
/// plus `width`. So no bucket is wider than a 1,024th of its durations, and others (SQL, Python)
/// rebuild each bucket from its lowest duration alone:
///
/// | durations (ns) | width (ns) |
/// |---|---|
/// | 0 to 2,047 | 1 |
/// | 2,048 to 4,095 | 2 |
/// | 2^k to 2^(k+1) − 1, with k ≥ 11 | 2^(k−10) |
#[must_use]
pub fn bucket_width_ns(lowest_ns: Nanos) -> Nanos {
    let bit_length = Nanos::BITS - lowest_ns.leading_zeros();
    1 << bit_length.saturating_sub(11)
}

/// Durations from 0 to one hour, in nanoseconds with three significant digits.
///
/// Constant memory (about 270 kB, of which only what is used is touched), whatever is recorded.
/// All histograms have the same buckets (`bucket_width_ns`), so they merge exactly.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    counts: hdrhistogram::Histogram<u64>,
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Histogram {
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        let counts =
            hdrhistogram::Histogram::new_with_bounds(1, DURATION_NS_MAX, SIGNIFICANT_DIGITS)
                .expect("1 ns to 1 h with 3 digits is within what the crate documents");
        Self { counts }
    }

    /// Records one duration.
    ///
    /// # Errors
    ///
    /// When it is longer than an hour. It is not clamped: a trial whose worst case is unknown
    /// must fail, not look better than it is.
    #[inline]
    pub fn record(&mut self, duration_ns: Nanos) -> Result<(), RecordError> {
        self.record_many(duration_ns, 1)
    }

    /// Records the same duration `count` times.
    ///
    /// # Errors
    ///
    /// When it is longer than an hour.
    #[inline]
    pub fn record_many(&mut self, duration_ns: Nanos, count: u64) -> Result<(), RecordError> {
        // The last bucket of the crate ends beyond the hour: what is between is refused here.
        if duration_ns > DURATION_NS_MAX {
            return Err(RecordError::TooLong { duration_ns });
        }
        self.counts
            .record_n(duration_ns, count)
            .expect("within the range that the histogram was made for");
        Ok(())
    }

    /// Adds what another histogram has recorded.
    pub fn merge(&mut self, other: &Self) {
        if other.count() == 0 {
            return;
        }
        self.counts
            .add(&other.counts)
            .expect("all histograms here have the same range");
    }

    /// Forgets all, and keeps the memory.
    pub fn clear(&mut self) {
        if self.count() > 0 {
            self.counts.reset();
        }
    }

    /// How many durations were recorded.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.len()
    }

    /// The buckets that are not empty, in order: the lowest duration of each, and its count.
    ///
    /// `bucket_width_ns` says where each ends; `from_buckets` makes the same histogram of them.
    pub fn buckets(&self) -> impl Iterator<Item = (Nanos, u64)> {
        self.counts.iter_recorded().map(|bucket| {
            let lowest_ns = self.counts.lowest_equivalent(bucket.value_iterated_to());
            (lowest_ns, bucket.count_at_value())
        })
    }

    /// Rebuilds a histogram from its buckets, in any order; equal buckets are added.
    ///
    /// # Errors
    ///
    /// When a duration is not the lowest of a bucket, or longer than an hour: then it is of a
    /// histogram of another kind.
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

    /// The longest duration of the bucket that holds this quantile; `None` if it is empty.
    ///
    /// That is the first bucket with which at least `quantile` × count durations are reached, so
    /// it is above the true one by less than a 1,024th. For verdicts and tests: results carry
    /// the buckets.
    #[must_use]
    pub fn duration_at_quantile(&self, quantile: f64) -> Option<Nanos> {
        assert!(
            (0.0..=1.0).contains(&quantile),
            "a quantile is in [0, 1], not {quantile}"
        );
        (self.count() > 0).then(|| self.counts.value_at_quantile(quantile))
    }
}

/// Why a duration was not recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordError {
    /// It is beyond the range of a histogram.
    TooLong {
        /// What was to be recorded.
        duration_ns: Nanos,
    },
    /// A bucket does not begin there.
    NotABucket {
        /// Where it was said to begin.
        lowest_ns: Nanos,
    },
}

impl fmt::Display for RecordError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { duration_ns } => write!(
                formatter,
                "a duration of {duration_ns} ns is longer than the hour that is recorded: \
                 end the trial sooner"
            ),
            Self::NotABucket { lowest_ns } => write!(
                formatter,
                "no bucket begins at {lowest_ns} ns: give buckets of 1 ns with 3 digits"
            ),
        }
    }
}

impl Error for RecordError {}
