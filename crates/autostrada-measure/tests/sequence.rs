//! Sequence numbers. What is in `kits/vectors.json` for all kits is tested with the engine.

use autostrada_measure::{NumberClass, Sequence, SequenceCounts, WINDOW};
use proptest::prelude::*;

use NumberClass::{Duplicate, Gap, InOrder, Reordered};

fn classes(mut sequence: Sequence, numbers: &[u64]) -> (Vec<NumberClass>, SequenceCounts) {
    let mut counts = SequenceCounts::default();
    let classes = numbers
        .iter()
        .map(|&number| {
            let class = sequence.classify(number);
            counts.count(class);
            class
        })
        .collect();
    (classes, counts)
}

/// Counts in the order of the fields: in order, gaps, missing, duplicates, reordered, unexpected.
fn counts(counts: [u64; 6]) -> SequenceCounts {
    let [in_order, gaps, missing, duplicates, reordered, unexpected] = counts;
    SequenceCounts {
        in_order,
        gaps,
        missing,
        duplicates,
        reordered,
        unexpected,
    }
}

#[test]
fn a_feed_with_a_known_first_number_misses_its_first_messages() {
    let (classes, found) = classes(Sequence::starting_at(0), &[3, 4, 0]);
    assert_eq!(classes, [Gap { missing: 3 }, InOrder, Reordered]);
    assert_eq!(found, counts([1, 1, 2, 0, 1, 0]));
}

#[test]
fn numbers_wrap_around() {
    let numbers = [u64::MAX - 1, u64::MAX, 0, 2, 1, u64::MAX];
    let (classes, found) = classes(Sequence::joining(), &numbers);
    let one = Gap { missing: 1 };
    assert_eq!(classes[..4], [InOrder, InOrder, InOrder, one]);
    assert_eq!(classes[4..], [Reordered, Duplicate]);
    assert_eq!(found, counts([3, 1, 0, 1, 1, 0]));
}

#[test]
fn messages_missing_at_the_end_are_counted_with_the_next_number() {
    let mut sequence = Sequence::joining();
    assert_eq!(sequence.next(), None);
    sequence.classify(41);
    assert_eq!(sequence.next(), Some(42));
}

#[test]
fn the_state_of_a_connection_is_forty_eight_bytes() {
    assert_eq!(size_of::<Sequence>(), 48);
}

#[test]
fn merged_counts_are_sums() {
    let mut merged = counts([1, 2, 3, 4, 5, 6]);
    merged.merge(&counts([10, 20, 30, 40, 50, 60]));
    assert_eq!(merged, counts([11, 22, 33, 44, 55, 66]));
}

/// Reference implementation with unlimited memory, without implausible numbers.
fn reference_counts(numbers: &[u64]) -> SequenceCounts {
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
    fn within_the_window_counts_equal_the_reference(
        numbers in prop::collection::vec(0..u64::from(WINDOW), 0..300),
    ) {
        let (_, counts) = classes(Sequence::starting_at(0), &numbers);
        prop_assert_eq!(counts, reference_counts(&numbers));
    }

    #[test]
    fn arbitrary_numbers_never_panic_and_each_message_is_counted_once(
        numbers in prop::collection::vec(
            prop_oneof![any::<u64>(), 0..200_u64, u64::MAX - 200..u64::MAX],
            0..200,
        ),
    ) {
        let (_, counts) = classes(Sequence::joining(), &numbers);
        let counted =
            counts.in_order + counts.gaps + counts.duplicates + counts.reordered + counts.unexpected;
        prop_assert_eq!(counted, numbers.len() as u64);
    }
}
