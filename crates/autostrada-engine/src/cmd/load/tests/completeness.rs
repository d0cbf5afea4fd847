//! Tests of `completeness.rs`.

use serde_json::json;

use super::super::measurement::tests::measurement;
use super::*;

#[test]
fn a_load_is_incomplete_if_all_connections_were_lost_in_it() {
    let of = |lost, after_ns, ended| {
        let mut load = measurement(|line| {
            line["lost"] = json!(lost);
            line["lost_after_ns"] = json!(after_ns);
            line["ended"] = json!(ended);
        });
        load.server_ended = Some("ended with status 1".to_owned());
        incomplete(&load)
    };
    let lost = "all 2 connections were lost after 2.0 s; the watched process ended with status 1";
    assert_eq!(of(2, 2_000_000_000_u64, "complete").as_deref(), Some(lost));
    assert_eq!(of(1, 2_000_000_000, "complete"), None);
    // In the drain.
    assert_eq!(of(2, 10_000_000_000, "complete"), None);
    // A closed loop has ended with its connections.
    assert!(of(2, 10_000_000_000, "closed").is_some());
}

#[test]
fn a_load_without_an_answer_has_measured_nothing() {
    let silent = measurement(|line| {
        line["exchange"]["completed"] = json!(0);
        line["exchange"]["echoed"] = json!(0);
        line["failures"] = json!([{"kind": "close", "count": 2, "example": "it closed"}]);
    });
    let why = "nothing was measured: nothing was answered: it closed";
    assert_eq!(nothing_measured(&silent).as_deref(), Some(why));
    let counted = measurement(|line| {
        line["exchange"]["completed"] = json!(0);
        line["exchange"]["echoed"] = json!(0);
        line["exchange"]["achieved_share"] = json!(null);
    });
    assert_eq!(
        nothing_measured(&counted),
        None,
        "nothing was to be answered"
    );
}
