//! Tests of `probe/mod.rs`.

use super::*;

fn core(busy_ns: u64, idle_ns: u64, steal_ns: Option<u64>) -> Core {
    Core {
        busy_ns,
        idle_ns,
        steal_ns,
        softirq_ns: 0,
    }
}

#[test]
fn shares_are_of_all_cores_without_the_engine() {
    let first = [core(10, 100, Some(5)), core(0, 0, Some(0))];
    let last = [core(110, 160, Some(5)), core(200, 0, Some(40))];
    let shares = Shares::between(&first, &last, 200);
    assert_eq!(shares.steal_share, Some(0.1));
    assert_eq!(shares.other_utilization, Some(0.25));
}

#[test]
fn a_time_that_decreased_counts_as_0() {
    let (first, last) = ([core(10, 100, Some(5))], [core(30, 90, Some(5))]);
    let shares = Shares::between(&first, &last, 10);
    assert_eq!(shares.steal_share, Some(0.0));
    assert_eq!(shares.other_utilization, Some(0.5));
}

#[test]
fn what_the_kernel_does_not_tell_is_null() {
    let first = [core(0, 0, Some(0)), core(0, 0, Some(0))];
    let last = [core(5, 40, None), core(5, 50, Some(7))];
    let shares = Shares::between(&first, &last, 50);
    assert_eq!(shares.steal_share, None);
    assert_eq!(shares.other_utilization, Some(0.0));
    assert_eq!(
        serde_json::to_string(&Shares::default()).unwrap(),
        r#"{"steal_share":null,"other_utilization":null}"#
    );
}
