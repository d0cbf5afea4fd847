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
mod tests {
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
        let is_met =
            |text: &str, second: &LoadSecond| text.parse::<Gate>().unwrap().is_met_in(second);
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
}
