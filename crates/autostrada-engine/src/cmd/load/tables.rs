//! The metrics of a load as tables: CSV and Markdown.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::metrics::{METRICS, Metric};

/// Returns the metrics that the load has, as objects with name, title, unit and value.
pub fn metrics(result: &Value) -> Value {
    let known = METRICS.iter().filter_map(|metric| {
        let value = metric.value(result)?;
        Some(json!({
            "name": metric.name, "title": metric.title, "unit": metric.unit.name(),
            "value": value, "text": metric.unit.write(value),
        }))
    });
    known.collect()
}

/// Returns a head and a row with all metrics, in the units that the head names. A metric that the
/// load does not have is empty.
pub fn csv(result: &Value) -> String {
    let names: Vec<_> = METRICS.iter().map(Metric::column).collect();
    let values = METRICS.iter().map(|metric| metric.value(result));
    let values: Vec<_> = values
        .map(|value| value.map_or_else(String::new, |value| value.to_string()))
        .collect();
    format!("{}\n{}\n", names.join(","), values.join(","))
}

/// Returns a table with a row for each metric that the load has, below what was asked for.
pub fn markdown(asked: &str, result: &Value) -> String {
    let mut text = format!("`{asked}`\n\n| metric | value |\n|---|--:|\n");
    for metric in METRICS {
        if let Some(value) = metric.value(result) {
            let value = metric.unit.write(value);
            let _ = writeln!(text, "| {} (`{}`) | {value} |", metric.title, metric.name);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result() -> Value {
        json!({
            "connections": 3, "window_ns": 2_000_000_000_u64, "failures": [],
            "utilizations": [0.125, 0.25],
            "exchange": {
                "completed": 990, "achieved_share": null,
                "response_time_ns": [[1_048_576, 990]],
            },
        })
    }

    #[test]
    fn a_csv_file_has_a_head_and_a_row_of_equal_length() {
        let table = csv(&result());
        let rows: Vec<Vec<_>> = table.lines().map(|row| row.split(',').collect()).collect();
        let [names, values] = &rows[..] else {
            panic!("{table}");
        };
        let of = |name| values[names.iter().position(|each| *each == name).unwrap()];
        assert_eq!(names.len(), values.len());
        assert_eq!(of("rate_per_s"), "495");
        assert_eq!(of("achieved_share"), "");
        assert_eq!(of("errors_share"), "0");
        assert_eq!(of("p99_9_s"), "0.001049599");
        assert_eq!(of("generator_cpu_share"), "0.25");
    }

    #[test]
    fn each_metric_has_its_unit() {
        let metrics = metrics(&result());
        let rate = json!({
            "name": "rate", "title": "messages per second", "unit": "per_s", "value": 495.0,
            "text": "495/s",
        });
        assert_eq!(metrics[0], rate);
        assert!(metrics.as_array().unwrap().len() < METRICS.len());
    }

    #[test]
    fn a_markdown_table_leaves_out_what_is_not_known() {
        let table = markdown("what was asked", &result());
        assert!(table.starts_with("`what was asked`\n\n| metric"), "{table}");
        assert!(
            table.contains("| messages per second (`rate`) | 495/s |\n"),
            "{table}"
        );
        assert!(!table.contains("achieved"), "{table}");
    }
}
