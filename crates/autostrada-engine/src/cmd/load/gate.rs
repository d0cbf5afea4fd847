//! Conditions under which a load has failed: `p99 > 50ms`, `errors > 0.1%`.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::Serialize;

use super::measured::Measured;
use super::metrics::{Metric, Unit};
use super::quantity::{Bytes, Count, Seconds};
use crate::client::LoadSecond;

/// A condition under which a load has failed.
#[derive(Debug, Clone)]
pub struct Gate {
    metric: &'static Metric,
    relation: Relation,
    /// The limit, in the unit of the metric.
    limit: f64,
    /// The limit as it was given.
    limit_text: String,
    /// The condition as it was given.
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    Above,
    AtLeast,
    Below,
    AtMost,
}

/// All relations, the longer ones first.
const RELATIONS: [(&str, Relation); 4] = [
    (">=", Relation::AtLeast),
    ("<=", Relation::AtMost),
    (">", Relation::Above),
    ("<", Relation::Below),
];

impl FromStr for Gate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = RELATIONS
            .iter()
            .find_map(|(sign, relation)| Some((text.split_once(sign)?, *relation)));
        let ((name, limit), relation) = found.ok_or_else(|| {
            format!("{text:?} is not a condition such as 'p99 > 50ms' or 'errors > 0.1%'")
        })?;
        let metric = Metric::named(name.trim())?;
        Ok(Self {
            metric,
            relation,
            limit: parse(limit.trim(), metric.unit)?,
            limit_text: limit.trim().to_owned(),
            text: text.trim().to_owned(),
        })
    }
}

impl Gate {
    /// Parses what must hold, such as `p99<50ms,errors<0.1%`; returns a condition for each part
    /// under which it does not.
    /// Returns a text that names the remedy if a part is no condition.
    pub fn unless(objective: &str) -> Result<Vec<Self>, String> {
        let parts = objective.split(',');
        parts
            .map(|part| Ok(part.parse::<Self>()?.negated()))
            .collect()
    }

    /// Returns the condition that is met if this one is not.
    fn negated(self) -> Self {
        let relation = match self.relation {
            Relation::Above => Relation::AtMost,
            Relation::AtLeast => Relation::Below,
            Relation::Below => Relation::AtLeast,
            Relation::AtMost => Relation::Above,
        };
        let (metric, sign) = (self.metric.name, relation.sign());
        let limit = self.limit_text;
        Self {
            text: format!("{metric} {sign} {limit}"),
            relation,
            limit_text: limit,
            ..self
        }
    }

    /// Whether it is about how much of the load was achieved.
    pub fn is_of_achieved(&self) -> bool {
        self.metric.name == "achieved"
    }

    fn is_met(&self, value: f64) -> bool {
        match self.relation {
            Relation::Above => value > self.limit,
            Relation::AtLeast => value >= self.limit,
            Relation::Below => value < self.limit,
            Relation::AtMost => value <= self.limit,
        }
    }

    /// Whether a second shows that the condition is met. One that has no value of its metric does,
    /// as a server does not meet an objective while it answers nothing.
    pub fn is_met_in(&self, second: &LoadSecond) -> bool {
        let of_second = self.metric.of_second;
        of_second.is_some_and(|of_second| of_second(second).is_none_or(|value| self.is_met(value)))
    }

    /// Evaluates a load. A load whose metric is not known has failed.
    pub fn row(&self, load: &Measured) -> ConditionRow {
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

impl Relation {
    fn sign(self) -> &'static str {
        let found = RELATIONS.iter().find(|(_, relation)| *relation == self);
        found.map_or("", |(sign, _)| *sign)
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

    use super::super::measured::tests::measured;
    use super::*;

    fn load() -> Measured {
        measured(|line| {
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
