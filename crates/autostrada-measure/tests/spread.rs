//! First-to-last spread of broadcasts: two threads merged, bounded memory, wild numbers.

use autostrada_measure::{Broadcast, Histogram, Nanos, Spread, Spreads};
use proptest::prelude::*;

const ALL_TIME: std::ops::Range<Nanos> = 0..Nanos::MAX;

fn buckets(spreads: &Spreads) -> Vec<(Nanos, u64)> {
    spreads.spread_ns.buckets().collect()
}

fn kept_in_order(spread: &Spread) -> Vec<Broadcast> {
    let mut kept: Vec<_> = spread.broadcasts().collect();
    kept.sort_by_key(|broadcast| broadcast.number);
    kept
}

#[test]
fn the_spread_is_from_the_first_connection_of_any_thread_to_the_last() {
    let [mut here, mut there] = [Spread::new(8), Spread::new(8)];
    // Broadcast 3 reaches two connections here and one there, which is the first.
    here.record(3, 1_500);
    here.record(3, 1_200);
    there.record(3, 1_000);
    // Broadcast 4 reaches all but one, broadcast 5 only connections of the other thread.
    here.record(4, 2_000);
    there.record(4, 2_010);
    for at in [3_000, 3_001, 3_002] {
        there.record(5, at);
    }
    here.merge(&there);
    let spreads = here.sum_up(3, &ALL_TIME).unwrap();
    assert_eq!((spreads.complete, spreads.incomplete), (2, 1));
    assert_eq!(buckets(&spreads), [(2, 1), (500, 1)]);
    assert_eq!((spreads.every, spreads.strays), (1, 0));
}

#[test]
fn only_broadcasts_that_begin_in_the_window_are_summed_up() {
    let mut spread = Spread::new(8);
    for (number, at) in [(0, 10), (1, 20), (2, 30), (3, 40)] {
        spread.record(number, at);
        spread.record(number, at + 15);
    }
    let spreads = spread.sum_up(2, &(20..40)).unwrap();
    assert_eq!((spreads.complete, spreads.incomplete), (2, 0));
}

#[test]
fn with_more_broadcasts_than_fit_every_second_one_is_let_go() {
    let mut spread = Spread::new(8);
    for number in 0..8 {
        spread.record(number, number);
    }
    assert_eq!(spread.every(), 1);
    spread.record(8, 8);
    assert_eq!(spread.every(), 2);
    let numbers = |spread: &Spread| -> Vec<_> {
        let kept = kept_in_order(spread);
        kept.iter().map(|broadcast| broadcast.number).collect()
    };
    assert_eq!(numbers(&spread), [0, 2, 4, 6, 8]);
    for number in 9..=32 {
        spread.record(number, number);
    }
    assert_eq!(spread.every(), 8);
    assert_eq!(numbers(&spread), [0, 8, 16, 24, 32]);
    assert_eq!(spread.sum_up(1, &ALL_TIME).unwrap().every, 8);
}

#[test]
fn a_thread_that_has_let_go_more_sets_what_the_merged_ones_keep() {
    let [mut here, mut there] = [Spread::new(4), Spread::new(4)];
    for number in 0..4 {
        here.record(number, 10);
    }
    for number in 0..8 {
        there.record(number, 15);
    }
    here.merge(&there);
    assert_eq!(here.every(), 2);
    let spreads = here.sum_up(2, &ALL_TIME).unwrap();
    assert_eq!((spreads.complete, spreads.incomplete), (2, 2));
    assert_eq!(buckets(&spreads), [(5, 2)]);
}

#[test]
fn a_spread_of_more_than_an_hour_is_an_error() {
    let mut spread = Spread::new(4);
    spread.record(0, 0);
    spread.record(0, 3_600_000_000_001);
    assert!(spread.sum_up(2, &ALL_TIME).is_err());
}

#[test]
fn wild_numbers_neither_grow_the_memory_nor_go_on_for_ever() {
    let mut spread = Spread::new(4);
    for shift in 40..64 {
        spread.record(1 << shift, 1);
    }
    assert_eq!(spread.every(), 1 << 32);
    assert!(spread.broadcasts().count() <= 4);
    let strays = spread.sum_up(1, &ALL_TIME).unwrap().strays;
    assert!(strays > 0, "what could not be kept is told");
    let mut merged = Spread::new(4);
    merged.merge(&spread);
    assert_eq!(merged.sum_up(1, &ALL_TIME).unwrap().strays, strays);
}

#[test]
fn a_wild_number_that_is_odd_costs_at_most_one_doubling() {
    let mut spread = Spread::new(1 << 10);
    for number in 0..1_000 {
        spread.record(number, 1);
        spread.record(number << 50 | 0x1_2345, 1);
    }
    assert!(spread.every() <= 2);
}

proptest! {
    #[test]
    fn merging_the_parts_is_recording_together(
        deliveries in prop::collection::vec((0..100_u64, 0..1_000_u64, 0..3_usize), 0..300),
    ) {
        let mut together = Spread::new(16);
        let mut by_thread = vec![Spread::new(16); 3];
        for &(number, at, thread) in &deliveries {
            together.record(number, at);
            by_thread[thread].record(number, at);
        }
        let mut merged = Spread::new(16);
        for spread in &by_thread {
            merged.merge(spread);
        }
        prop_assert_eq!(merged.every(), together.every());
        prop_assert_eq!(kept_in_order(&merged), kept_in_order(&together));
        prop_assert_eq!(merged.sum_up(3, &ALL_TIME), together.sum_up(3, &ALL_TIME));

        // Across processes: the rows are enough.
        let mut rebuilt = Spread::new(16);
        for spread in &by_thread {
            rebuilt.add(spread.every(), spread.broadcasts());
        }
        prop_assert_eq!(rebuilt, merged);
    }
}

#[test]
fn nothing_recorded_is_nothing_summed_up() {
    let spreads = Spread::new(1).sum_up(1, &ALL_TIME).unwrap();
    assert_eq!(spreads.spread_ns, Histogram::new());
    assert_eq!((spreads.complete, spreads.incomplete), (0, 0));
}
