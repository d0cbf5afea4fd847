//! Failures by kind: counted, with one example each, in bounded memory.

use autostrada_measure::{EXAMPLE_BYTES_MAX, FailureKind, Failures};

#[test]
fn failures_are_counted_by_kind_with_the_first_as_the_example() {
    let mut failures = Failures::default();
    failures.record(FailureKind::Handshake, 7, || "answered 503".into());
    failures.record(FailureKind::Connect, 9, || "refused".into());
    failures.record(FailureKind::Handshake, 8, || {
        panic!("there is an example already")
    });
    let rows: Vec<_> = failures.iter().collect();
    assert_eq!(rows.len(), 2);
    assert_eq!((rows[0].0, rows[0].1.count), (FailureKind::Connect, 1));
    assert_eq!((rows[1].0, rows[1].1.count), (FailureKind::Handshake, 2));
    assert_eq!(rows[1].1.example, "answered 503");
    assert_eq!(rows[1].1.first_at, 7);
    assert_eq!(failures.count(), 3);
}

#[test]
fn a_long_example_is_truncated_between_two_characters() {
    for text in [
        "é".repeat(1_000),
        format!("a{}", "é".repeat(1_000)),
        "e".repeat(241),
    ] {
        let mut failures = Failures::default();
        failures.record(FailureKind::Read, 0, || text.clone());
        let (_, failure) = failures.iter().next().unwrap();
        let start = failure.example.strip_suffix('…').unwrap();
        assert!(text.starts_with(start));
        assert!(failure.example.len() <= EXAMPLE_BYTES_MAX);
        assert!(failure.example.len() > EXAMPLE_BYTES_MAX - 4);
    }
    let mut failures = Failures::default();
    let fits = "e".repeat(EXAMPLE_BYTES_MAX);
    failures.record(FailureKind::Read, 0, || fits.clone());
    assert_eq!(failures.iter().next().unwrap().1.example, fits);
}

#[test]
fn merging_in_any_order_keeps_the_earliest_example() {
    let seen = |kind, at, example: &str| {
        let mut failures = Failures::default();
        failures.record(kind, at, || example.into());
        failures
    };
    let parts = [
        seen(FailureKind::Timeout, 5, "later"),
        seen(FailureKind::Timeout, 3, "earlier"),
        seen(FailureKind::Timeout, 3, "as early"),
        seen(FailureKind::Close, 1, "closed with 1001"),
    ];
    let merge = |order: [usize; 4]| {
        let mut merged = Failures::default();
        for index in order {
            merged.merge(&parts[index]);
        }
        merged
    };
    let merged = merge([0, 1, 2, 3]);
    for order in [[3, 2, 1, 0], [1, 0, 3, 2], [2, 3, 0, 1]] {
        assert_eq!(merge(order), merged);
    }
    let (_, timeouts) = merged.iter().next().unwrap();
    assert_eq!((timeouts.count, timeouts.first_at), (3, 3));
    assert_eq!(timeouts.example, "as early");
    assert_eq!(merged.count(), 4);
}

#[test]
fn every_kind_has_a_unique_name_and_index() {
    let mut names = FailureKind::ALL.map(FailureKind::name).to_vec();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), FailureKind::ALL.len());
    let mut failures = Failures::default();
    for kind in FailureKind::ALL {
        failures.record(kind, 0, || kind.name().into());
    }
    for (kind, failure) in failures.iter() {
        assert_eq!(failure.example, kind.name());
    }
}
