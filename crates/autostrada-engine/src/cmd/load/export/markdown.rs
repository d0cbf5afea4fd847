//! The metrics of a load as a table to read.

use std::fmt::Write as _;

use crate::cmd::load::metrics::MetricRow;
use crate::cmd::load::report::LoadReport;

/// Returns a table with a row for each metric that the load has, below what was asked for.
pub fn markdown(report: &LoadReport) -> String {
    let title = &report.measurement.asked;
    let mut text = format!("`{title}`\n\n| metric | value |\n|---|--:|\n");
    for MetricRow {
        title,
        name,
        text: value,
        ..
    } in &report.metrics
    {
        let _ = writeln!(text, "| {title} (`{name}`) | {value} |");
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::cmd::load::report::tests::reported;

    #[test]
    fn a_markdown_table_leaves_out_what_is_not_known() {
        let table = markdown(&reported(|line| {
            line["exchange"]["achieved_share"] = Value::Null;
        }));
        assert!(table.starts_with("`what was asked`\n\n| metric"), "{table}");
        assert!(
            table.contains("| messages per second (`rate`) | 5,000/s |\n"),
            "{table}"
        );
        assert!(!table.contains("achieved"), "{table}");
    }
}
