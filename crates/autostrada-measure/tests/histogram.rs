//! Histograms: bucket bounds, no clamping, exact merging and restoring.

use std::collections::BTreeMap;

use autostrada_measure::{DURATION_NS_MAX, Histogram, RecordError, bucket_width_ns};
use proptest::prelude::*;

#[test]
fn a_duration_of_more_than_an_hour_is_an_error_and_is_not_recorded() {
    let mut histogram = Histogram::new();
    assert_eq!(histogram.record(DURATION_NS_MAX), Ok(()));
    for duration_ns in [DURATION_NS_MAX + 1, 1 << 42, u64::MAX] {
        let error = histogram.record(duration_ns).unwrap_err();
        assert_eq!(error, RecordError::TooLong { duration_ns });
        assert!(error.to_string().contains("end the trial sooner"));
    }
    assert_eq!(histogram.count(), 1);
}

#[test]
fn the_bucket_bounds_are_as_documented() {
    let table = [
        (0, 0, 1),
        (1, 1, 1),
        (2_047, 2_047, 1),
        (2_048, 2_048, 2),
        (2_049, 2_048, 2),
        (4_095, 4_094, 2),
        (4_096, 4_096, 4),
        (1_000_000, 999_936, 512),
        (999_935, 999_424, 512),
        (DURATION_NS_MAX, 3_599_182_594_048, 1 << 31),
    ];
    for (duration_ns, lowest_ns, width_ns) in table {
        let histogram = recorded(&[duration_ns]);
        assert_eq!(histogram.buckets().collect::<Vec<_>>(), [(lowest_ns, 1)]);
        assert_eq!(bucket_width_ns(lowest_ns), width_ns);
        let longest_ns = lowest_ns + width_ns - 1;
        assert_eq!(histogram.duration_at_quantile(0.5), Some(longest_ns));
        assert!((lowest_ns..=longest_ns).contains(&duration_ns));
    }
}

#[test]
fn quantiles_are_computed_from_the_buckets() {
    let mut histogram = Histogram::new();
    assert_eq!(histogram.duration_at_quantile(0.5), None);
    histogram.record_many(10, 90).unwrap();
    histogram.record_many(1_000, 9).unwrap();
    histogram.record(2_000).unwrap();
    for (quantile, expected) in [
        (0.0, 10),
        (0.9, 10),
        (0.91, 1_000),
        (0.99, 1_000),
        (1.0, 2_000),
    ] {
        assert_eq!(histogram.duration_at_quantile(quantile), Some(expected));
    }
}

#[test]
fn buckets_of_another_kind_are_refused() {
    let refused = Histogram::from_buckets([(2_049, 1)]).unwrap_err();
    assert_eq!(refused, RecordError::NotABucket { lowest_ns: 2_049 });
    assert!(refused.to_string().contains("2049"));
    assert!(Histogram::from_buckets([(1 << 60, 1)]).is_err());
    assert_eq!(Histogram::from_buckets([(5_000, 0)]), Ok(Histogram::new()));
}

/// A histogram of these durations.
fn recorded(durations: &[u64]) -> Histogram {
    let mut histogram = Histogram::new();
    for &duration_ns in durations {
        histogram.record(duration_ns).unwrap();
    }
    histogram
}

fn any_durations() -> impl Strategy<Value = Vec<u64>> {
    let any_magnitude = (0..42_u32, any::<u64>()).prop_map(|(bits, noise)| {
        let duration_ns = (1 << bits) | noise & ((1 << bits) - 1);
        duration_ns.min(DURATION_NS_MAX)
    });
    prop::collection::vec(any_magnitude, 0..200)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn merging_parts_equals_recording_together(durations in any_durations(), parts in 1..5_usize) {
        let mut merged = Histogram::new();
        for part in durations.chunks(durations.len().div_ceil(parts).max(1)) {
            merged.merge(&recorded(part));
        }
        prop_assert_eq!(merged, recorded(&durations));
    }

    #[test]
    fn the_buckets_restore_the_same_histogram_and_it_can_be_cleared(durations in any_durations()) {
        let mut histogram = recorded(&durations);
        let buckets: Vec<_> = histogram.buckets().collect();
        prop_assert!(buckets.is_sorted());
        prop_assert_eq!(buckets.iter().map(|bucket| bucket.1).sum::<u64>(), durations.len() as u64);
        prop_assert_eq!(Histogram::from_buckets(buckets), Ok(histogram.clone()));
        histogram.clear();
        prop_assert_eq!(histogram, Histogram::new());
    }

    #[test]
    fn a_coarse_bucket_is_eight_fine_ones(durations in any_durations()) {
        let mut expected = BTreeMap::new();
        for &duration_ns in &durations {
            let bit_length = u64::BITS - duration_ns.leading_zeros();
            let width_ns = 1 << bit_length.saturating_sub(8);
            *expected.entry(duration_ns - duration_ns % width_ns).or_insert(0_u64) += 1;
        }
        let expected: Vec<_> = expected.into_iter().collect();
        prop_assert_eq!(recorded(&durations).coarse_buckets(), expected);
    }

    #[test]
    fn every_duration_of_a_bucket_identifies_it(duration_ns in 0..=DURATION_NS_MAX) {
        let lowest_ns = duration_ns - duration_ns % bucket_width_ns(duration_ns);
        prop_assert_eq!(recorded(&[duration_ns]).buckets().next(), Some((lowest_ns, 1)));
        prop_assert_eq!(bucket_width_ns(lowest_ns), bucket_width_ns(duration_ns));
        prop_assert!(bucket_width_ns(lowest_ns) <= (lowest_ns / 1_024).max(1));
    }
}
