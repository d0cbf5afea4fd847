//! Tests of `schema.rs`.

use serde::de::DeserializeOwned;

use super::*;
use crate::plan::PlanError;

#[test]
fn every_key_has_a_description() {
    let schema = documents();
    let mut bare = Vec::new();
    for (name, definition) in schema["$defs"].as_object().unwrap() {
        let Some(properties) = definition["properties"].as_object() else {
            continue;
        };
        for (key, property) in properties {
            if property["const"].is_null() && property["description"].is_null() {
                bare.push(format!("{name}.{key}"));
            }
        }
    }
    assert!(bare.is_empty(), "give these a doc comment: {bare:#?}");
}

#[test]
fn variants_are_named_by_their_tag_and_what_they_are_of() {
    assert_eq!(
        pascal_case("slow-consumer") + last_word("LoadWorkload"),
        "SlowConsumerWorkload"
    );
    assert_eq!(
        pascal_case("poisson") + last_word("SchedulePlan"),
        "PoissonSchedule"
    );
}

#[test]
fn a_line_is_the_object_with_its_event() {
    let schema = documents();
    let result = &schema["$defs"]["ServeResult"];
    assert_eq!(result["properties"]["event"]["const"], "result");
    assert_eq!(result["required"][0], "event");
    assert_eq!(result["additionalProperties"], false);
}

/// Plans that together contain every object that has a number with a range.
const PLANS: [(&str, &str); 7] = [
    (
        "LoadPlan",
        r#"{"format": 2, "url": "wss://h/", "compression": {}, "tcp": {}, "tls": {},
                "part": {"index": 0, "of": 1},
                "workload": {"kind": "echo", "payload": {"random_bytes": 1},
                             "phases": {"window_s": 1}}}"#,
    ),
    (
        "LoadPlan",
        r#"{"format": 2, "url": "ws://h/",
                "workload": {"kind": "echo", "schedule": {"kind": "poisson", "rate_per_s": 1},
                             "phases": {"window_s": 1}}}"#,
    ),
    (
        "LoadPlan",
        r#"{"format": 2, "url": "ws://h/",
                "workload": {"kind": "echo", "phases": {"window_s": 1},
                             "schedule": {"kind": "ramp", "from_per_s": 1, "to_per_s": 2,
                                          "over_s": 1}}}"#,
    ),
    (
        "LoadPlan",
        r#"{"format": 2, "url": "ws://h/",
                "workload": {"kind": "slow-consumer", "slow": {"share": 0.5},
                             "feed": {"kind": "stocks"}, "phases": {"window_s": 1}}}"#,
    ),
    (
        "LoadPlan",
        r#"{"format": 2, "url": "ws://h/",
                "workload": {"kind": "reconnect", "back_off": {}, "phases": {"window_s": 1}}}"#,
    ),
    (
        "ServePlan",
        r#"{"format": 2, "workload": {"kind": "push", "pings": {}}, "compression": {}, "tcp": {},
                "feed": {"kind": "stocks", "messages": 1},
                "faults": {"stall": {"every_ms": 2, "for_ms": 1}}}"#,
    ),
    (
        "ObservePlan",
        r#"{"format": 2, "processes": {"server": 1}}"#,
    ),
];

/// Returns why a plan is refused, without words if its types do not allow it.
fn refusal(name: &str, plan: &Value) -> Option<String> {
    fn of<T: DeserializeOwned>(
        plan: &Value,
        check: fn(&T) -> Result<(), PlanError>,
    ) -> Option<String> {
        match serde_json::from_value(plan.clone()) {
            Ok(plan) => check(&plan).err().map(|error| error.to_string()),
            Err(_) => Some(String::new()),
        }
    }
    match name {
        "LoadPlan" => of(plan, LoadPlan::check),
        "ServePlan" => of(plan, ServePlan::check),
        _ => of(plan, ObservePlan::check),
    }
}

/// Returns values just outside the range of a number.
fn outside(property: &Value) -> Vec<Value> {
    let limit = |key: &str| property[key].as_f64();
    let is_integer = property["type"].to_string().contains("integer");
    #[expect(clippy::cast_possible_truncation, reason = "limits are below 2^53")]
    let value = |number: f64| {
        if is_integer {
            Value::from(number as i64)
        } else {
            Value::from(number)
        }
    };
    let step = |limit: f64| {
        if is_integer {
            1.0
        } else {
            limit.abs().max(1e-9) * 0.6
        }
    };
    let below = limit("minimum").map(|limit| limit - step(limit));
    let above = limit("maximum").map(|limit| limit + step(limit));
    let values = [below, limit("exclusiveMinimum"), above];
    values.into_iter().flatten().map(value).collect()
}

/// Returns each value outside the range of a number of an object, with the path of its key.
fn wrong_numbers(schema: &Value, name: &str, object: &Value, path: &str) -> Vec<(String, Value)> {
    let definition = &schema["$defs"][name];
    if let Some(variants) = definition["oneOf"].as_array() {
        let names = variants.iter().filter_map(|each| each["$ref"].as_str());
        return names
            .map(definition_name)
            .filter(|each| {
                let tag = &schema["$defs"][each]["properties"]["kind"]["const"];
                *tag == object["kind"]
            })
            .flat_map(|each| wrong_numbers(schema, &each, object, path))
            .collect();
    }
    let mut found = Vec::new();
    for (key, property) in definition["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}/{key}");
        let reference = [&property["$ref"], &property["anyOf"][0]["$ref"]];
        if let Some(target) = reference.into_iter().find_map(Value::as_str) {
            if let Some(part) = object.get(key) {
                found.extend(wrong_numbers(schema, &definition_name(target), part, &path));
            }
        } else {
            found.extend(
                outside(property)
                    .into_iter()
                    .map(|value| (path.clone(), value)),
            );
        }
    }
    found
}

#[test]
fn a_number_outside_its_range_is_refused() {
    let schema = documents();
    let mut tried = std::collections::BTreeSet::new();
    for (name, text) in PLANS {
        let plan: Value = serde_json::from_str(text).unwrap();
        assert_eq!(refusal(name, &plan), None, "{text}");
        for (path, value) in wrong_numbers(&schema, name, &plan, "") {
            let mut wrong = plan.clone();
            let (object, key) = path.rsplit_once('/').unwrap();
            wrong.pointer_mut(object).unwrap()[key] = value.clone();
            let why = refusal(name, &wrong);
            let why = why.unwrap_or_else(|| panic!("{name} takes {value} for {path}"));
            let mut keys = path
                .split('/')
                .filter(|key| !["", "workload"].contains(key));
            let is_named = why.is_empty() || keys.any(|key| why.contains(key));
            assert!(is_named, "{path}: {why}");
            tried.insert(format!("{name}{path}"));
        }
    }
    assert!(tried.len() > 50, "{tried:?}");
}

/// Returns the path of each object that has keys of a type.
fn objects(value: &Value, path: &str) -> Vec<String> {
    let parts = value.as_object().into_iter().flatten();
    let parts = parts.flat_map(|(key, part)| objects(part, &format!("{path}/{key}")));
    let own = (value.is_object() && path != "/processes").then(|| path.to_owned());
    own.into_iter().chain(parts).collect()
}

#[test]
fn an_unknown_key_of_any_object_is_refused() {
    for (name, text) in PLANS {
        let plan: Value = serde_json::from_str(text).unwrap();
        for path in objects(&plan, "") {
            let mut wrong = plan.clone();
            wrong.pointer_mut(&path).unwrap()["colour"] = json!(1);
            assert_eq!(refusal(name, &wrong).as_deref(), Some(""), "{path}");
        }
    }
}
