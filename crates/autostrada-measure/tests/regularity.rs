//! Inter-arrival regularity of constructed arrivals: perfect, in bursts, late, lost.

use autostrada_measure::{Cadence, Nanos, Regularity, Ticks};

const MS: Nanos = 1_000_000;

/// An interval of 100 ms, a tolerance of 10 ms, and bursts within 5 ms.
fn cadence() -> Cadence {
    Cadence::new(100 * MS, 10 * MS, 5 * MS).unwrap()
}

/// Records the arrivals (in ms) of one connection that joined at 0.
fn by_arrivals(arrivals_ms: &[Nanos], end_ms: Nanos) -> Regularity {
    let mut regularity = Regularity::new(cadence());
    let mut ticks = Ticks::new(0);
    for at_ms in arrivals_ms {
        regularity.record_arrival(&mut ticks, at_ms * MS).unwrap();
    }
    let due = ticks.due_until(&cadence(), end_ms * MS);
    regularity.end(ticks, due);
    regularity
}

/// Records arrivals (in ms) of ticks; the n-th tick is due at n × 100 ms.
fn by_plan(arrivals_ms: &[Nanos], due: u64) -> Regularity {
    let mut regularity = Regularity::new(cadence());
    let mut ticks = Ticks::new(0);
    for (number, at_ms) in (0..).zip(arrivals_ms) {
        regularity
            .record_tick(&mut ticks, number * 100 * MS, at_ms * MS)
            .unwrap();
    }
    regularity.end(ticks, due);
    regularity
}

fn assert_share(regularity: &Regularity, expected: f64) {
    let share = regularity.on_time as f64 / regularity.judged as f64;
    assert!((share - expected).abs() < 1e-12, "{share}, not {expected}");
}

#[test]
fn a_perfect_feed_is_on_time_without_bursts_or_backlog() {
    let arrivals_ms: Vec<_> = (0..50).map(|tick| 37 + tick * 100).collect();
    let regularity = by_arrivals(&arrivals_ms, 37 + 4_950);
    assert_share(&regularity, 1.0);
    assert_eq!(regularity.judged, 49);
    assert_eq!(regularity.burst_max, 1);
    assert_eq!((regularity.backlog, regularity.surplus), (0, 0));
    let buckets: Vec<_> = regularity.inter_arrival_ns.buckets().collect();
    assert_eq!(buckets.len(), 1);
    assert_eq!(buckets[0].1, 49);
}

#[test]
fn a_feed_that_delivers_four_ticks_at_a_time_has_bursts_of_four() {
    let arrivals_ms: Vec<_> = (0..40).map(|tick| tick / 4 * 400 + tick % 4).collect();
    let regularity = by_arrivals(&arrivals_ms, 3_700);
    assert_eq!(regularity.burst_max, 4);
    assert_share(&regularity, 0.0);
    assert_eq!(regularity.backlog, 0);
    let planned = by_plan(&arrivals_ms, 40);
    // The first of each four ticks arrives when it is due, the others arrive early.
    assert_share(&planned, 0.25);
    assert_eq!(planned.burst_max, 4);
}

#[test]
fn a_burst_includes_the_end_of_its_window() {
    assert_eq!(by_arrivals(&[0, 5, 10, 16, 21], 400).burst_max, 3);
}

#[test]
fn one_late_tick_makes_two_irregular_intervals_and_one_late_tick() {
    let arrivals_ms = [0, 100, 250, 300, 400];
    assert_share(&by_arrivals(&arrivals_ms, 400), 0.5);
    assert_share(&by_plan(&arrivals_ms, 5), 0.8);
}

#[test]
fn a_feed_that_is_always_late_is_regular_and_never_on_time() {
    let arrivals_ms: Vec<_> = (0..20).map(|tick| 50 + tick * 100).collect();
    assert_share(&by_arrivals(&arrivals_ms, 1_950), 1.0);
    assert_share(&by_plan(&arrivals_ms, 20), 0.0);
}

#[test]
fn the_tolerance_is_inclusive() {
    assert_share(&by_plan(&[10, 90, 211, 289], 4), 0.5);
}

#[test]
fn a_feed_that_falls_behind_has_a_backlog_at_the_end() {
    // Half of the ticks due in 5 s, from arrivals and from due times.
    let arrivals_ms: Vec<_> = (0..25).map(|tick| tick * 200).collect();
    assert_eq!(by_arrivals(&arrivals_ms, 4_910).backlog, 25);
    assert_eq!(by_plan(&arrivals_ms, 50).backlog, 25);
}

#[test]
fn a_feed_that_never_begins_has_all_ticks_in_its_backlog() {
    let silent = by_arrivals(&[], 1_010);
    assert_eq!((silent.backlog, silent.burst_max), (10, 0));
    assert_eq!(silent.judged, 0);
    assert_eq!(by_arrivals(&[], 5).backlog, 0);
}

#[test]
fn a_feed_that_is_too_fast_has_a_surplus() {
    let arrivals_ms: Vec<_> = (0..20).map(|tick| tick * 50).collect();
    let regularity = by_arrivals(&arrivals_ms, 1_000);
    assert_eq!((regularity.backlog, regularity.surplus), (0, 10));
}

#[test]
fn a_tick_due_at_the_end_is_not_in_the_backlog() {
    let arrivals_ms: Vec<_> = (0..10).map(|tick| tick * 100).collect();
    assert_eq!(by_arrivals(&arrivals_ms, 1_009).backlog, 0);
    assert_eq!(by_arrivals(&arrivals_ms, 1_010).backlog, 1);
}

#[test]
fn merging_two_threads_equals_recording_in_one() {
    let feeds: [&[Nanos]; 3] = [&[0, 100, 200, 300], &[5, 6, 7, 300, 400], &[0, 150]];
    let mut together = Regularity::new(cadence());
    let mut merged = Regularity::new(cadence());
    for arrivals_ms in feeds {
        let mut ticks = Ticks::new(0);
        for at_ms in arrivals_ms {
            together.record_arrival(&mut ticks, at_ms * MS).unwrap();
        }
        together.end(ticks, ticks.due_until(&cadence(), 310 * MS));
        merged.merge(&by_arrivals(arrivals_ms, 310));
    }
    assert_eq!(merged, together);
    assert_eq!(
        (merged.burst_max, merged.backlog, merged.surplus),
        (3, 2, 2)
    );
}

#[test]
fn an_interval_shorter_than_a_burst_is_refused() {
    for interval_ns in [0, 1, 5 * MS] {
        let error = Cadence::new(interval_ns, MS, 5 * MS).unwrap_err();
        assert!(error.to_string().contains("give a longer interval"));
    }
}

#[test]
fn the_state_of_a_connection_is_thirty_two_bytes() {
    assert_eq!(size_of::<Ticks>(), 32);
}
