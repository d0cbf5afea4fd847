//! Conditions under which a load has failed: `p99 > 50ms`, `errors > 0.1%`.

use std::str::FromStr;

use serde_json::Value;

use super::metrics::{Metric, Unit};
use super::quantity::{Bytes, Count, Seconds};

/// A condition under which a load has failed.
#[derive(Debug, Clone)]
pub struct Gate {
    metric: &'static Metric,
    relation: Relation,
    /// The limit, in the unit of the metric.
    limit: f64,
    /// The condition as it was given.
    text: String,
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
        let limit = parse(limit.trim(), metric.unit)?;
        Ok(Self {
            metric,
            relation,
            limit,
            text: text.trim().to_owned(),
        })
    }
}

impl Gate {
    /// Judges a result; returns a line that says why the load has failed, or `None`.
    ///
    /// A load whose metric is not known has failed.
    fn failure(&self, result: &Value) -> Option<String> {
        let Some(value) = self.metric.value(result) else {
            let name = self.metric.name;
            return Some(format!("{}: {name} is not known of this load", self.text));
        };
        let is_met = match self.relation {
            Relation::Above => value > self.limit,
            Relation::AtLeast => value >= self.limit,
            Relation::Below => value < self.limit,
            Relation::AtMost => value <= self.limit,
        };
        is_met.then(|| {
            let written = self.metric.unit.write(value);
            format!("{}: {} was {written}", self.text, self.metric.name)
        })
    }
}

/// The conditions of a load, and what follows from its result.
#[derive(Debug)]
pub struct Judgement {
    /// Each condition as it was given, and a line that says why the load has failed by it.
    pub conditions: Vec<(String, Option<String>)>,
    /// Why nothing is judged; `None` if the conditions are.
    pub not_judged: Option<&'static str>,
}

impl Judgement {
    /// Judges a result.
    pub fn new(gates: &[Gate], result: &Value, not_judged: Option<&'static str>) -> Self {
        let judged = gates
            .iter()
            .map(|gate| (gate.text.clone(), gate.failure(result)));
        Self {
            conditions: judged.collect(),
            not_judged,
        }
    }

    /// Returns a line for each condition by which the load has failed.
    pub fn failures(&self) -> impl Iterator<Item = &str> {
        self.conditions
            .iter()
            .filter_map(|(_, failure)| failure.as_deref())
    }
}

/// Parses a limit in the unit of its metric.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts and sizes have no more than 53 bits"
)]
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

    use super::*;

    fn result() -> Value {
        json!({
            "messages": 1000, "window_ns": 2_000_000_000_u64,
            "failures": [{"kind": "read", "count": 10, "example": ""}],
            "exchange": {
                "completed": 990, "achieved_share": 0.9,
                "response_time_ns": [[1_048_576, 990]],
            },
        })
    }

    fn failure(text: &str) -> Option<String> {
        text.parse::<Gate>().unwrap().failure(&result())
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
        let gate: Gate = "p99 > 1ms".parse().unwrap();
        let line = gate.failure(&json!({"exchange": null})).unwrap();
        assert_eq!(line, "p99 > 1ms: p99 is not known of this load");
    }

    #[test]
    fn other_conditions_are_refused() {
        for (text, remedy) in [
            ("p99", "p99 > 50ms"),
            ("p98 > 1ms", "p50, p90, p99"),
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
