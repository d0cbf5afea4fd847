//! Durations of the buckets of a result.

use std::collections::BTreeMap;

use autostrada_measure::Histogram;

use super::number_format::duration_ns;
use crate::client::Buckets;

/// Quantiles of times by their names, which are shown while and after a load runs.
pub const QUANTILES: [(&str, f64); 3] = [("p50", 0.5), ("p99", 0.99), ("max", 1.0)];

/// Returns quantiles of buckets in words, each after its name; nothing without durations.
pub fn quantiles(buckets: &Buckets, quantiles: &[(&str, f64)]) -> Vec<String> {
    let Some(times) = histogram(buckets) else {
        return Vec::new();
    };
    let words = quantiles.iter().filter_map(|(name, quantile)| {
        let at_ns = times.duration_at_quantile(*quantile)?;
        Some(format!("{name} {}", duration_ns(at_ns)))
    });
    words.collect()
}

/// Returns the duration at a quantile of buckets, in seconds; `None` without durations.
pub fn at_quantile(buckets: &Buckets, quantile: f64) -> Option<f64> {
    let times = histogram(buckets)?;
    Some(times.duration_at_quantile(quantile)? as f64 / 1e9)
}

/// Returns a histogram of the buckets of a result; `None` if there are none.
pub fn histogram(buckets: &Buckets) -> Option<Histogram> {
    let histogram = Histogram::from_buckets(buckets.iter().copied()).ok()?;
    (histogram.count() > 0).then_some(histogram)
}

/// Returns the number of durations from each power of two of nanoseconds to the next.
pub fn by_power(buckets: &Buckets) -> BTreeMap<u32, u64> {
    let mut counts = BTreeMap::new();
    for (lowest_ns, count) in buckets {
        *counts.entry(lowest_ns.max(&1).ilog2()).or_default() += count;
    }
    counts
}
