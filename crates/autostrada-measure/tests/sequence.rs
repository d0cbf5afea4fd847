//! Sequence numbers: in order, missing, repeated, reordered, and implausible.

use autostrada_measure::{GAP_MAX, NumberClass, Sequence, SequenceCounts, WINDOW};
use proptest::prelude::*;

use NumberClass::{Duplicate, Gap, InOrder, Reordered, Unexpected};

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
fn each_number_has_its_class() {
    let joining = Sequence::joining();
    let one = Gap { missing: 1 };
    let two = Gap { missing: 2 };
    let three = Gap { missing: 3 };
    let cases: [(&str, Sequence, &[u64], &[NumberClass], [u64; 6]); 7] = [
        (
            "a connection that joins a running feed starts at its first number",
            joining,
            &[1_000, 1_001, 1_002],
            &[InOrder; 3],
            [3, 0, 0, 0, 0, 0],
        ),
        (
            "a feed with a known first number misses its first messages",
            Sequence::starting_at(0),
            &[3, 4, 0],
            &[three, InOrder, Reordered],
            [1, 1, 2, 0, 1, 0],
        ),
        (
            "a gap counts the missing messages",
            joining,
            &[5, 6, 10, 11, 13],
            &[InOrder, InOrder, three, InOrder, one],
            [3, 2, 4, 0, 0, 0],
        ),
        (
            "a reordered message is not missing",
            joining,
            &[1, 4, 3, 2, 2, 5],
            &[InOrder, two, Reordered, Reordered, Duplicate, InOrder],
            [2, 1, 0, 1, 2, 0],
        ),
        (
            "a number from before the connection joined is unexpected",
            joining,
            &[10, 9, 0, 11],
            &[InOrder, Unexpected, Unexpected, InOrder],
            [2, 0, 0, 0, 0, 2],
        ),
        (
            "numbers wrap around",
            joining,
            &[u64::MAX - 1, u64::MAX, 0, 2, 1, u64::MAX],
            &[InOrder, InOrder, InOrder, one, Reordered, Duplicate],
            [3, 1, 0, 1, 1, 0],
        ),
        (
            "an implausible number does not affect the next ones",
            joining,
            &[7, u64::MAX / 3, 8, GAP_MAX + 10, 9],
            &[InOrder, Unexpected, InOrder, Unexpected, InOrder],
            [3, 0, 0, 0, 0, 2],
        ),
    ];
    for (name, sequence, numbers, expected, expected_counts) in cases {
        let (found, found_counts) = classes(sequence, numbers);
        assert_eq!(found, expected, "{name}");
        assert_eq!(found_counts, counts(expected_counts), "{name}");
    }
}

#[test]
fn a_repeated_message_is_a_duplicate_at_any_distance() {
    let in_order: Vec<_> = (0..1_000).collect();
    let again = [&in_order[..], &[999, 998, 872, 871, 0]].concat();
    let (classes, counts) = classes(Sequence::joining(), &again);
    assert_eq!(classes[1_000..], [Duplicate; 5]);
    assert_eq!((counts.in_order, counts.duplicates), (1_000, 5));
}

#[test]
fn a_number_before_the_window_is_ambiguous_after_a_forgotten_gap() {
    let window = u64::from(WINDOW);
    let mut sequence = Sequence::joining();
    sequence.classify(0);
    assert_eq!(sequence.classify(2), Gap { missing: 1 });
    for number in 3..=window {
        assert_eq!(sequence.classify(number), InOrder);
    }
    // The missing 1 is the oldest number in the window, and 0 was never missing.
    let mut copy = sequence;
    assert_eq!(copy.classify(0), Duplicate);
    assert_eq!(copy.classify(1), Reordered);
    assert_eq!(copy.classify(window + 1), InOrder);
    assert_eq!(copy.classify(0), Duplicate);
    // The next message moves it out of the window, and both become ambiguous.
    assert_eq!(sequence.classify(window + 1), InOrder);
    assert_eq!(sequence.classify(1), Unexpected);
    assert_eq!(sequence.classify(0), Unexpected);
    assert_eq!(sequence.classify(2), Duplicate);
}

#[test]
fn a_gap_of_a_window_or_more_is_counted_in_full() {
    for missing in [126, 127, 128, 129, 1_000, GAP_MAX] {
        let mut sequence = Sequence::starting_at(0);
        assert_eq!(sequence.classify(missing), Gap { missing });
        let oldest_known = missing.saturating_sub(127);
        assert_eq!(sequence.classify(oldest_known), Reordered, "of {missing}");
        if oldest_known > 0 {
            assert_eq!(
                sequence.classify(oldest_known - 1),
                Unexpected,
                "of {missing}"
            );
        }
        assert_eq!(sequence.classify(missing), Duplicate);
    }
}

#[test]
fn the_last_number_before_a_gap_is_known_to_the_end_of_the_window() {
    for (missing, expected) in [(126, Duplicate), (127, Duplicate), (128, Unexpected)] {
        let mut sequence = Sequence::joining();
        sequence.classify(0);
        assert_eq!(sequence.classify(missing + 1), Gap { missing });
        assert_eq!(sequence.classify(0), expected, "after {missing}");
    }
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
