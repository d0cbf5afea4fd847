//! Response times as a percentile distribution, as programs for HDR histograms read it (`.hgrm`).

use std::fmt::Write as _;

use autostrada_measure::{Histogram, bucket_width_ns};

use crate::cmd::load::report::LoadReport;
use crate::cmd::load::times::histogram;

/// Returns the distribution in milliseconds, a line for each bucket; without response times only
/// its head and an empty summary.
pub fn hgrm(report: &LoadReport) -> String {
    let mut text = String::from("       Value     Percentile TotalCount 1/(1-Percentile)\n\n");
    let (mut below, mut sum_ms, mut squares, mut max_ms) = (0, 0.0, 0.0, 0.0);
    let histogram = report.measurement.response_times().and_then(histogram);
    let all = histogram.as_ref().map_or(0, Histogram::count);
    for (lowest_ns, count) in histogram.iter().flat_map(Histogram::buckets) {
        let width_ns = bucket_width_ns(lowest_ns);
        let middle_ms = (lowest_ns as f64 + width_ns as f64 / 2.0) / 1e6;
        max_ms = (lowest_ns + width_ns - 1) as f64 / 1e6;
        below += count;
        sum_ms += middle_ms * count as f64;
        squares += middle_ms * middle_ms * count as f64;
        let share = below as f64 / all as f64;
        let _ = write!(text, "{max_ms:12.6} {share:2.12} {below:10}");
        // The last line has no value here.
        let _ = match all - below {
            0 => writeln!(text),
            rest => writeln!(text, " {:14.2}", all as f64 / rest as f64),
        };
    }
    let count = all.max(1) as f64;
    let mean = sum_ms / count;
    let deviation = (squares / count - mean * mean).max(0.0).sqrt();
    let _ = writeln!(
        text,
        "#[Mean    = {mean:12.6}, StdDeviation   = {deviation:12.6}]\n\
         #[Max     = {max_ms:12.6}, Total count    = {all:12}]"
    );
    text
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::cmd::load::report::tests::reported;

    #[test]
    fn each_bucket_is_a_line_up_to_all_durations() {
        let text = hgrm(&reported(|line| {
            line["exchange"]["response_time_ns"] = json!([[1_048_576, 3], [4_194_304, 1]]);
        }));
        let expected = "       Value     Percentile TotalCount 1/(1-Percentile)

    1.049599 0.750000000000          3           4.00
    4.198399 1.000000000000          4
#[Mean    =     1.835904, StdDeviation   =     1.362805]
#[Max     =     4.198399, Total count    =            4]
";
        assert_eq!(text, expected);
        assert!(
            hgrm(&reported(|line| line["exchange"] = Value::Null))
                .contains("Total count    =            0")
        );
    }
}
