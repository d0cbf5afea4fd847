//! Tests of `sample_times.rs`.

use super::*;

/// Returns the first samples without missed samples.
fn kept(samples: usize) -> Vec<Nanos> {
    let mut sample_times = SampleTimes::new(5_000, 1_000);
    let mut now = 5_000;
    (0..samples)
        .map(|_| {
            now = sample_times.next(now);
            now
        })
        .collect()
}

#[test]
fn there_is_one_sample_in_each_interval() {
    for (interval, sample) in (6..).zip(kept(1_000)) {
        assert_eq!(sample / 1_000, interval);
    }
}

#[test]
fn samples_are_neither_close_together_nor_far_apart() {
    for pair in kept(1_000).windows(2) {
        assert!((600..=1_620).contains(&(pair[1] - pair[0])), "{pair:?}");
    }
}

#[test]
fn all_phases_of_a_periodic_load_are_sampled_equally() {
    for rhythm_ns in [10, 50, 100, 250, 500, 1_000] {
        let mut seen = [0; 10];
        for sample in kept(1_000) {
            let share = sample % rhythm_ns * 10 / rhythm_ns;
            seen[usize::try_from(share).unwrap()] += 1;
        }
        assert!(
            seen.iter().all(|samples| (80..=120).contains(samples)),
            "{rhythm_ns}: {seen:?}"
        );
    }
}

#[test]
fn missed_samples_are_skipped() {
    let mut sample_times = SampleTimes::new(0, 1_000);
    assert_eq!(sample_times.next(0), 1_618);
    assert_eq!(sample_times.next(1_618), 2_236);
    // The sample of the tenth interval would have been at 10,180.
    assert_eq!(sample_times.next(10_180), 11_798);
    assert_eq!(sample_times.next(20_100), 20_360);
}
