//! `autostrada-engine schema`: prints the JSON Schema of all documents that the engine reads and
//! prints.
//!
//! It is generated from the types of plans and lines and their doc comments.

use std::io::Write;
use std::process::ExitCode;

use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value, json};

use super::load::{HostFacts, LoadLine, LoadReport};
use super::probe::ProbeLine;
use crate::client::LoadPlan;
use crate::command_channel::{Command, LoadCommand};
use crate::line::Line;
use crate::plan::{FORMAT, ObserveCommand, ObservePlan, ServePlan};

const DEFINITIONS: &str = "#/$defs/";

/// Prints the schema.
pub fn run() -> anyhow::Result<ExitCode> {
    let text = serde_json::to_string_pretty(&documents())?;
    writeln!(std::io::stdout(), "{text}")?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the schema, with a definition for each object, named after its type.
fn documents() -> Value {
    let mut reader = generator(SchemaSettings::for_deserialize);
    reader.subschema_for::<LoadPlan>();
    reader.subschema_for::<ServePlan>();
    reader.subschema_for::<ObservePlan>();
    reader.subschema_for::<Command>();
    reader.subschema_for::<LoadCommand>();
    reader.subschema_for::<ObserveCommand>();
    reader.subschema_for::<HostFacts>();
    let mut writer = generator(SchemaSettings::for_serialize);
    writer.subschema_for::<Line<'_>>();
    writer.subschema_for::<LoadLine<'_>>();
    writer.subschema_for::<ProbeLine<'_>>();
    writer.subschema_for::<LoadReport>();

    let mut definitions = reader.take_definitions(true);
    for (name, definition) in writer.take_definitions(true) {
        let other = definitions.insert(name.clone(), definition);
        assert!(other.is_none(), "two types are called {name}");
    }
    let names: Vec<_> = definitions.keys().cloned().collect();
    for name in names {
        name_variants(&mut definitions, &name);
    }
    for definition in definitions.values_mut() {
        normalize(definition);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Plans and lines of autostrada-engine",
        "description": format!("Format {FORMAT}, generated from the engine's types."),
        "$defs": definitions,
    })
}

fn generator(contract: fn(SchemaSettings) -> SchemaSettings) -> SchemaGenerator {
    contract(SchemaSettings::draft2020_12()).into_generator()
}

/// Moves each variant of a tagged enum into its own definition, named after its type, its `title`,
/// or its tag and the last word of the enum's name. An enum whose variants are objects without a tag
/// is replaced by one object that has the keys of all.
fn name_variants(definitions: &mut Map<String, Value>, union: &str) {
    let Some(variants) = definitions[union]["oneOf"].as_array().cloned() else {
        return;
    };
    let is_untagged = |each: &Value| each["properties"].is_object() && tag(each).is_none();
    if variants.iter().all(is_untagged) {
        definitions[union] = unwrapped(&variants, &definitions[union]["description"]);
        return;
    }
    if variants.iter().any(|variant| tag(variant).is_none()) {
        return;
    }
    let mut names = Vec::new();
    for mut variant in variants {
        let (key, value) = tag(&variant).expect("it was looked for");
        let target = variant["$ref"].as_str().map(definition_name);
        let name = match (target, variant["title"].as_str()) {
            (Some(target), _) => target,
            (None, Some(title)) => title.to_owned(),
            (None, None) => pascal_case(&value) + last_word(union),
        };
        if let Some(mut target) = definitions.shift_remove(&name) {
            assert!(variant["$ref"].is_string(), "two types are called {name}");
            insert_first(&mut target, &key, &variant["properties"][&key]);
            variant = target;
        }
        names.push(name.clone());
        definitions.insert(name, variant);
    }
    let references: Vec<_> = names
        .iter()
        .map(|name| json!({ "$ref": format!("{DEFINITIONS}{name}") }))
        .collect();
    definitions[union]["oneOf"] = Value::Array(references);
}

/// Returns the variants of an enum as one object, with the description of each on its key. If there
/// are several, one of the keys is required.
fn unwrapped(variants: &[Value], description: &Value) -> Value {
    let mut object = variants[0].clone();
    for variant in variants {
        for (key, property) in variant["properties"].as_object().into_iter().flatten() {
            object["properties"][key] = property.clone();
            object["properties"][key]["description"] = variant["description"].clone();
        }
    }
    object["description"] = description.clone();
    if variants.len() > 1 {
        object["required"] = json!([]);
        object["minProperties"] = json!(1);
        object["maxProperties"] = json!(1);
    }
    object
}

/// Returns the name and the value of the constant property that identifies a variant, or `None` if
/// the variant has no tag.
fn tag(variant: &Value) -> Option<(String, String)> {
    let (key, property) = variant["properties"].as_object()?.iter().next()?;
    Some((key.clone(), property["const"].as_str()?.to_owned()))
}

/// Inserts the tag as the first property of an object, and as its first required key.
fn insert_first(object: &mut Value, key: &str, property: &Value) {
    let properties = object["properties"]
        .as_object()
        .cloned()
        .unwrap_or_default();
    let mut all = Map::from_iter([(key.to_owned(), property.clone())]);
    all.extend(properties);
    object["properties"] = Value::Object(all);
    let mut required = vec![Value::from(key)];
    required.extend(object["required"].as_array().cloned().unwrap_or_default());
    object["required"] = Value::Array(required);
}

fn definition_name(reference: &str) -> String {
    reference.trim_start_matches(DEFINITIONS).to_owned()
}

fn pascal_case(tag: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    tag.split('-').map(capital).collect()
}

/// Returns the last word of an enum's name without `Plan`: `Schedule` of `SchedulePlan`.
fn last_word(union: &str) -> &str {
    let union = union.trim_end_matches("Plan");
    let start = union.rfind(char::is_uppercase).unwrap_or(0);
    &union[start..]
}

/// Normalizes all parts of a schema: a description is one line, an object allows no additional
/// properties, and null is not listed as a default.
fn normalize(schema: &mut Value) {
    match schema {
        Value::Array(parts) => parts.iter_mut().for_each(normalize),
        Value::Object(parts) => {
            parts.values_mut().for_each(normalize);
            if parts.get("title").is_some_and(Value::is_string) {
                parts.shift_remove("title");
            }
            if parts.get("default").is_some_and(Value::is_null) {
                parts.shift_remove("default");
            }
            if let Some(Value::String(text)) = parts.get_mut("description") {
                *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            }
            if parts.contains_key("properties") {
                parts.insert("additionalProperties".to_owned(), false.into());
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
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
    fn wrong_numbers(
        schema: &Value,
        name: &str,
        object: &Value,
        path: &str,
    ) -> Vec<(String, Value)> {
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
}
