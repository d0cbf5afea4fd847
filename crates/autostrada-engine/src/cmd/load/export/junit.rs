//! Conditions as the test cases of a `JUnit` report, which pipelines show.

use std::fmt::Write as _;

use crate::cmd::load::report::LoadReport;

/// Returns a report with a case for each condition, after one for the load itself.
pub fn junit(report: &LoadReport) -> String {
    let load = &report.measurement;
    let suite = escaped(&load.asked);
    let nothing = report.nothing_measured.as_ref();
    let is_measured = nothing.is_none();
    let mut cases = String::new();
    let mut add = |name: &str, outcome: Option<String>| {
        let name = escaped(name);
        let _ = match outcome {
            None => writeln!(cases, "  <testcase classname=\"{suite}\" name=\"{name}\"/>"),
            Some(outcome) => writeln!(
                cases,
                "  <testcase classname=\"{suite}\" name=\"{name}\">{outcome}</testcase>"
            ),
        };
    };
    add("load", nothing.map(|why| element("error", why)));
    let mut failures = 0;
    for row in &report.conditions {
        let outcome = match (load.not_judged, &row.failure) {
            (Some(why), _) => Some(element("skipped", why)),
            (None, _) if !is_measured => Some(element("skipped", "nothing was measured")),
            (None, Some(failure)) => {
                failures += 1;
                Some(element("failure", failure))
            }
            (None, None) => None,
        };
        add(&row.condition, outcome);
    }
    let (tests, errors) = (report.conditions.len() + 1, u8::from(!is_measured));
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuite name=\"{suite}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\">\n\
         {cases}</testsuite>\n"
    )
}

fn element(name: &str, message: &str) -> String {
    format!("<{name} message=\"{}\"/>", escaped(message))
}

/// Escapes a text for an attribute; characters that XML 1.0 does not have become blanks.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            control if control.is_control() => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
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
            line["failures"] =
                json!([{"kind": "connect", "count": 1, "example": "a \"b\" <c>\u{1}"}]);
        }));
        assert!(report.contains("a &quot;b&quot; &lt;c&gt; "), "{report}");
        assert!(report.contains("errors=\"1\""), "{report}");
    }
}
