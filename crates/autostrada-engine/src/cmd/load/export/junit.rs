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
#[path = "tests/junit.rs"]
mod tests;
