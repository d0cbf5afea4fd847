//! Tests of `merge.rs`.

use autostrada_measure::Histogram;
use serde_json::{Value, json};

use super::super::hosts::{Unfinished, unfinished};
use super::super::measurement::tests::result_line;
use super::*;

fn line(first_ns: u64, sent: u64, share: f64, times: &Value) -> Value {
    let mut line = result_line();
    for (key, value) in [
        ("opened_ns", json!(first_ns)),
        ("received_ns", json!(first_ns + sent)),
        ("window_ns", json!(1_000)),
        ("window_start_ns", json!(first_ns)),
        (
            "failures",
            json!([{"kind": "read", "count": 1, "example": format!("at {first_ns}")}]),
        ),
        (
            "tls",
            json!({"version": "TLS 1.3", "cipher_suite": "", "resumed": 1}),
        ),
    ] {
        line[key] = value;
    }
    for (key, value) in [
        ("sent", json!(sent)),
        ("completed", json!(sent)),
        ("achieved_share", json!(share)),
        ("achieved_rate_per_s", json!(1.5)),
        ("rate_growth", json!(share)),
        ("response_time_ns", times.clone()),
        (
            "answers_per_connection",
            json!({"least": sent, "most": sent + 1, "connections_without": 0}),
        ),
    ] {
        line["exchange"][key] = value;
    }
    line
}

fn merged(lines: &[Value]) -> MergedLoad {
    let lines: Vec<_> = lines.iter().map(Value::to_string).collect();
    MergedLoad::read(&lines.join("\n"), false).unwrap()
}

#[test]
fn counters_and_buckets_are_added() {
    let one = line(100, 300, 0.5, &json!([[1, 2], [8, 1]]));
    let other = line(9_000, 100, 1.0, &json!([[8, 4], [16, 1]]));
    let whole = merged(&[one.clone(), other]).result;
    let document = serde_json::to_value(&whole).unwrap();
    assert_eq!(document["connections"], 4);
    assert_eq!(
        document["failures"],
        json!([{"kind": "read", "count": 2, "example": "at 100"}])
    );
    assert_eq!(document["utilizations"], json!([0.125, 0.25, 0.125, 0.25]));
    assert_eq!(document["tls"]["resumed"], 2);
    assert_eq!(document["fan_out_skew"], Value::Null);
    // Instants are those of the first engine.
    assert_eq!((whole.opened_ns, whole.received_ns), (100, 400));
    assert_eq!(whole.window_ns, 1_000);
    let exchange = &document["exchange"];
    assert_eq!(
        exchange["response_time_ns"],
        json!([[1, 2], [8, 5], [16, 1]])
    );
    assert_eq!(exchange["achieved_rate_per_s"], 3.0);
    assert_eq!(exchange["achieved_share"], 0.625);
    assert_eq!(exchange["rate_growth"], 0.6);
    assert_eq!(
        exchange["answers_per_connection"],
        json!({"least": 100, "most": 301, "connections_without": 0})
    );
    let alone = serde_json::to_value(merged(std::slice::from_ref(&one)).result).unwrap();
    assert_eq!(alone["exchange"], one["exchange"]);
}

#[test]
fn the_last_message_of_the_longest_part_ends_the_whole() {
    let late = line(9_000, 400, 1.0, &json!([]));
    let whole = merged(&[line(100, 300, 1.0, &json!([])), late]).result;
    assert_eq!((whole.opened_ns, whole.received_ns), (100, 500));
}

#[test]
fn one_engine_that_did_not_finish_or_was_the_limit_marks_the_whole() {
    let one = line(1, 1, 1.0, &json!([]));
    let mut other = one.clone();
    other["ended"] = json!("closed");
    other["generator_limited"] = json!("thread 0 was busy");
    let mut third = other.clone();
    third["generator_limited"] = json!("sent late");
    let whole = merged(&[one, other, third]).result;
    assert_eq!(whole.ended, crate::ended::Ended::Closed);
    let limit = whole.generator_limited.as_deref();
    assert_eq!(limit, Some("thread 0 was busy; sent late"));
}

#[test]
fn quantiles_of_eight_engines_are_those_of_one() {
    let mut whole = Histogram::new();
    let mut parts = [(); 8].map(|()| Histogram::new());
    let mut time_ns = 1;
    for message in 0..10_000 {
        time_ns = time_ns * 48_271 % 2_147_483_647;
        whole.record(time_ns).unwrap();
        parts[message % 8].record(time_ns).unwrap();
    }
    let buckets = |histogram: &Histogram| histogram.buckets().collect::<Vec<_>>();
    let lines = parts.map(|part| line(1, 1, 1.0, &json!(buckets(&part))));
    let load = merged(&lines).result;
    let exchange = load.sections.echo.exchange.unwrap();
    assert_eq!(exchange.response_time_ns, buckets(&whole));
}

#[test]
fn hosts_are_named_with_what_each_had_of_the_load() {
    let mut one = line(1, 7, 1.0, &json!([]));
    one["host"] = json!("a");
    one["generator_limited"] = json!("thread 0 was busy");
    let second = |host, second, messages| {
        let mut line = serde_json::to_value(LoadSecond::default()).unwrap();
        line["event"] = json!("second");
        line["host"] = json!(host);
        line["second"] = json!(second);
        line["messages"] = json!(messages);
        line
    };
    let lost = json!({"event": "host", "host": "b", "lost": "no answer"});
    let seconds = [("a", 0, 3), ("b", 0, 4), ("a", 1, 5)];
    let mut lines: Vec<_> = seconds
        .map(|(host, at, messages)| second(host, at, messages))
        .into();
    lines.extend([one, lost]);
    let whole = merged(&lines);
    let limit = whole.result.generator_limited.as_deref();
    assert_eq!(limit, Some("a: thread 0 was busy"));
    assert_eq!(
        serde_json::to_value(&whole.hosts).unwrap(),
        json!([
            {"host": "a", "messages": 7, "failures": 1, "connections": 2,
             "utilizations": [0.125, 0.25], "generator_limited": "thread 0 was busy",
             "lost": null},
            {"host": "b", "messages": 4, "generator_limited": null, "lost": "no answer"},
        ])
    );
    let messages = whole.seconds.iter().map(|second| second.tally.messages);
    assert_eq!(messages.collect::<Vec<_>>(), [7, 5]);
    assert_eq!(unfinished(&whole.hosts), Some(Unfinished::HostLost));
}

#[test]
fn lines_of_another_version_are_refused() {
    let ready = json!({"event": "ready", "host": "b", "version": "0.0.1"}).to_string();
    let error = MergedLoad::read(&ready, false).unwrap_err();
    assert!(
        error.contains("the engine of b has the version 0.0.1"),
        "{error}"
    );
    let error = MergedLoad::read("", false).unwrap_err();
    assert!(error.contains("has no result"), "{error}");
    let mut other = line(1, 1, 1.0, &json!([]));
    other.as_object_mut().unwrap().remove("messages");
    let error = MergedLoad::read(&other.to_string(), false).unwrap_err();
    assert!(
        error.starts_with("line 1: missing field `messages`"),
        "{error}"
    );
}

#[test]
fn times_between_hosts_are_given_if_they_are_longer_than_clocks_differ() {
    let read = |error_ns: u64| {
        let facts = [(10, 0), (error_ns, 100)].into_iter().enumerate().map(
            |(index, (error_ns, ahead_ns))| {
                json!({"event": "host", "host": index.to_string(), "lost": null,
                       "clock_error_ns": error_ns, "real_time_ahead_ns": ahead_ns})
            },
        );
        let mut lines: Vec<_> = facts.map(|facts| facts.to_string()).collect();
        lines.push(line(1, 1, 1.0, &json!([[1_000, 3]])).to_string());
        let load = MergedLoad::read(&lines.join("\n"), true).unwrap();
        load.result.sections.echo.exchange.unwrap()
    };
    let given = read(200);
    assert_eq!(given.clock_bound_ns, Some(500));
    assert_eq!(given.response_time_ns, [(1_000, 3)]);
    assert_eq!(read(2_000).response_time_ns, []);
}
