//! Tests of `gate.rs`.

use serde_json::json;

use super::super::measurement::tests::measurement;
use super::*;

fn load() -> Measurement {
    measurement(|line| {
        line["window_ns"] = json!(2_000_000_000_u64);
        line["failures"] = json!([{"kind": "read", "count": 10, "example": ""}]);
        line["exchange"]["completed"] = json!(990);
        line["exchange"]["achieved_share"] = json!(0.9);
        line["exchange"]["response_time_ns"] = json!([[1_048_576, 990]]);
    })
}

fn failure(text: &str) -> Option<String> {
    text.parse::<Gate>().unwrap().row(&load()).failure
}

#[test]
fn a_condition_that_is_met_fails_the_load() {
    assert_eq!(failure("p99 > 1ms").unwrap(), "p99 > 1ms: p99 was 1.05 ms");
    assert_eq!(failure("p99 > 2ms"), None);
    assert_eq!(
        failure("errors>=1%").unwrap(),
        "errors>=1%: errors was 1.00 %"
    );
    assert_eq!(failure("errors > 1%"), None);
    assert_eq!(
        failure("rate < 500/s").unwrap(),
        "rate < 500/s: rate was 495/s"
    );
    assert_eq!(
        failure("achieved <= 90%").unwrap(),
        "achieved <= 90%: achieved was 90.0 %"
    );
}

#[test]
fn a_load_without_the_metric_has_failed() {
    let failure = failure("ping-p99 > 1ms").unwrap();
    assert_eq!(
        failure,
        "ping-p99 > 1ms: ping-p99 is not known of this load"
    );
}

#[test]
fn an_objective_is_broken_where_a_part_does_not_hold() {
    let gates = Gate::unless("p99<1ms, errors<=1%").unwrap();
    let rows: Vec<_> = gates.iter().map(|gate| gate.row(&load())).collect();
    assert_eq!(
        rows[0].failure.as_deref(),
        Some("p99 >= 1ms: p99 was 1.05 ms")
    );
    assert_eq!(
        (rows[1].condition.as_str(), &rows[1].failure),
        ("errors > 1%", &None)
    );
    assert!(Gate::unless("p99").unwrap_err().contains("p99 > 50ms"));
}

#[test]
fn a_second_shows_times_and_failures() {
    let mut second = LoadSecond {
        response_time_ns: vec![(1_048_576, 99)],
        ..LoadSecond::default()
    };
    second.tally.messages = 99;
    second.tally.failures = 1;
    let is_met = |text: &str, second: &LoadSecond| text.parse::<Gate>().unwrap().is_met_in(second);
    assert!(is_met("p50 > 1ms", &second) && !is_met("p50 > 2ms", &second));
    assert!(is_met("errors >= 1%", &second) && !is_met("errors > 1%", &second));
    assert!(
        is_met("p50 > 2ms", &LoadSecond::default()),
        "nothing was answered"
    );
    assert!(!is_met("connections < 9", &second), "no second shows them");
}

#[test]
fn other_conditions_are_refused() {
    for (text, remedy) in [
        ("p99", "p99 > 50ms"),
        ("p98 > 1ms", "p50, p90, p95, p99"),
        ("server-memory > much", "64KiB"),
        ("p99 > 50", "write 50s or 50ms"),
        ("errors > 1", "0.1%"),
        ("rate < fast", "10k/s"),
    ] {
        let error = text.parse::<Gate>().unwrap_err();
        assert!(error.contains(remedy), "{text}: {error}");
    }
}
