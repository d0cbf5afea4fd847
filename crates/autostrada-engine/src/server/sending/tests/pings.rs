//! Tests of `pings.rs`.

use super::*;

const MS: Nanos = 1_000_000;

fn pings(after: &[u64], every_ms: f64) -> Pings {
    let plan = PingPlan {
        after: after.to_vec(),
        every_ms,
    };
    // A message has the minimum distance.
    Pings::new(&plan, 16 * 1024, 0)
}

/// Sends messages one by one up to `last`; returns the numbers of messages before the pings.
fn send(pings: &mut Pings, messages: std::ops::RangeInclusive<u64>) -> Vec<u64> {
    let mut found = Vec::new();
    for message in messages {
        let mut out = Vec::new();
        pings.append_due(message, &mut out);
        if !out.is_empty() {
            assert_eq!(out[..2], [0x89, 8]);
            found.push(u64::from_be_bytes(out[2..].try_into().unwrap()));
        }
    }
    found
}

#[test]
fn planned_pings_stand_after_their_messages() {
    let mut pings = pings(&[10, 20, 25], 25.0);
    assert_eq!(send(&mut pings, 1..=29), [10, 20, 25]);
    assert_eq!((pings.sent, pings.sent_bytes), (3, 30));
}

#[test]
fn before_the_first_pong_the_distance_grows_with_the_messages_sent() {
    let mut pings = pings(&[160], 25.0);
    assert_eq!(send(&mut pings, 1..=5_000)[..4], [160, 320, 480, 640]);
}

#[test]
fn after_a_pong_pings_follow_the_speed_of_the_client() {
    let mut pings = pings(&[100, 2_000], 25.0);
    assert_eq!(send(&mut pings, 1..=100), [100]);
    // 100 messages in 10 ms are 250 in 25 ms.
    pings.answer(100, 10 * MS);
    assert_eq!(send(&mut pings, 101..=599), [350]);
    // Since the pong at 10 ms, 250 messages took 50 ms: 125 in 25 ms.
    pings.answer(350, 60 * MS);
    assert_eq!(send(&mut pings, 600..=800), [600, 725]);
    assert_eq!(send(&mut pings, 2_000..=2_000), [2_000]);
}

#[test]
fn at_most_so_many_pings_are_unanswered_and_planned_ones_are_sent_all_the_same() {
    let mut pings = pings(&[1, 1_000_000], 25.0);
    send(&mut pings, 1..=1);
    pings.answer(1, 25 * MS);
    let sent = send(&mut pings, 2..=100_000);
    assert_eq!(sent.len(), OUTSTANDING_MAX);
    assert_eq!(sent[..3], [2, 3, 4]);
    pings.answer(3, 75 * MS);
    assert_eq!(send(&mut pings, 100_001..=100_010), [100_001]);
    assert_eq!(send(&mut pings, 1_000_000..=1_000_000), [1_000_000]);
}

#[test]
fn pings_are_spread_over_all_messages_on_their_way() {
    let mut pings = pings(&[10], 25.0);
    let sent = send(&mut pings, 1..=480_000);
    pings.answer(10, 25 * MS);
    let last = *sent.last().unwrap();
    assert_eq!(pings.next_after(), last + (last - 10) / PARTS_MAX);
}

#[test]
fn short_messages_have_a_minimum_number_between_pings() {
    let plan = PingPlan {
        after: vec![10],
        every_ms: 25.0,
    };
    let mut pings = Pings::new(&plan, 1024, 0);
    assert_eq!(send(&mut pings, 1..=50), [10, 26, 42]);
}

#[test]
fn a_pong_is_a_mark_and_an_earlier_ping_without_one_stays_unanswered() {
    let mut pings = pings(&[10, 20, 30], 25.0);
    send(&mut pings, 1..=30);
    pings.answer(20, 5);
    pings.answer(10, 6);
    pings.answer(20, 7);
    assert_eq!(pings.unanswered(), 1);
    pings.answer(30, 9);
    assert_eq!(pings.unanswered(), 0);
    let marks: Vec<_> = pings
        .marks
        .iter()
        .map(|mark| (mark.messages, mark.answered_ns))
        .collect();
    assert_eq!(marks, [(20, 5), (30, 9)]);
}

#[test]
fn a_last_ping_is_appended_once() {
    let mut pings = pings(&[10], 25.0);
    let mut out = Vec::new();
    pings.append(7, &mut out);
    pings.append(7, &mut out);
    assert_eq!(out.len(), 10);
    pings.append(10, &mut out);
    assert_eq!(out.len(), 20);
}

#[test]
fn a_ping_that_only_ends_a_slice_leaves_no_mark() {
    let mut pings = pings(&[10], 25.0);
    for (are_between, marks) in [(true, 1), (false, 1)] {
        pings.are_between = are_between;
        assert_eq!(pings.between().is_some(), are_between);
        let messages = 10 + 10 * pings.sent;
        pings.append(messages, &mut Vec::new());
        assert_eq!(pings.take_last(), None);
        pings.answer(messages, messages);
        assert_eq!(pings.take_last(), Some(messages));
        assert_eq!(pings.marks.len(), marks);
    }
    assert_eq!((pings.sent, pings.unanswered()), (2, 0));
}
