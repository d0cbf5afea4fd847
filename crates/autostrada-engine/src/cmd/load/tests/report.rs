//! Tests of `report.rs`.

use serde_json::{Value, json};

use super::super::measurement::tests::{measurement, result_line};
use super::*;

/// Returns the report, without conditions, of the load whose last line was changed.
pub fn reported(change: impl FnOnce(&mut Value)) -> LoadReport {
    LoadReport::new(measurement(change), Vec::new(), &[])
}

#[test]
fn a_part_of_a_load_passes_no_condition_but_with_the_achieved_share() {
    let failures = |conditions: &[&str]| {
        let gates: Vec<_> = conditions
            .iter()
            .map(|text| text.parse().unwrap())
            .collect();
        let load = measurement(|line| {
            line["lost"] = json!(2);
            line["lost_after_ns"] = json!(2_000_000_000_u64);
        });
        let report = LoadReport::new(load, Vec::new(), &gates);
        report.failures().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        failures(&["p99 > 1s"]),
        ["p99 > 1s: not the whole load was measured, all 2 connections were lost after 2.0 s"]
    );
    assert_eq!(failures(&["p99 > 1s", "achieved < 90%"]).len(), 2);
    assert!(failures(&["p99 > 1s", "achieved < 50%"]).is_empty());
}

#[test]
fn a_document_has_what_was_printed_and_what_follows_from_it() {
    let gates = ["p99 > 1s".parse().unwrap()];
    let quick = LoadSecond {
        response_time_ns: vec![(1_000, 1)],
        ..LoadSecond::default()
    };
    let seconds = vec![LoadSecond::default(), quick];
    let report = LoadReport::new(measurement(|_| {}), seconds, &gates);
    let document = serde_json::to_value(&report).unwrap();
    for (key, value) in result_line().as_object().unwrap() {
        if key != "event" {
            assert_eq!(document[key], *value, "{key}");
        }
    }
    let rate = json!({
        "name": "rate", "title": "messages per second", "unit": "per_s", "value": 5000.0,
        "text": "5,000/s",
    });
    assert_eq!(document["metrics"][0], rate);
    assert_eq!(
        document["conditions"],
        json!([{"condition": "p99 > 1s", "failure": null}])
    );
    assert_eq!(document["seconds"][0]["broken"], json!(["p99 > 1s"]));
    assert_eq!(document["seconds"][1]["broken"], json!([]));
}
