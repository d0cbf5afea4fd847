//! Durations in buckets that merge exactly and from which every quantile can be asked later.

use std::error::Error;
use std::fmt;
use std::ops::Range;

use crate::Nanos;

/// The longest duration that is recorded: one hour.
pub const DURATION_NS_MAX: Nanos = 3_600_000_000_000;

/// How many of the highest binary digits of a duration its bucket keeps.
const KEPT_BITS: u32 = 11;

/// As many, where the buckets are listed coarsely.
const COARSE_KEPT_BITS: u32 = 8;

/// How many buckets there are between a power of two and the next.
const BLOCK: usize = 1 << (KEPT_BITS - 1);

/// The bucket of the longest duration is the last.
const BUCKETS: usize = bucket(DURATION_NS_MAX) + 1;

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
    1 << dropped_bits(lowest_ns, KEPT_BITS)
}

/// The lowest duration of the coarse bucket that a duration lies in: of eight times the width.
fn coarse_lowest_ns(duration_ns: Nanos) -> Nanos {
    let dropped = dropped_bits(duration_ns, COARSE_KEPT_BITS);
    duration_ns >> dropped << dropped
}

/// How many of the lowest binary digits go, where so many of the highest are kept.
const fn dropped_bits(duration_ns: Nanos, kept_bits: u32) -> u32 {
    let bit_length = Nanos::BITS - duration_ns.leading_zeros();
    bit_length.saturating_sub(kept_bits)
}

/// Which bucket a duration of up to an hour lies in, counted from 0.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the highest 11 binary digits, and 31 times 1,024 at most"
)]
const fn bucket(duration_ns: Nanos) -> usize {
    let dropped = dropped_bits(duration_ns, KEPT_BITS);
    (duration_ns >> dropped) as usize + dropped as usize * BLOCK
}

/// The lowest duration of a bucket.
fn lowest_ns(bucket: usize) -> Nanos {
    let dropped = (bucket / BLOCK).saturating_sub(1);
    ((bucket - dropped * BLOCK) as Nanos) << dropped
}

/// Durations from 0 to one hour, in nanoseconds with three significant digits.
///
/// Constant memory (about 270 kB, of which only what is used is touched), whatever is recorded.
/// All histograms have the same buckets (`bucket_width_ns`), so they merge exactly. The buckets
/// are those of `HdrHistogram` with three digits; merging, listing and clearing look only at the
/// powers of two that occurred, a few microseconds, as they are done beside messages that are due.
#[derive(Clone, PartialEq)]
pub struct Histogram {
    counts: Box<[u64]>,
    /// One bit for each block of buckets in which something was recorded.
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
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        Self {
            counts: vec![0; BUCKETS].into_boxed_slice(),
            used: 0,
            count: 0,
        }
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
        if duration_ns > DURATION_NS_MAX {
            return Err(RecordError::TooLong { duration_ns });
        }
        let bucket = bucket(duration_ns);
        self.counts[bucket] += count;
        self.used |= 1 << (bucket / BLOCK);
        self.count += count;
        Ok(())
    }

    /// Adds what another histogram has recorded.
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

    /// Forgets all, and keeps the memory.
    pub fn clear(&mut self) {
        for buckets in self.used_buckets() {
            self.counts[buckets].fill(0);
        }
        self.used = 0;
        self.count = 0;
    }

    /// The blocks of buckets in which something was recorded, in order.
    fn used_buckets(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let used = self.used;
        (0..BUCKETS.div_ceil(BLOCK))
            .filter(move |block| used >> block & 1 == 1)
            .map(|block| block * BLOCK..((block + 1) * BLOCK).min(BUCKETS))
    }

    /// How many durations were recorded.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The buckets that are not empty, in order: the lowest duration of each, and its count.
    ///
    /// `bucket_width_ns` says where each ends; `from_buckets` makes the same histogram of them.
    pub fn buckets(&self) -> impl Iterator<Item = (Nanos, u64)> {
        self.used_buckets()
            .flatten()
            .map(|bucket| (lowest_ns(bucket), self.counts[bucket]))
            .filter(|&(_, count)| count > 0)
    }

    /// The same in buckets of eight times the width, at least two significant digits: for series
    /// of many histograms.
    ///
    /// The bucket of a duration `d` keeps its 8 highest binary digits; with
    /// `width = 1 << max(0, bit_length(d) - 8)` it begins at `d - d % width`.
    #[must_use]
    pub fn coarse_buckets(&self) -> Vec<(Nanos, u64)> {
        let mut coarse: Vec<(Nanos, u64)> = Vec::new();
        for (lowest_ns, count) in self.buckets() {
            let lowest_ns = coarse_lowest_ns(lowest_ns);
            match coarse.last_mut() {
                Some((last_ns, counted)) if *last_ns == lowest_ns => *counted += count,
                _ => coarse.push((lowest_ns, count)),
            }
        }
        coarse
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
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            reason = "a count is far below 2^53, and a quantile is not below 0"
        )]
        let wanted = ((quantile * self.count as f64).ceil() as u64).max(1);
        let mut counted = 0;
        self.buckets()
            .find(|&(_, count)| {
                counted += count;
                counted >= wanted
            })
            .map(|(lowest_ns, _)| lowest_ns + bucket_width_ns(lowest_ns) - 1)
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
