//! Plans that are refused.

use super::*;

fn check(json: &str) -> Result<(), String> {
    let plan: LoadPlan = serde_json::from_str(json).map_err(|error| error.to_string())?;
    plan.check().map_err(|error| error.to_string())
}

#[test]
fn what_cannot_be_done_is_refused_with_the_remedy() {
    for (workload, settings, remedy) in [
        (r#"{"kind":"receive","messages":0}"#, "", "at least 1"),
        (r#"{"kind":"receive"}"#, "", "messages or phases"),
        (
            r#"{"kind":"receive","messages":1,"payload":{"random_bytes":3}}"#,
            "",
            "one text",
        ),
        (
            r#"{"kind":"connect","phases":{"window_s":1}}"#,
            r#","protocol":{"kind":"framed-tcp"}"#,
            "tcp://",
        ),
        (
            r#"{"kind":"answer","phases":{"window_s":1}}"#,
            r#","protocol":{"kind":"socket-io","transport":"polling"}"#,
            "without acknowledge",
        ),
        (
            r#"{"kind":"echo","window":1,"schedule":{"kind":"constant","rate_per_s":1},"phases":{"window_s":1}}"#,
            "",
            "only one of window",
        ),
        (
            r#"{"kind":"connect","phases":{"window_s":1}}"#,
            r#","part":{"index":2,"of":2},"connections":2"#,
            "below of",
        ),
        (
            r#"{"kind":"publish","feed":{"kind":"clock"},"phases":{"window_s":1}}"#,
            "",
            "less than connections",
        ),
        (
            r#"{"kind":"publish","feed":{"kind":"clock"},"phases":{"window_s":1}}"#,
            r#","connections":4,"threads":2"#,
            "set threads to 1",
        ),
        (
            r#"{"kind":"receive","messages":1,"feed":{"kind":"hello","broadcast":true}}"#,
            "",
            "numbers",
        ),
        (
            r#"{"kind":"echo","schedule":{"kind":"constant","rate_per_s":1},"phases":{"window_s":1}}"#,
            r#","slices":true"#,
            "slices need a closed loop",
        ),
        (
            r#"{"kind":"publish","feed":{"kind":"clock","every_ms":1},"phases":{"window_s":1}}"#,
            r#","slices":true,"connections":2"#,
            "slices need a closed loop",
        ),
        (
            r#"{"kind":"connect","phases":{"window_s":1}}"#,
            r#","slices":true"#,
            "slices need a closed loop",
        ),
        (
            r#"{"kind":"echo","phases":{"window_s":1,"warm_up_s":1}}"#,
            r#","slices":true"#,
            "ping_every_ms and phases.warm_up_s",
        ),
    ] {
        let plan = format!(r#"{{"format":2,"url":"ws://h/","workload":{workload}{settings}}}"#);
        let error = check(&plan).unwrap_err();
        assert!(error.contains(remedy), "{plan}: {error}");
    }
}
