//! Histograms as they are printed.

use autostrada_measure::{Histogram, Nanos};

/// Buckets of a histogram, as pairs of the lowest duration of the bucket in nanoseconds and its
/// count. Empty buckets are left out.
pub type Buckets = Vec<(Nanos, u64)>;

/// Returns all buckets of a histogram that are not empty.
pub fn buckets(histogram: &Histogram) -> Buckets {
    histogram.buckets().collect()
}
