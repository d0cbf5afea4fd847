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
#[path = "tests/report.rs"]
pub mod tests;
