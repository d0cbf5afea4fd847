//! Tests of `observe.rs`.

use super::*;

fn check(settings: &str) -> Result<ObservePlan, String> {
    let plan: ObservePlan = serde_json::from_str(&format!(r#"{{"format":2,{settings}}}"#))
        .map_err(|error| error.to_string())?;
    plan.check().map_err(|error| error.to_string())?;
    Ok(plan)
}

#[test]
fn without_an_interval_it_is_a_tenth_of_a_second() {
    let plan = check(r#""processes":{"server":1}"#).unwrap();
    assert_eq!(plan.every_ns(), 100_000_000);
    let plan = check(r#""processes":{"server":1},"every_ms":2.5"#).unwrap();
    assert_eq!(plan.every_ns(), 2_500_000);
}

#[test]
fn sockets_and_the_machine_are_sampled_unless_the_plan_leaves_them_out() {
    let plan = check(r#""processes":{"server":1}"#).unwrap();
    assert!(plan.sockets && plan.host);
    let plan = check(r#""processes":{"server":1},"sockets":false,"host":false"#).unwrap();
    assert!(!plan.sockets && !plan.host);
}

#[test]
fn what_cannot_be_done_is_refused_with_the_remedy() {
    for (settings, remedy) in [
        (r#""processes":{}"#, "at least one"),
        (r#""every_ms":100"#, "processes"),
        (r#""processes":{"a":0}"#, "at least 1"),
        (r#""processes":{"a":-4}"#, "\"a\" cannot be -4"),
        (r#""processes":{"a":3000000000}"#, "i32"),
        (r#""processes":{"a":1},"sockets":1"#, "boolean"),
    ] {
        let error = check(settings).unwrap_err();
        assert!(error.contains(remedy), "{settings}: {error}");
    }
}
