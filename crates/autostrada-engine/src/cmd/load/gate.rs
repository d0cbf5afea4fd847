//! Conditions under which a load has failed: `p99 > 50ms`, `errors > 0.1%`.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::Serialize;

use super::measurement::Measurement;
use super::metrics::{Metric, Unit};
use super::quantity::{Bytes, Count, Seconds};
use crate::client::LoadSecond;

/// A condition under which a load has failed.
#[derive(Debug, Clone)]
pub struct Gate {
    metric: &'static Metric,
    relation: &'static Relation,
    /// The limit, in the unit of the metric.
    limit: f64,
    /// The condition as it was given.
    pub text: String,
}

/// How a value is compared with a limit: the sign, that of the opposite relation, the comparison.
#[derive(Debug)]
struct Relation(&'static str, &'static str, fn(&f64, &f64) -> bool);

/// All relations, those with longer signs first.
const RELATIONS: &[Relation] = &[
    Relation(">=", "<", f64::ge),
    Relation("<=", ">", f64::le),
    Relation(">", "<=", f64::gt),
    Relation("<", ">=", f64::lt),
];

impl FromStr for Gate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, relation, limit) = parts(text)?;
        let metric = Metric::named(name)?;
        Ok(Self {
            metric,
            relation,
            limit: parse(limit, metric.unit)?,
            text: text.trim().to_owned(),
        })
    }
}

/// Splits a condition into the name of a metric, a relation and a limit.
fn parts(text: &str) -> Result<(&str, &'static Relation, &str), String> {
    let found = RELATIONS.iter().find_map(|relation| {
        let (name, limit) = text.split_once(relation.0)?;
        Some((name.trim(), relation, limit.trim()))
    });
    found.ok_or_else(|| {
        format!("{text:?} is not a condition such as 'p99 > 50ms' or 'errors > 0.1%'")
    })
}

impl Gate {
    /// Parses what must hold, such as `p99<50ms,errors<0.1%`; returns a condition for each part
    /// under which it does not.
    /// Returns a text that names the remedy if a part is no condition.
    pub fn unless(objective: &str) -> Result<Vec<Self>, String> {
        let negated = |part: &str| {
            let (name, relation, limit) = parts(part)?;
            format!("{name} {} {limit}", relation.1).parse::<Self>()
        };
        objective.split(',').map(negated).collect()
    }

    /// Whether it is about how much of the load was achieved.
    pub fn is_of_achieved(&self) -> bool {
        self.metric.name == "achieved"
    }

    fn is_met(&self, value: f64) -> bool {
        (self.relation.2)(&value, &self.limit)
    }

    /// Whether a second shows that the condition is met. One that has no value of its metric does,
    /// as a server does not meet an objective while it answers nothing.
    pub fn is_met_in(&self, second: &LoadSecond) -> bool {
        let value = self.metric.value_in(second);
        self.metric.is_of_seconds() && value.is_none_or(|value| self.is_met(value))
    }

    /// Evaluates a load. A load whose metric is not known has failed.
    pub fn row(&self, load: &Measurement) -> ConditionRow {
        let failure = match self.metric.value(load) {
            None => Some(format!(
                "{}: {} is not known of this load",
                self.text, self.metric.name
            )),
            Some(value) => self.is_met(value).then(|| {
                let written = self.metric.unit.write(value);
                format!("{}: {} was {written}", self.text, self.metric.name)
            }),
        };
        ConditionRow {
            condition: self.text.clone(),
            failure,
        }
    }
}

/// A condition, and whether the load has failed by it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "ReportedCondition")]
pub struct ConditionRow {
    /// The condition as it was given.
    pub condition: String,
    /// Why the load has failed by it; null if it has not.
    pub failure: Option<String>,
}

/// Parses a limit in the unit of its metric.
fn parse(text: &str, unit: Unit) -> Result<f64, String> {
    match unit {
        Unit::Seconds => text.parse().map(|Seconds(seconds)| seconds),
        Unit::Share => text
            .strip_suffix('%')
            .and_then(|number| number.trim().parse().ok())
            .map(|percent: f64| percent / 100.0)
            .ok_or_else(|| format!("{text:?} is not a percentage such as 0.1%")),
        Unit::PerSecond => {
            let number = text.strip_suffix("/s").unwrap_or(text);
            let count = number.parse().map(|Count(count)| count as f64);
            count.map_err(|_| format!("{text:?} is not a rate such as 500/s or 10k/s"))
        }
        Unit::Count => text.parse().map(|Count(count)| count as f64),
        Unit::Bytes => text.parse().map(|Bytes(bytes)| bytes as f64),
    }
}

#[cfg(test)]
#[path = "tests/gate.rs"]
mod tests;
