//! The result of several engines that divided a load (`part` of a plan).

use std::collections::BTreeMap;

use serde_json::{Map, Number, Value, json};

use super::hosts::{hosts, total};

/// Returns the result of all engines together, as a single one would have reported it, from the
/// lines that they printed; `None` if these have no result.
///
/// Counters and buckets are added, so that quantiles are those of all messages. Instants are the
/// first engine's, because hosts have clocks of their own. Fan-out skew is unknown: a message may
/// have reached one engine long after another. Lines that name their `host` give a list of hosts,
/// in which a line `host` tells what else is known of one, and why it was `lost`.
pub fn merged(lines: &[Value]) -> Option<Value> {
    let of = |event| lines.iter().filter(move |line| line["event"] == event);
    let hosts = hosts(lines);
    let whole = of("result").map(named).reduce(|whole, result| {
        let mut sum = merge("", &whole, &result);
        let lasted =
            |one: &Value| instant(one, "received_ns").saturating_sub(instant(one, "opened_ns"));
        let received_ns = instant(&sum, "opened_ns") + lasted(&whole).max(lasted(&result));
        sum["received_ns"] = json!(received_ns);
        sum["fan_out_skew"] = Value::Null;
        sum
    });
    let mut seconds: BTreeMap<u64, Value> = BTreeMap::new();
    for second in of("second") {
        let known = seconds.entry(instant(second, "second")).or_default();
        *known = merge("", known, &named(second));
    }
    let mut whole = whole?;
    if !hosts.is_empty() {
        whole["hosts"] = json!(hosts);
    }
    whole["seconds"] = seconds.into_values().collect();
    Some(whole)
}

/// Returns a result in which what limited the engine names its host.
fn named(result: &Value) -> Value {
    let mut result = result.clone();
    if let (Some(host), Some(limit)) = (
        result["host"].as_str(),
        result["generator_limited"].as_str(),
    ) {
        result["generator_limited"] = json!(format!("{host}: {limit}"));
    }
    if let Some(result) = result.as_object_mut() {
        result.remove("host");
    }
    result
}

fn instant(result: &Value, key: &str) -> u64 {
    result[key].as_u64().unwrap_or(0)
}

/// Merges two values of a key.
fn merge(key: &str, one: &Value, other: &Value) -> Value {
    match (one, other) {
        (Value::Null, value) | (value, Value::Null) => value.clone(),
        (Value::Object(one), Value::Object(other)) => Value::Object(objects(one, other)),
        (Value::Array(one), Value::Array(other)) => Value::Array(match key {
            "failures" => failures(one, other),
            "utilizations" => [&one[..], other].concat(),
            _ => buckets(one, other),
        }),
        (Value::Number(one), Value::Number(other)) => Value::Number(numbers(key, one, other)),
        (Value::String(one), Value::String(other)) => match key {
            "ended" if one == "complete" => json!(other),
            "generator_limited" if one != other => json!(format!("{one}; {other}")),
            _ => json!(one),
        },
        _ => one.clone(),
    }
}

fn objects(one: &Map<String, Value>, other: &Map<String, Value>) -> Map<String, Value> {
    let mut sum = one.clone();
    for (key, value) in other {
        let merged = merge(key, one.get(key).unwrap_or(&Value::Null), value);
        sum.insert(key.clone(), merged);
    }
    let both = [one, other];
    if sum.get("achieved_share").is_some_and(Value::is_number) {
        let due = |part: &Map<String, Value>| count(part, &["sent", "unsent", "overdue"]);
        let kept_up = both.map(|part| due(part) * count(part, &["achieved_share"]));
        let all = both.map(due).iter().sum::<f64>();
        let share = kept_up.iter().sum::<f64>() / all.max(1.0);
        sum.insert("achieved_share".to_owned(), json!(share));
    }
    if let Some(growth) = growth(both) {
        sum.insert("rate_growth".to_owned(), growth);
    }
    sum
}

/// Returns how the rate of both grew, from the messages in the halves of their windows; `None`
/// without such a key.
fn growth(both: [&Map<String, Value>; 2]) -> Option<Value> {
    both[0].get("rate_growth")?;
    let messages = if both[0].contains_key("completed") {
        "completed"
    } else {
        "messages"
    };
    let (mut early, mut all) = (0.0, 0.0);
    for part in both {
        let Some(growth) = part.get("rate_growth").and_then(Value::as_f64) else {
            return Some(Value::Null);
        };
        all += count(part, &[messages]);
        early += count(part, &[messages]) / (1.0 + growth);
    }
    Some(if early > 0.0 {
        json!((all - early) / early)
    } else {
        Value::Null
    })
}

fn count(part: &Map<String, Value>, keys: &[&str]) -> f64 {
    let values = keys.iter().filter_map(|key| part.get(*key)?.as_f64());
    values.sum()
}

/// Merges two numbers: a key that is an extreme or an instant is not added.
fn numbers(key: &str, one: &Number, other: &Number) -> Number {
    let (low, high) = if one.as_f64() <= other.as_f64() {
        (one, other)
    } else {
        (other, one)
    };
    match key {
        "least" => low.clone(),
        "most" | "burst_max" | "window_ns" | "recovered_ns" => high.clone(),
        "opened_ns" | "received_ns" | "window_start_ns" | "second" => one.clone(),
        _ => match (one.as_u64(), other.as_u64()) {
            (Some(one), Some(other)) => Number::from(one + other),
            _ => added(one, other),
        },
    }
}

fn added(one: &Number, other: &Number) -> Number {
    let both = [one, other].map(|number| number.as_f64().unwrap_or(0.0));
    Number::from_f64(both.iter().sum()).unwrap_or_else(|| one.clone())
}

/// Adds two histograms: lists of the lowest duration of a bucket, and its count.
fn buckets(one: &[Value], other: &[Value]) -> Vec<Value> {
    let mut counts = BTreeMap::new();
    for bucket in one.iter().chain(other) {
        if let (Some(lowest), Some(count)) = (bucket[0].as_u64(), bucket[1].as_u64()) {
            *counts.entry(lowest).or_insert(0) += count;
        }
    }
    counts.into_iter().map(|bucket| json!(bucket)).collect()
}

/// Adds failures of the same kind; the example is that of the first engine.
fn failures(one: &[Value], other: &[Value]) -> Vec<Value> {
    let mut sum: Vec<Value> = one.to_vec();
    for failure in other {
        match sum
            .iter_mut()
            .find(|known| known["kind"] == failure["kind"])
        {
            Some(known) => {
                known["count"] = json!(total([&known["count"], &failure["count"]]));
            }
            None => sum.push(failure.clone()),
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use autostrada_measure::Histogram;

    use super::super::hosts::{Unfinished, unfinished};
    use super::*;

    fn result(first_ns: u64, sent: u64, share: f64, times: &Value) -> Value {
        json!({
            "event": "result", "connections": 2, "opened_ns": first_ns,
            "received_ns": first_ns + sent, "window_ns": 1_000, "window_start_ns": first_ns,
            "failures": [{"kind": "read", "count": 1, "example": format!("at {first_ns}")}],
            "utilizations": [0.5], "ended": "complete", "generator_limited": null,
            "fan_out_skew": {"skew_ns": []}, "tls": {"version": "TLS 1.3", "resumed": 1},
            "exchange": {
                "sent": sent, "unsent": 0, "overdue": 0, "completed": sent,
                "achieved_share": share, "achieved_rate_per_s": 1.5, "rate_growth": share,
                "response_time_ns": times,
                "answers_per_connection": {"least": sent, "most": sent + 1},
            },
        })
    }

    #[test]
    fn counters_and_buckets_are_added() {
        let one = result(100, 300, 0.5, &json!([[1, 2], [8, 1]]));
        let other = result(9_000, 100, 1.0, &json!([[8, 4], [16, 1]]));
        let whole = merged(&[one.clone(), other]).unwrap();
        assert_eq!(whole["connections"], 4);
        assert_eq!(
            whole["failures"],
            json!([{"kind": "read", "count": 2, "example": "at 100"}])
        );
        assert_eq!(whole["utilizations"], json!([0.5, 0.5]));
        assert_eq!(whole["tls"], json!({"version": "TLS 1.3", "resumed": 2}));
        assert_eq!(whole["fan_out_skew"], Value::Null);
        let exchange = &whole["exchange"];
        assert_eq!(
            exchange["response_time_ns"],
            json!([[1, 2], [8, 5], [16, 1]])
        );
        assert_eq!(exchange["achieved_rate_per_s"], 3.0);
        assert_eq!(exchange["achieved_share"], 0.625);
        assert_eq!(exchange["rate_growth"], 0.6);
        assert_eq!(
            exchange["answers_per_connection"],
            json!({"least": 100, "most": 301})
        );
        let alone = merged(std::slice::from_ref(&one)).unwrap();
        assert_eq!(alone["exchange"], one["exchange"]);
        assert_eq!(merged(&[]), None);
    }

    #[test]
    fn seconds_of_the_same_number_are_added() {
        let second =
            |second, messages| json!({"event": "second", "second": second, "messages": messages});
        let one = result(1, 1, 1.0, &json!([]));
        let lines = [second(0, 3), second(1, 4), one, second(0, 5)];
        let expected = json!([second(0, 8), second(1, 4)]);
        assert_eq!(merged(&lines).unwrap()["seconds"], expected);
    }

    #[test]
    fn instants_are_those_of_the_first_engine() {
        let late = result(9_000, 400, 1.0, &json!([]));
        let whole = merged(&[result(100, 300, 1.0, &json!([])), late]).unwrap();
        assert_eq!(
            (&whole["opened_ns"], &whole["received_ns"]),
            (&json!(100), &json!(500))
        );
        assert_eq!(whole["window_ns"], 1_000);
    }

    #[test]
    fn one_engine_that_did_not_finish_or_was_the_limit_marks_the_whole() {
        let one = result(1, 1, 1.0, &json!([]));
        let mut other = one.clone();
        other["ended"] = json!("closed");
        other["generator_limited"] = json!("thread 0 was busy");
        let mut third = other.clone();
        third["generator_limited"] = json!("sent late");
        let whole = merged(&[one, other, third]).unwrap();
        assert_eq!(whole["ended"], "closed");
        assert_eq!(whole["generator_limited"], "thread 0 was busy; sent late");
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
        let buckets = |histogram: &Histogram| json!(histogram.buckets().collect::<Vec<_>>());
        let results = parts.map(|part| result(1, 1, 1.0, &buckets(&part)));
        let merged = merged(&results).unwrap();
        assert_eq!(merged["exchange"]["response_time_ns"], buckets(&whole));
    }

    #[test]
    fn hosts_are_named_with_what_each_had_of_the_load() {
        let one = json!({
            "event": "result", "host": "a", "connections": 2, "messages": 7, "utilizations": [0.5],
            "failures": [{"kind": "read", "count": 1, "example": "reset"}],
            "generator_limited": "thread 0 was busy",
        });
        let second = |host, messages| json!({"event": "second", "second": 0, "host": host, "messages": messages});
        let lost = json!({"event": "host", "host": "b", "lost": "no answer"});
        let whole = merged(&[second("a", 3), second("b", 4), second("a", 5), one, lost]).unwrap();
        assert_eq!(whole["generator_limited"], "a: thread 0 was busy");
        assert_eq!(
            whole["hosts"],
            json!([
                {"host": "a", "messages": 7, "lost": null, "failures": 1, "connections": 2,
                 "utilizations": [0.5], "generator_limited": "thread 0 was busy"},
                {"host": "b", "messages": 4, "lost": "no answer"},
            ])
        );
        assert_eq!(whole["seconds"][0]["messages"], 12);
        assert_eq!(unfinished(&whole), Some(Unfinished::HostLost));
        assert!(whole.get("host").is_none() && whole["seconds"][0].get("host").is_none());
    }
}
