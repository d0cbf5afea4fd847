//! Tests of `matching.rs`.

use super::*;

#[test]
fn an_answer_is_found_by_its_identifier_in_any_order() {
    let plan = serde_json::from_str(r#"{"kind": "json", "path": "$.id"}"#).unwrap();
    let mut matching = Matching::new(&plan, 2).unwrap();
    for id in 0..3 {
        let message = format!(r#"{{"id": {id}}}"#);
        assert!(matching.note_sent(1, message.as_bytes()));
    }
    let mut answered =
        |connection, content: &str| matching.take_answered(connection, content.as_bytes());
    assert_eq!(answered(1, r#"{"result": true, "id": 1}"#), Some(1));
    assert_eq!(answered(1, r#"{"result": true, "id": 2}"#), Some(1));
    assert_eq!(answered(1, r#"{"result": true, "id": 2}"#), None);
    assert_eq!(answered(0, r#"{"id": 0}"#), None);
    assert_eq!(answered(1, "a push"), None);
    matching.forget(1);
    assert_eq!(matching.take_answered(1, br#"{"id": 0}"#), None);
}

#[test]
fn a_message_is_timed_by_its_instant() {
    let plan = serde_json::from_str(r#"{"kind": "time", "path": "$.t"}"#).unwrap();
    let matching = Matching::new(&plan, 1).unwrap();
    assert!(!matching.is_awaited());
    assert_eq!(
        matching.instant(br#"{"a": 1, "t": 1700000000000000000}"#),
        Some(1_700_000_000_000_000_000)
    );
    assert_eq!(matching.instant(br#"{"t": "12"}"#), Some(12));
    assert_eq!(matching.instant(br#"{"t": -1}"#), None);
    assert_eq!(matching.instant(b"no instant"), None);
}

#[test]
fn an_instant_of_another_unit_or_clock_has_no_age() {
    let now = 1_700_000_000_000_000_000;
    assert_eq!(age_ns(now - 5, now), Some(5));
    assert_eq!(age_ns(now + 1, now), None);
    assert_eq!(age_ns(now / 1_000_000, now), None);
}

#[test]
fn an_answer_of_several_messages_ends_with_one_that_matches() {
    let plan = serde_json::from_str(r#"{"kind": "until", "pattern": "DONE"}"#).unwrap();
    let mut matching = Matching::new(&plan, 1).unwrap();
    let mut part = |content: &str, now| {
        let part = matching.part(0, content.as_bytes(), now).unwrap();
        (part.previous_at, part.is_last)
    };
    assert_eq!(part("a", 5), (None, false));
    assert_eq!(part("b", 7), (Some(5), false));
    assert_eq!(part("[DONE]", 9), (Some(7), true));
    assert_eq!(part("[DONE]", 11), (None, true));
}
