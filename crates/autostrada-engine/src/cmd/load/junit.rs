//! Conditions as the test cases of a `JUnit` report, which pipelines show.

use std::fmt::Write as _;

use serde_json::Value;

use super::gate::Judgement;
use super::screen::nothing_measured;

/// Returns a report with a case for each condition, after one for the load itself.
pub fn junit(asked: &str, result: &Value, judgement: &Judgement) -> String {
    let suite = escaped(asked);
    let is_measured = result["connections"] != 0;
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
    let error = (!is_measured).then(|| element("error", &nothing_measured(result)));
    add("load", error);
    let mut failures = 0;
    for (condition, failure) in &judgement.conditions {
        let outcome = match (judgement.not_judged, failure) {
            (Some(why), _) => Some(element("skipped", why)),
            (None, _) if !is_measured => Some(element("skipped", "nothing was measured")),
            (None, Some(failure)) => {
                failures += 1;
                Some(element("failure", failure))
            }
            (None, None) => None,
        };
        add(condition, outcome);
    }
    let (tests, errors) = (judgement.conditions.len() + 1, u8::from(!is_measured));
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

    fn judgement(not_judged: Option<&'static str>) -> Judgement {
        let failure = "p99 > 5ms: p99 was 9.00 ms".to_owned();
        Judgement {
            conditions: vec![
                ("p99 > 5ms".to_owned(), Some(failure)),
                ("errors > 1%".to_owned(), None),
            ],
            not_judged,
        }
    }

    #[test]
    fn each_condition_is_a_case() {
        let report = junit("ws://a", &json!({"connections": 1}), &judgement(None));
        let expected = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<testsuite name=\"ws://a\" tests=\"3\" failures=\"1\" errors=\"0\">
  <testcase classname=\"ws://a\" name=\"load\"/>
  <testcase classname=\"ws://a\" name=\"p99 &gt; 5ms\"><failure message=\"p99 &gt; 5ms: p99 was 9.00 ms\"/></testcase>
  <testcase classname=\"ws://a\" name=\"errors &gt; 1%\"/>
</testsuite>
";
        assert_eq!(report, expected);
    }

    #[test]
    fn what_was_not_judged_is_skipped() {
        let report = junit(
            "",
            &json!({"connections": 1}),
            &judgement(Some("interrupted")),
        );
        assert_eq!(
            report.matches("<skipped message=\"interrupted\"/>").count(),
            2
        );
        assert!(report.contains("failures=\"0\""), "{report}");
        let failed = json!({
            "connections": 0, "failures": [{"kind": "connect", "example": "a \"b\" <c>\u{1}"}],
        });
        let report = junit("", &failed, &judgement(None));
        assert!(report.contains("a &quot;b&quot; &lt;c&gt; "), "{report}");
        assert!(report.contains("errors=\"1\""), "{report}");
    }
}
