//! The document of `--json`: what was measured, and what follows from it.

use schemars::JsonSchema;
use serde::Serialize;

use super::completeness::{incomplete, nothing_measured};
use super::gate::{ConditionRow, Gate};
use super::limit::limit;
use super::measurement::Measurement;
use super::metrics::{METRICS, MetricRow};
use crate::client::LoadSecond;

/// The result of `load` as `--json` writes it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LoadReport {
    #[serde(flatten)]
    pub measurement: Measurement,
    /// All seconds of the load.
    seconds: Vec<ReportedSecond>,
    /// Why nothing was measured; null if something was.
    pub nothing_measured: Option<String>,
    /// Why only a part of the load was measured; null if all of it was.
    pub incomplete: Option<String>,
    /// What limited the load, in words.
    pub limit: String,
    /// The metrics that the load has.
    pub metrics: Vec<MetricRow>,
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
    pub fn new(measurement: Measurement, seconds: Vec<LoadSecond>, gates: &[Gate]) -> Self {
        let reported = |second| ReportedSecond {
            broken: gates
                .iter()
                .filter(|gate| gate.is_met_in(&second))
                .map(|gate| gate.text.clone())
                .collect(),
            second,
        };
        let incomplete = incomplete(&measurement);
        Self {
            seconds: seconds.into_iter().map(reported).collect(),
            nothing_measured: nothing_measured(&measurement),
            limit: limit(&measurement),
            metrics: METRICS
                .iter()
                .filter_map(|metric| metric.row(&measurement))
                .collect(),
            conditions: evaluated(gates, &measurement, incomplete.as_deref()),
            incomplete,
            measurement,
        }
    }

    /// Returns a line for each condition by which the load has failed.
    pub fn failures(&self) -> impl Iterator<Item = &str> {
        self.conditions
            .iter()
            .filter_map(|condition| condition.failure.as_deref())
    }
}

/// Evaluates conditions. A metric of a part of a load passes no condition, unless another condition
/// is for the achieved share and passes.
fn evaluated(gates: &[Gate], load: &Measurement, incomplete: Option<&str>) -> Vec<ConditionRow> {
    let passes = |gate: &Gate| gate.is_of_achieved() && gate.row(load).failure.is_none();
    let incomplete = incomplete.filter(|_| !gates.iter().any(passes));
    let rows = gates.iter().map(|gate| {
        let row = gate.row(load);
        match incomplete {
            Some(why) if row.failure.is_none() => ConditionRow {
                failure: Some(format!(
                    "{}: not the whole load was measured, {why}",
                    gate.text
                )),
                ..row
            },
            _ => row,
        }
    });
    rows.collect()
}

#[cfg(test)]
pub mod tests {
    use serde_json::{Value, json};

    use super::super::measurement::tests::{measurement, result_line};
    use super::*;

    /// Returns the report, without conditions, of the load whose last line was changed.
    pub fn reported(change: impl FnOnce(&mut Value)) -> LoadReport {
        LoadReport::new(measurement(change), Vec::new(), &[])
    }

    #[test]
    fn a_part_of_a_load_passes_no_condition_but_with_the_achieved_share() {
        let failures = |conditions: &[&str]| {
            let gates: Vec<_> = conditions
                .iter()
                .map(|text| text.parse().unwrap())
                .collect();
            let load = measurement(|line| {
                line["lost"] = json!(2);
                line["lost_after_ns"] = json!(2_000_000_000_u64);
            });
            let report = LoadReport::new(load, Vec::new(), &gates);
            report.failures().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(
            failures(&["p99 > 1s"]),
            ["p99 > 1s: not the whole load was measured, all 2 connections were lost after 2.0 s"]
        );
        assert_eq!(failures(&["p99 > 1s", "achieved < 90%"]).len(), 2);
        assert!(failures(&["p99 > 1s", "achieved < 50%"]).is_empty());
    }

    #[test]
    fn a_document_has_what_was_printed_and_what_follows_from_it() {
        let gates = ["p99 > 1s".parse().unwrap()];
        let quick = LoadSecond {
            response_time_ns: vec![(1_000, 1)],
            ..LoadSecond::default()
        };
        let seconds = vec![LoadSecond::default(), quick];
        let report = LoadReport::new(measurement(|_| {}), seconds, &gates);
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
