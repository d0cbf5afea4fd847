//! Sequence numbers: in order, missing, repeated, late, and wild.

use autostrada_measure::{GAP_MAX, Sequence, SequenceCounts, Verdict, WINDOW};
use proptest::prelude::*;

use Verdict::{Duplicate, Gap, InOrder, Reordered, Unexpected};

fn verdicts(mut sequence: Sequence, numbers: &[u64]) -> (Vec<Verdict>, SequenceCounts) {
    let mut counts = SequenceCounts::default();
    let verdicts = numbers
        .iter()
        .map(|&number| {
            let verdict = sequence.check(number);
            counts.count(verdict);
            verdict
        })
        .collect();
    (verdicts, counts)
}

fn joining(numbers: &[u64]) -> (Vec<Verdict>, SequenceCounts) {
    verdicts(Sequence::joining(), numbers)
}

#[test]
fn a_connection_that_joins_in_the_middle_begins_with_what_it_sees_first() {
    let (verdicts, counts) = joining(&[1_000, 1_001, 1_002]);
    assert_eq!(verdicts, [InOrder; 3]);
    assert_eq!((counts.in_order, counts.missing), (3, 0));
}

#[test]
fn a_feed_with_a_known_beginning_misses_what_is_missing_there() {
    let (verdicts, _) = verdicts(Sequence::starting_at(0), &[3, 4, 0]);
    assert_eq!(verdicts, [Gap { missing: 3 }, InOrder, Reordered]);
}

#[test]
fn a_gap_says_how_many_are_missing() {
    let (verdicts, counts) = joining(&[5, 6, 10, 11, 13]);
    let expected = [
        InOrder,
        InOrder,
        Gap { missing: 3 },
        InOrder,
        Gap { missing: 1 },
    ];
    assert_eq!(verdicts, expected);
    assert_eq!((counts.gaps, counts.missing), (2, 4));
}

#[test]
fn a_message_that_comes_late_is_no_longer_missing() {
    let (verdicts, counts) = joining(&[1, 4, 3, 2, 2, 5]);
    let expected = [
        InOrder,
        Gap { missing: 2 },
        Reordered,
        Reordered,
        Duplicate,
        InOrder,
    ];
    assert_eq!(verdicts, expected);
    let expected = SequenceCounts {
        in_order: 2,
        gaps: 1,
        missing: 0,
        duplicates: 1,
        reordered: 2,
        unexpected: 0,
    };
    assert_eq!(counts, expected);
}

#[test]
fn a_message_that_comes_again_is_a_repeat_however_old_it_is() {
    let in_order: Vec<_> = (0..1_000).collect();
    let again = [&in_order[..], &[999, 998, 872, 871, 0]].concat();
    let (verdicts, counts) = joining(&again);
    assert_eq!(verdicts[1_000..], [Duplicate; 5]);
    assert_eq!((counts.in_order, counts.duplicates), (1_000, 5));
}

#[test]
fn what_is_older_than_the_window_cannot_be_placed_once_a_gap_is_forgotten() {
    let window = u64::from(WINDOW);
    let mut sequence = Sequence::joining();
    sequence.check(0);
    assert_eq!(sequence.check(2), Gap { missing: 1 });
    for number in 3..=window {
        assert_eq!(sequence.check(number), InOrder);
    }
    // The missing 1 is the oldest that is remembered, and 0 was never missing.
    let mut copy = sequence;
    assert_eq!(copy.check(0), Duplicate);
    assert_eq!(copy.check(1), Reordered);
    assert_eq!(copy.check(window + 1), InOrder);
    assert_eq!(copy.check(0), Duplicate);
    // With the next it is forgotten, and then neither can be told.
    assert_eq!(sequence.check(window + 1), InOrder);
    assert_eq!(sequence.check(1), Unexpected);
    assert_eq!(sequence.check(0), Unexpected);
    assert_eq!(sequence.check(2), Duplicate);
}

#[test]
fn a_gap_of_a_whole_window_or_more_is_counted_whole() {
    for missing in [126, 127, 128, 129, 1_000, GAP_MAX] {
        let mut sequence = Sequence::starting_at(0);
        assert_eq!(sequence.check(missing), Gap { missing });
        let oldest_known = missing.saturating_sub(127);
        assert_eq!(sequence.check(oldest_known), Reordered, "of {missing}");
        if oldest_known > 0 {
            assert_eq!(sequence.check(oldest_known - 1), Unexpected, "of {missing}");
        }
        assert_eq!(sequence.check(missing), Duplicate);
    }
}

#[test]
fn the_last_number_before_a_gap_is_remembered_to_the_end_of_the_window() {
    for (missing, expected) in [(126, Duplicate), (127, Duplicate), (128, Unexpected)] {
        let mut sequence = Sequence::joining();
        sequence.check(0);
        assert_eq!(sequence.check(missing + 1), Gap { missing });
        assert_eq!(sequence.check(0), expected, "after {missing}");
    }
}

#[test]
fn a_number_from_before_the_connection_joined_is_unexpected() {
    let (verdicts, counts) = joining(&[10, 9, 0, 11]);
    assert_eq!(verdicts, [InOrder, Unexpected, Unexpected, InOrder]);
    assert_eq!((counts.unexpected, counts.missing), (2, 0));
}

#[test]
fn numbers_wrap_around() {
    let (verdicts, counts) = joining(&[u64::MAX - 1, u64::MAX, 0, 2, 1, u64::MAX]);
    let expected = [
        InOrder,
        InOrder,
        InOrder,
        Gap { missing: 1 },
        Reordered,
        Duplicate,
    ];
    assert_eq!(verdicts, expected);
    assert_eq!(counts.missing, 0);
}

#[test]
fn a_wild_number_does_not_disturb_those_that_follow() {
    let (verdicts, counts) = joining(&[7, u64::MAX / 3, 8, GAP_MAX + 10, 9]);
    assert_eq!(
        verdicts,
        [InOrder, Unexpected, InOrder, Unexpected, InOrder]
    );
    assert_eq!((counts.unexpected, counts.missing, counts.gaps), (2, 0, 0));
}

#[test]
fn what_is_missing_at_the_end_is_told_by_the_next_number() {
    let mut sequence = Sequence::joining();
    assert_eq!(sequence.next(), None);
    sequence.check(41);
    assert_eq!(sequence.next(), Some(42));
}

#[test]
fn a_connection_costs_forty_eight_bytes() {
    assert_eq!(size_of::<Sequence>(), 48);
}

/// Judges with unlimited memory, and without wild numbers.
fn judge_simply(numbers: &[u64]) -> SequenceCounts {
    let mut counts = SequenceCounts::default();
    let mut seen = std::collections::BTreeSet::new();
    for &number in numbers {
        let next = seen.last().map_or(0, |last| last + 1);
        if number == next {
            counts.in_order += 1;
        } else if number > next {
            counts.gaps += 1;
            counts.missing += number - next;
        } else if seen.contains(&number) {
            counts.duplicates += 1;
        } else {
            counts.reordered += 1;
            counts.missing -= 1;
        }
        seen.insert(number);
    }
    counts
}

proptest! {
    #[test]
    fn within_the_window_every_verdict_is_that_of_unlimited_memory(
        numbers in prop::collection::vec(0..u64::from(WINDOW), 0..300),
    ) {
        let (_, counts) = verdicts(Sequence::starting_at(0), &numbers);
        prop_assert_eq!(counts, judge_simply(&numbers));
    }

    #[test]
    fn no_numbers_do_harm_and_each_message_is_counted_once(
        numbers in prop::collection::vec(
            prop_oneof![any::<u64>(), 0..200_u64, u64::MAX - 200..u64::MAX],
            0..200,
        ),
    ) {
        let (_, counts) = joining(&numbers);
        let judged =
            counts.in_order + counts.gaps + counts.duplicates + counts.reordered + counts.unexpected;
        prop_assert_eq!(judged, numbers.len() as u64);
    }

    #[test]
    fn merged_counts_are_those_of_all_connections_together(
        connections in prop::collection::vec(prop::collection::vec(0..500_u64, 0..50), 0..5),
    ) {
        let mut together = SequenceCounts::default();
        let mut merged = SequenceCounts::default();
        for numbers in connections {
            let (verdicts, counts) = joining(&numbers);
            for verdict in verdicts {
                together.count(verdict);
            }
            merged.merge(&counts);
        }
        prop_assert_eq!(merged, together);
    }
}
