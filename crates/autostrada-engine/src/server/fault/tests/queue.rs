//! Tests of `queue.rs`.

use super::*;
use autostrada_proto::frame::Opcode;

const ONE: Recipient = Recipient {
    index: 1,
    serial: 10,
};
const OTHER: Recipient = Recipient {
    index: 2,
    serial: 20,
};

fn queue(settings: &str) -> Queue {
    Queue::new(&serde_json::from_str(&format!("{{{settings}}}")).unwrap())
}

fn message(name: u8) -> Departure {
    Departure::Message(Message {
        opcode: Opcode::Binary,
        payload: vec![name],
    })
}

/// Empties the queue, and returns when each entry left.
fn departures(queue: &mut Queue) -> Vec<Nanos> {
    let next = || {
        let at = queue.next_at()?;
        assert_eq!(queue.pop(at - 1), None);
        queue.pop(at).map(|_| at)
    };
    std::iter::from_fn(next).collect()
}

#[test]
fn only_a_delay_or_a_rate_makes_messages_wait() {
    assert!(queue("").is_idle());
    assert!(!queue(r#""delay_ms": 1"#).is_idle());
    assert!(!queue(r#""rate_per_s": 1"#).is_idle());
}

#[test]
fn all_have_the_same_delay_and_none_waits_for_another() {
    let mut queue = queue(r#""delay_ms": 1"#);
    for at in [5, 5, 7] {
        queue.push(at, ONE, message(0));
    }
    assert_eq!(departures(&mut queue), [1_000_005, 1_000_005, 1_000_007]);
    assert_eq!(queue.next_at(), None);
}

#[test]
fn a_rate_spaces_the_messages_of_all_connections() {
    let mut queue = queue(r#""rate_per_s": 1000"#);
    for recipient in [ONE, OTHER, ONE] {
        queue.push(7, recipient, message(0));
    }
    assert_eq!(departures(&mut queue), [7, 1_000_007, 2_000_007]);
    queue.push(2_500_000, OTHER, message(0));
    assert_eq!(departures(&mut queue), [3_000_007]);
}

#[test]
fn idle_time_is_not_credited_to_the_rate() {
    let mut queue = queue(r#""rate_per_s": 1000"#);
    queue.push(5, ONE, message(0));
    assert_eq!(departures(&mut queue), [5]);
    for _ in 0..3 {
        queue.push(900_000_000, ONE, message(0));
    }
    let expected = [900_000_000, 901_000_000, 902_000_000];
    assert_eq!(departures(&mut queue), expected);
}

#[test]
fn the_rate_is_kept_by_a_thread_that_wakes_a_little_late() {
    let mut queue = queue(r#""rate_per_s": 1000"#);
    for _ in 0..4 {
        queue.push(1_000_000_000, ONE, message(0));
    }
    assert!(queue.pop(1_000_000_000).is_some());
    // At 2.9 ms the entries of 1 and 2 ms leave, and not yet that of 3 ms.
    assert!(queue.pop(1_002_900_000).is_some());
    assert!(queue.pop(1_002_900_000).is_some());
    assert!(queue.pop(1_002_900_000).is_none());
    assert_eq!(queue.next_at(), Some(1_003_000_000));
}

#[test]
fn messages_do_not_leave_in_a_burst_after_a_long_delay_or_a_stop() {
    let mut late = queue(r#""rate_per_s": 10"#);
    let mut stalled = queue(r#""rate_per_s": 10"#);
    for queue in [&mut late, &mut stalled] {
        for _ in 0..100 {
            queue.push(0, ONE, message(0));
        }
        assert!(queue.pop(0).is_some());
    }
    let now = 5_000_000_000;
    assert!(late.pop(now).is_some());
    assert!(late.pop(now).is_some());
    assert_eq!(late.next_at(), Some(now));
    stalled.resume(now);
    assert!(stalled.pop(now).is_some());
    assert_eq!(stalled.next_at(), Some(now + 100_000_000));
}

#[test]
fn the_rate_applies_after_the_delay() {
    let mut queue = queue(r#""delay_ms": 1, "rate_per_s": 2000"#);
    for at in [0, 0, 2_000_000] {
        queue.push(at, ONE, message(0));
    }
    assert_eq!(departures(&mut queue), [1_000_000, 1_500_000, 3_000_000]);
}

#[test]
fn an_end_follows_its_messages_and_does_not_count_for_the_rate() {
    let mut queue = queue(r#""delay_ms": 1, "rate_per_s": 1000"#);
    queue.push(0, ONE, message(0));
    queue.push(0, ONE, Departure::End);
    queue.push(0, OTHER, message(0));
    assert_eq!(departures(&mut queue), [1_000_000, 1_000_000, 2_000_000]);
}

#[test]
fn a_connection_that_is_gone_delays_no_other() {
    let mut queue = queue(r#""rate_per_s": 1"#);
    for recipient in [ONE, ONE, OTHER, ONE] {
        queue.push(9, recipient, message(0));
    }
    queue.remove(ONE);
    assert_eq!(queue.pop(9), Some((OTHER, message(0))));
    assert_eq!(queue.next_at(), None);
}
