//! The document of `--json`: what was measured, and what follows from it.

use schemars::JsonSchema;
use serde::Serialize;

use super::gate::{ConditionRow, Gate};
use super::limit::limit;
use super::measured::Measured;
use super::metrics::{METRICS, MetricRow};
use crate::client::LoadSecond;

/// The result of `load` as `--json` writes it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LoadReport {
    #[serde(flatten)]
    pub measured: Measured,
    /// All seconds of the load.
    seconds: Vec<ReportedSecond>,
    /// What limited the load, in words.
    pub limit: String,
    /// The metrics that the load has.
    metrics: Vec<MetricRow>,
    /// The conditions of `--fail-if` and `--objective`.
    pub conditions: Vec<ConditionRow>,
}

/// A second of a load, and the conditions that were met in it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReportedSecond {
    #[serde(flatten)]
    second: LoadSecond,
    /// The conditions that this second shows to be met, as they were given: those about times and
    /// failures. A second without a time meets each condition about times.
    broken: Vec<String>,
}

impl LoadReport {
    /// Evaluates what was measured.
    pub fn new(measured: Measured, seconds: Vec<LoadSecond>, gates: &[Gate]) -> Self {
        let reported = |second| ReportedSecond {
            broken: gates
                .iter()
                .filter(|gate| gate.is_met_in(&second))
                .map(|gate| gate.text().to_owned())
                .collect(),
            second,
        };
        Self {
            seconds: seconds.into_iter().map(reported).collect(),
            limit: limit(&measured),
            metrics: METRICS
                .iter()
                .filter_map(|metric| metric.row(&measured))
                .collect(),
            conditions: gates.iter().map(|gate| gate.row(&measured)).collect(),
            measured,
        }
    }

    /// Returns a line for each condition by which the load has failed.
    pub fn failures(&self) -> impl Iterator<Item = &str> {
        self.conditions
            .iter()
            .filter_map(|condition| condition.failure.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::measured::tests::{measured, result_line};
    use super::*;

    #[test]
    fn a_document_has_what_was_printed_and_what_follows_from_it() {
        let gates = ["p99 > 1s".parse().unwrap()];
        let quick = LoadSecond {
            response_time_ns: vec![(1_000, 1)],
            ..LoadSecond::default()
        };
        let seconds = vec![LoadSecond::default(), quick];
        let report = LoadReport::new(measured(|_| {}), seconds, &gates);
        let document = serde_json::to_value(&report).unwrap();
        for (key, value) in result_line().as_object().unwrap() {
            if key != "event" {
                assert_eq!(document[key], *value, "{key}");
            }
        }
        let rate = json!({
            "name": "rate", "title": "messages per second", "unit": "per_s", "value": 5000.0,
            "text": "5,000/s",
        });
        assert_eq!(document["metrics"][0], rate);
        assert_eq!(
            document["conditions"],
            json!([{"condition": "p99 > 1s", "failure": null}])
        );
        assert_eq!(document["seconds"][0]["broken"], json!(["p99 > 1s"]));
        assert_eq!(document["seconds"][1]["broken"], json!([]));
    }
}
