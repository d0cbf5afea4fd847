//! Tests of `feed.rs`.

use super::*;

fn check(json: &str, threads: usize) -> Result<(), String> {
    let plan: FeedPlan = serde_json::from_str(json).unwrap();
    plan.check(threads).map_err(|error| error.to_string())
}

#[test]
fn a_feed_needs_no_more_than_a_kind_and_an_end() {
    let json = r#"{"kind": "clock", "messages": 5}"#;
    assert_eq!(check(json, 1), Ok(()));
    let plan: FeedPlan = serde_json::from_str(json).unwrap();
    assert_eq!((plan.subscribers, plan.stocks), (1, 1));
    assert_eq!((plan.interval_ns(), plan.duration_ns()), (None, None));
}

#[test]
fn times_are_counted_in_nanoseconds() {
    let json = r#"{"kind": "clock", "every_ms": 0.5, "seconds": 1.5}"#;
    let plan: FeedPlan = serde_json::from_str(json).unwrap();
    assert_eq!(plan.interval_ns(), Some(500_000));
    assert_eq!(plan.duration_ns(), Some(1_500_000_000));
}

#[test]
fn what_cannot_be_done_is_refused_with_the_key() {
    for (settings, threads, key) in [
        (r#""kind": "clock""#, 1, "feed.messages"),
        (
            r#""kind": "clock", "messages": 1, "seconds": 1"#,
            1,
            "feed.messages",
        ),
        (
            r#""kind": "clock", "messages": 1, "stocks": 2"#,
            1,
            "feed.stocks",
        ),
        (r#""kind": "clock", "messages": 1"#, 2, "feed.every_ms"),
    ] {
        let error = check(&format!("{{{settings}}}"), threads).unwrap_err();
        assert!(error.contains(key), "{settings}: {error}");
    }
}
