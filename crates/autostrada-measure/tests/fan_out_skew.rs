//! Fan-out skew of broadcasts: merging of two threads, bounded memory, implausible numbers.

use autostrada_measure::{Broadcast, Broadcasts, FanOutSkew, Nanos};
use proptest::prelude::*;

const ALL_TIME: std::ops::Range<Nanos> = 0..Nanos::MAX;

fn buckets(skew: &FanOutSkew) -> Vec<(Nanos, u64)> {
    skew.skew_ns.buckets().collect()
}

fn kept_in_order(broadcasts: &Broadcasts) -> Vec<Broadcast> {
    let mut kept: Vec<_> = broadcasts.broadcasts().collect();
    kept.sort_by_key(|broadcast| broadcast.number);
    kept
}

#[test]
fn the_skew_is_from_the_first_to_the_last_connection_of_all_threads() {
    let [mut here, mut there] = [Broadcasts::new(8), Broadcasts::new(8)];
    // Broadcast 3 reaches two connections of this thread, after one of the other.
    here.record(3, 1_500);
    here.record(3, 1_200);
    there.record(3, 1_000);
    // Broadcast 4 reaches all except one, broadcast 5 only connections of the other thread.
    here.record(4, 2_000);
    there.record(4, 2_010);
    for at in [3_000, 3_001, 3_002] {
        there.record(5, at);
    }
    here.merge(&there);
    let skew = here.summarize(3, &ALL_TIME).unwrap();
    assert_eq!((skew.complete, skew.incomplete), (2, 1));
    assert_eq!(buckets(&skew), [(2, 1), (500, 1)]);
    assert_eq!((skew.every, skew.unexpected), (1, 0));
}

#[test]
fn only_broadcasts_that_begin_in_the_window_are_summarized() {
    let mut broadcasts = Broadcasts::new(8);
    for (number, at) in [(0, 10), (1, 20), (2, 30), (3, 40)] {
        broadcasts.record(number, at);
        broadcasts.record(number, at + 15);
    }
    let skew = broadcasts.summarize(2, &(20..40)).unwrap();
    assert_eq!((skew.complete, skew.incomplete), (2, 0));
}

#[test]
fn every_second_broadcast_is_discarded_if_they_do_not_fit() {
    let mut broadcasts = Broadcasts::new(8);
    for number in 0..8 {
        broadcasts.record(number, number);
    }
    assert_eq!(broadcasts.every(), 1);
    broadcasts.record(8, 8);
    assert_eq!(broadcasts.every(), 2);
    let numbers = |broadcasts: &Broadcasts| -> Vec<_> {
        let kept = kept_in_order(broadcasts);
        kept.iter().map(|broadcast| broadcast.number).collect()
    };
    assert_eq!(numbers(&broadcasts), [0, 2, 4, 6, 8]);
    for number in 9..=32 {
        broadcasts.record(number, number);
    }
    assert_eq!(broadcasts.every(), 8);
    assert_eq!(numbers(&broadcasts), [0, 8, 16, 24, 32]);
    assert_eq!(broadcasts.summarize(1, &ALL_TIME).unwrap().every, 8);
}

#[test]
fn a_skew_of_more_than_an_hour_is_an_error() {
    let mut broadcasts = Broadcasts::new(4);
    broadcasts.record(0, 0);
    broadcasts.record(0, 3_600_000_000_001);
    assert!(broadcasts.summarize(2, &ALL_TIME).is_err());
}

#[test]
fn implausible_numbers_need_neither_memory_nor_time() {
    let mut broadcasts = Broadcasts::new(4);
    for shift in 40..64 {
        broadcasts.record(1 << shift, 1);
    }
    assert_eq!(broadcasts.every(), 1 << 32);
    assert!(broadcasts.broadcasts().count() <= 4);
    let unexpected = broadcasts.summarize(1, &ALL_TIME).unwrap().unexpected;
    assert!(unexpected > 0, "discarded broadcasts are counted");
    let mut merged = Broadcasts::new(4);
    merged.merge(&broadcasts);
    assert_eq!(
        merged.summarize(1, &ALL_TIME).unwrap().unexpected,
        unexpected
    );
}

#[test]
fn an_implausible_odd_number_causes_at_most_one_doubling() {
    let mut broadcasts = Broadcasts::new(1 << 10);
    for number in 0..1_000 {
        broadcasts.record(number, 1);
        broadcasts.record(number << 50 | 0x1_2345, 1);
    }
    assert!(broadcasts.every() <= 2);
}

proptest! {
    #[test]
    fn merging_parts_equals_recording_together(
        deliveries in prop::collection::vec((0..100_u64, 0..1_000_u64, 0..3_usize), 0..300),
    ) {
        let mut together = Broadcasts::new(16);
        let mut by_thread = vec![Broadcasts::new(16); 3];
        for &(number, at, thread) in &deliveries {
            together.record(number, at);
            by_thread[thread].record(number, at);
        }
        let mut merged = Broadcasts::new(16);
        for broadcasts in &by_thread {
            merged.merge(broadcasts);
        }
        prop_assert_eq!(merged.every(), together.every());
        prop_assert_eq!(kept_in_order(&merged), kept_in_order(&together));
        prop_assert_eq!(merged.summarize(3, &ALL_TIME), together.summarize(3, &ALL_TIME));
    }
}
