//! Tests of `allowance.rs`.

use super::*;

const SECOND_NS: u64 = 1_000_000_000;

#[test]
fn an_expensive_read_is_compensated_before_the_next_one() {
    let mut allowance = Allowance::new(50);
    allowance.refill(7);
    assert!(allowance.has_balance());
    allowance.deduct(2_000_000 + 10_000_000);
    assert!(!allowance.has_balance());
    // 0.5 % of a core earns 10 ms in two seconds.
    allowance.refill(7 + 2 * SECOND_NS);
    assert!(!allowance.has_balance());
    allowance.refill(7 + 2 * SECOND_NS + SECOND_NS / 10);
    assert!(allowance.has_balance());
}

#[test]
fn the_balance_is_bounded() {
    let mut allowance = Allowance::new(10_000);
    allowance.refill(0);
    allowance.refill(3_600 * SECOND_NS);
    allowance.deduct(BALANCE_NS_MAX.unsigned_abs());
    assert!(!allowance.has_balance());
}

#[test]
fn time_that_goes_backwards_adds_nothing() {
    let mut allowance = Allowance::new(50);
    allowance.refill(SECOND_NS);
    allowance.deduct(u64::MAX);
    allowance.refill(0);
    assert!(!allowance.has_balance());
}

#[test]
fn the_cpu_time_of_work_is_deducted() {
    let mut allowance = Allowance::new(50);
    let mut rounds = 0_u64;
    while allowance.has_balance() {
        rounds += allowance.charge(|| std::hint::black_box((0..100_000_u64).count() as u64));
    }
    assert!(rounds > 0);
}
