//! The metrics of a load as a table of one row.

use crate::cmd::load::metrics::{METRICS, Metric};
use crate::cmd::load::report::LoadReport;

/// Returns a head and a row with all metrics, in the units that the head names. A metric that the
/// load does not have is empty.
pub fn csv(report: &LoadReport) -> String {
    let names: Vec<_> = METRICS.iter().map(Metric::column).collect();
    let values = METRICS
        .iter()
        .map(|metric| metric.value(&report.measurement));
    let values: Vec<_> = values
        .map(|value| value.map_or_else(String::new, |value| value.to_string()))
        .collect();
    format!("{}\n{}\n", names.join(","), values.join(","))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::cmd::load::report::tests::reported;

    #[test]
    fn a_csv_file_has_a_head_and_a_row_of_equal_length() {
        let table = csv(&reported(|line| {
            line["exchange"]["achieved_share"] = Value::Null;
        }));
        let rows: Vec<Vec<_>> = table.lines().map(|row| row.split(',').collect()).collect();
        let [names, values] = &rows[..] else {
            panic!("{table}");
        };
        let of = |name| values[names.iter().position(|each| *each == name).unwrap()];
        assert_eq!(names.len(), values.len());
        assert_eq!(of("rate_per_s"), "5000");
        assert_eq!(of("achieved_share"), "");
        assert_eq!(of("errors_share"), "0");
        assert_eq!(of("p99_9_s"), "0.001049599");
        assert_eq!(of("generator_cpu_share"), "0.25");
    }
}
