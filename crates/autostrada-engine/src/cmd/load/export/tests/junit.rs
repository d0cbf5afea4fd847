//! Tests of `junit.rs`.

use serde_json::json;

use super::*;
use crate::cmd::load::measurement::Measurement;
use crate::cmd::load::measurement::tests::measurement;

fn report_of(load: Measurement) -> String {
    let conditions = ["max > 1ms", "errors > 1%"].map(|text| text.parse().unwrap());
    junit(&LoadReport::new(load, Vec::new(), &conditions))
}

#[test]
fn each_condition_is_a_case() {
    let expected = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<testsuite name=\"what was asked\" tests=\"3\" failures=\"1\" errors=\"0\">
  <testcase classname=\"what was asked\" name=\"load\"/>
  <testcase classname=\"what was asked\" name=\"max &gt; 1ms\"><failure message=\"max &gt; 1ms: max was 1.05 ms\"/></testcase>
  <testcase classname=\"what was asked\" name=\"errors &gt; 1%\"/>
</testsuite>
";
    assert_eq!(report_of(measurement(|_| {})), expected);
}

#[test]
fn what_was_not_judged_is_skipped() {
    let mut load = measurement(|_| {});
    load.not_judged = Some("interrupted");
    let report = report_of(load);
    assert_eq!(
        report.matches("<skipped message=\"interrupted\"/>").count(),
        2
    );
    assert!(report.contains("failures=\"0\""), "{report}");
    let report = report_of(measurement(|line| {
        line["connections"] = json!(0);
        line["failures"] = json!([{"kind": "connect", "count": 1, "example": "a \"b\" <c>\u{1}"}]);
    }));
    assert!(report.contains("a &quot;b&quot; &lt;c&gt; "), "{report}");
    assert!(report.contains("errors=\"1\""), "{report}");
}
