//! Tests of `busy_poll.rs`.

use super::*;

/// Waits without an event, and returns in which of them the thread would poll.
fn polling(busy_poll: &mut BusyPoll, waits: u32) -> Vec<u32> {
    let mut polling = Vec::new();
    for wait in 0..waits {
        if busy_poll.is_next() {
            polling.push(wait);
        }
        busy_poll.note(false);
    }
    polling
}

#[test]
fn polling_becomes_rare_without_success_and_returns_with_it() {
    let mut busy_poll = BusyPoll::new(20_000);
    let rare = [0, 1, 2, 3, 4, 5, 6, 7, 64, 128];
    assert_eq!(polling(&mut busy_poll, 190), rare);
    assert!(!busy_poll.is_next());
    busy_poll.note(true);
    assert_eq!(polling(&mut busy_poll, 190), rare);
}

#[test]
fn polling_never_delays_a_message_that_is_due() {
    let mut busy_poll = BusyPoll::new(50_000);
    assert_eq!(busy_poll.ends_at(1000, 90_000), 51_000);
    assert_eq!(busy_poll.ends_at(1000, 30_000), 30_000);
    assert_eq!(busy_poll.ends_at(1000, 900), 1000);
    polling(&mut busy_poll, 10);
    assert_eq!(busy_poll.ends_at(1000, 90_000), 1000);
}

#[test]
fn the_thread_is_awake_before_something_is_due() {
    let mut busy_poll = BusyPoll::new(50_000);
    assert_eq!(busy_poll.polls_from(0, 1_000_000), 900_000);
    assert_eq!(busy_poll.polls_from(920_000, 1_000_000), 900_000);
    // It sleeps half of the time nevertheless.
    assert_eq!(busy_poll.polls_from(1_000_000, 1_080_000), 1_040_000);
    assert_eq!(busy_poll.polls_from(1_500_000, 1_530_000), 1_520_000);
    // It does not sleep for a short time.
    assert_eq!(busy_poll.polls_from(2_000_000, 2_019_000), 2_000_000);
    assert_eq!(busy_poll.polls_from(3_000_000, 2_990_000), 2_990_000);
}

#[test]
fn without_a_limit_the_thread_sleeps_at_once_and_until_something_is_due() {
    let mut busy_poll = BusyPoll::new(0);
    assert_eq!(busy_poll.polls_from(0, 1_000_000), 1_000_000);
    assert_eq!(busy_poll.polls_from(1_000_000, 1_019_000), 1_000_000);
    assert!(polling(&mut busy_poll, 130).is_empty());
}
