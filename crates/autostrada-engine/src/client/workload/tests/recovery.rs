//! Tests of `recovery.rs`.

use super::*;

#[test]
fn a_connection_comes_back_when_its_wait_is_over_and_counts_from_its_loss() {
    let back_off: BackOffPlan =
        serde_json::from_str(r#"{"initial_ms": 10, "factor": 3, "jitter": 0}"#).unwrap();
    let mut recovery = Recovery::new(DropKind::Abort, None, back_off, 2);
    recovery.record_lost_with(1, 1_000_000, 0.0);
    recovery.record_lost_with(0, 2_000_000, 0.0);
    assert_eq!(recovery.next_due(), Some(11_000_000));
    assert_eq!(recovery.take_due(10_999_999), None);
    assert_eq!(recovery.take_due(11_500_000), Some((11_000_000, 1)));
    recovery.record_lost_with(1, 12_000_000, 0.0);
    assert_eq!(recovery.take_due(50_000_000), Some((12_000_000, 0)));
    recovery.record_recovered(0, 13_000_000).unwrap();
    assert_eq!(recovery.take_due(50_000_000), Some((42_000_000, 1)));
    recovery.record_recovered(1, 51_000_000).unwrap();
    recovery.record_recovered(1, 60_000_000).unwrap();
    let recovered = &recovery.recovered;
    assert_eq!((recovered.dropped, recovered.attempts), (2, 3));
    assert_eq!(recovered.last_at, 51_000_000);
    assert_eq!(recovered.recovery_time_ns.count(), 2);
}

#[test]
fn random_shares_are_below_one() {
    assert!((0..1000).all(|_| (0.0..1.0).contains(&random_share())));
}

#[test]
fn waits_grow_up_to_their_maximum_and_jitter_shortens_them() {
    let plan = BackOffPlan {
        initial_ms: 100.0,
        factor: 2.0,
        maximum_ms: 300.0,
        jitter: 0.5,
    };
    let waits: Vec<_> = (0..4).map(|attempt| plan.wait_ns(attempt, 0.0)).collect();
    assert_eq!(waits, [100_000_000, 200_000_000, 300_000_000, 300_000_000]);
    assert_eq!(plan.wait_ns(1, 1.0), 100_000_000);
    assert_eq!(BackOffPlan::default().wait_ns(0, 0.3), 0);
    assert!(BackOffPlan::default().wait_ns(1, 0.0) > 0);
    assert!(BackOffPlan::default().wait_ns(u32::MAX, 0.0) <= 30_000_000_000);
}
