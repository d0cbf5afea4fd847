//! The metrics of a load as a table to read.

use std::fmt::Write as _;

use crate::cmd::load::measured::Measured;
use crate::cmd::load::metrics::METRICS;

/// Returns a table with a row for each metric that the load has, below what was asked for.
pub fn markdown(load: &Measured) -> String {
    let mut text = format!("`{}`\n\n| metric | value |\n|---|--:|\n", load.asked);
    for metric in METRICS {
        if let Some(value) = metric.value(load) {
            let value = metric.unit.write(value);
            let _ = writeln!(text, "| {} (`{}`) | {value} |", metric.title, metric.name);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::cmd::load::measured::tests::measured;

    #[test]
    fn a_markdown_table_leaves_out_what_is_not_known() {
        let table = markdown(&measured(|line| {
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
