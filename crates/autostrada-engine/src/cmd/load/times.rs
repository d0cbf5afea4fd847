//! Durations of the buckets of a result.

use autostrada_measure::Histogram;

use crate::client::Buckets;

/// Returns the duration at a quantile of buckets, in seconds; `None` without durations.
pub fn at_quantile(buckets: &Buckets, quantile: f64) -> Option<f64> {
    seconds_at(&histogram(buckets)?, quantile)
}

/// Returns the duration at a quantile, in seconds; `None` without durations.
pub fn seconds_at(times: &Histogram, quantile: f64) -> Option<f64> {
    Some(times.duration_at_quantile(quantile)? as f64 / 1e9)
}

/// Returns a histogram of the buckets of a result; `None` if there are none.
pub fn histogram(buckets: &Buckets) -> Option<Histogram> {
    let histogram = Histogram::from_buckets(buckets.iter().copied()).ok()?;
    (histogram.count() > 0).then_some(histogram)
}
