//! Poisson arrivals: mean, variance, independence and union, with fixed seeds.

use autostrada_measure::{Nanos, Rate, Schedule, Share};

use super::{SECOND_NS, dues_until, whole};

fn poisson(rate_per_s: f64, seed: u64) -> Schedule {
    let rate = Rate::per_second(rate_per_s).unwrap();
    Schedule::Poisson { rate, seed }
}

fn dues(schedule: Schedule, share: Share, end: Nanos) -> Vec<Nanos> {
    dues_until(schedule.arrivals(share), end)
}

fn gaps(dues: &[Nanos]) -> Vec<f64> {
    dues.windows(2)
        .map(|pair| (pair[1] - pair[0]) as f64)
        .collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    values
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f64>()
        / values.len() as f64
}

/// Number of arrivals in each second.
fn counts_per_second(dues: &[Nanos], seconds: u64) -> Vec<f64> {
    let mut counts = vec![0.0; usize::try_from(seconds).unwrap()];
    for due in dues {
        counts[usize::try_from(due / SECOND_NS).unwrap()] += 1.0;
    }
    counts
}

/// Asserts a Poisson process with this number of arrivals per second, within four standard
/// deviations.
fn assert_poisson(dues: &[Nanos], per_s: f64, seconds: u64) {
    let counts = counts_per_second(dues, seconds);
    let samples = seconds as f64;
    let mean = mean(&counts);
    assert!(
        (mean - per_s).abs() < 4.0 * (per_s / samples).sqrt(),
        "{mean}"
    );
    let dispersion = variance(&counts) / mean;
    assert!(
        (dispersion - 1.0).abs() < 4.0 * (2.0 / samples).sqrt(),
        "{dispersion}"
    );
}

#[test]
fn the_gaps_are_exponential() {
    let gaps = gaps(&dues(poisson(1_000.0, 42), whole(), 400 * SECOND_NS));
    let count = gaps.len() as f64;
    let mean = mean(&gaps);
    assert!((mean / 1e6 - 1.0).abs() < 4.0 / count.sqrt(), "{mean}");
    // The standard deviation equals the mean; the fourth moment of the gaps bounds its error.
    let ratio = variance(&gaps) / mean.powi(2);
    assert!((ratio - 1.0).abs() < 4.0 * (8.0 / count).sqrt(), "{ratio}");
    for (multiple, beyond) in [(0.1, 0.904_837), (1.0, 0.367_879), (3.0, 0.049_787)] {
        let share = gaps.iter().filter(|&&gap| gap > multiple * 1e6).count() as f64 / count;
        assert!(
            (share - beyond).abs() < 0.003,
            "beyond {multiple} means: {share}"
        );
    }
}

#[test]
fn successive_gaps_are_independent() {
    let gaps = gaps(&dues(poisson(1_000.0, 7), whole(), 400 * SECOND_NS));
    let mean = mean(&gaps);
    let covariance = gaps
        .windows(2)
        .map(|pair| (pair[0] - mean) * (pair[1] - mean))
        .sum::<f64>()
        / gaps.len() as f64;
    let correlation = covariance / variance(&gaps);
    assert!(
        correlation.abs() < 4.0 / (gaps.len() as f64).sqrt(),
        "{correlation}"
    );
}

#[test]
fn the_variance_of_the_counts_equals_their_mean() {
    for seed in [0, 1, u64::MAX] {
        let dues = dues(poisson(100.0, seed), whole(), 2_000 * SECOND_NS);
        assert_poisson(&dues, 100.0, 2_000);
    }
}

#[test]
fn the_union_of_unequal_shares_is_a_process_of_the_whole_rate() {
    // Four threads have 3, 3, 2 and 2 of ten connections.
    let mut union: Vec<_> = (0..4)
        .flat_map(|index| {
            dues(
                poisson(100.0, 3),
                Share::new(index, 4, 10),
                2_000 * SECOND_NS,
            )
        })
        .collect();
    union.sort_unstable();
    assert_poisson(&union, 100.0, 2_000);
}

#[test]
fn each_connection_of_a_share_has_its_own_process() {
    let schedule = poisson(1_000.0, 11);
    let mut arrivals = schedule.arrivals(Share::new(1, 2, 20));
    let mut by_connection = vec![Vec::new(); 10];
    while let Some(due) = arrivals.next_due().filter(|&due| due < 1_000 * SECOND_NS) {
        by_connection[usize::try_from(arrivals.connection()).unwrap()].push(due);
        arrivals.advance();
    }
    for dues in by_connection {
        assert_poisson(&dues, 50.0, 1_000);
    }
}

#[test]
fn arrivals_are_a_function_of_the_seed() {
    let first = |seed, share| dues(poisson(1_000.0, seed), share, SECOND_NS);
    assert_eq!(first(5, whole()), first(5, whole()));
    assert_ne!(first(5, whole()), first(6, whole()));
    assert_ne!(first(5, Share::new(0, 2, 2)), first(5, Share::new(1, 2, 2)));
    // Reference values computed by an independent program, equal on every machine.
    assert_eq!(first(5, whole())[..3], [81_226, 4_074_463, 4_391_627]);
}

#[test]
fn the_offered_number_is_the_expected_one() {
    assert_eq!(poisson(100.0, 5).offered_until(10 * SECOND_NS), 1_000);
    assert!((poisson(100.0, 5).offered_rate_per_s(3) - 100.0).abs() < 1e-9);
}
