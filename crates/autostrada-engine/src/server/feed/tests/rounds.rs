//! Tests of `rounds.rs`.

use super::*;

#[test]
fn a_round_begins_when_all_subscribers_have_joined() {
    let rounds = Rounds::new(2, 10);
    assert_eq!(rounds.join(0, 100), (RoundStatus::Waiting, false));
    assert_eq!(rounds.status(0), RoundStatus::Waiting);
    assert_eq!(rounds.join(0, 200), (RoundStatus::Started(210), true));
    assert_eq!(rounds.join(0, 300), (RoundStatus::Started(210), false));
}

#[test]
fn a_subscriber_that_leaves_before_the_start_must_be_replaced() {
    let rounds = Rounds::new(2, 0);
    rounds.join(0, 1);
    rounds.leave(0, 1);
    assert_eq!(rounds.join(0, 2), (RoundStatus::Waiting, false));
    assert_eq!(rounds.join(0, 3), (RoundStatus::Started(3), true));
}

#[test]
fn a_round_is_over_when_its_last_subscriber_leaves() {
    let rounds = Rounds::new(2, 0);
    rounds.join(0, 1);
    rounds.join(0, 1);
    rounds.leave(0, 1);
    assert_eq!(rounds.status(0), RoundStatus::Started(1));
    rounds.leave(0, 1);
    assert_eq!(rounds.status(0), RoundStatus::Over);
    assert_eq!(rounds.join(0, 9), (RoundStatus::Over, false));
    assert_eq!(rounds.join(1, 9), (RoundStatus::Waiting, false));
}

#[test]
fn a_late_thread_still_gets_the_start_of_its_round() {
    let rounds = Rounds::new(3, 0);
    for now in [3, 4, 5] {
        rounds.join(0, now);
    }
    // Two of the three belong to another thread, which has finished them and continues.
    rounds.leave(0, 2);
    rounds.join(1, 7);
    assert_eq!(rounds.status(0), RoundStatus::Started(5));
    assert_eq!(rounds.status(1), RoundStatus::Waiting);
}
