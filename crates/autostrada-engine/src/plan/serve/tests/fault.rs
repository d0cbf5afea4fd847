//! Tests of `fault.rs`.

use super::*;

fn check(settings: &str) -> Result<(), String> {
    let plan: FaultPlan = serde_json::from_str(&format!("{{{settings}}}")).unwrap();
    plan.check(ServeProtocolKind::Websocket, 1)
        .map_err(|error| error.to_string())
}

#[test]
fn times_are_counted_in_nanoseconds() {
    let json = r#"{"delay_ms": 0.25, "rate_per_s": 3, "stall": {"every_ms": 10, "for_ms": 2}}"#;
    let plan: FaultPlan = serde_json::from_str(json).unwrap();
    assert_eq!(plan.delay_ns(), 250_000);
    assert_eq!(plan.distance_ns(), Some(333_333_333));
    let stall = plan.stall().unwrap();
    assert_eq!((stall.every_ns, stall.for_ns), (10_000_000, 2_000_000));
    let none = FaultPlan::default();
    assert_eq!((none.delay_ns(), none.distance_ns()), (0, None));
    assert_eq!(none.stall(), None);
}

#[test]
fn what_is_known_is_accepted() {
    for settings in [
        "",
        r#""delay_ms": 3600000, "lose_every": 2, "burst": 1000000, "grow_bytes": 1048576"#,
        r#""work_us": 1000000"#,
        r#""rate_per_s": 0.001, "close_after": 1"#,
        r#""rate_per_s": 1e9, "abort_after": 1"#,
    ] {
        assert_eq!(check(settings), Ok(()), "{settings}");
    }
}

#[test]
fn what_cannot_be_done_is_refused_with_the_key() {
    for (settings, key) in [
        (
            r#""stall": {"every_ms": 10, "for_ms": 10}"#,
            "faults.stall.for_ms",
        ),
        (r#""rate_per_s": 1e-9"#, "faults.rate_per_s"),
        (
            r#""close_after": 1, "abort_after": 1"#,
            "faults.abort_after",
        ),
    ] {
        let error = check(settings).unwrap_err();
        assert!(error.contains(key), "{settings}: {error}");
    }
}

#[test]
fn other_protocols_and_several_threads_have_none() {
    let plan = FaultPlan::default();
    let error = plan.check(ServeProtocolKind::FramedTcp, 1).unwrap_err();
    assert!(error.to_string().contains("protocol.kind"), "{error}");
    let error = plan.check(ServeProtocolKind::Websocket, 2).unwrap_err();
    assert!(error.to_string().contains("threads"), "{error}");
}
