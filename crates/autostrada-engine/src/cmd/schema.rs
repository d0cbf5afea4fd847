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
#[path = "tests/schema.rs"]
mod tests;
