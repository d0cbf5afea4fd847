//! Tests of `reply.rs`.

use super::*;

fn identifier(json: &str) -> Result<Option<Identifier>, PlanError> {
    serde_json::from_str::<ReplyPlan>(json)
        .unwrap()
        .identifier()
}

#[test]
fn an_identifier_is_found_in_a_message_and_in_its_answer() {
    for (plan, message, found) in [
        (
            r#"{"kind":"json","path":"$.id"}"#,
            r#"{"a":[1],"id":"x7"}"#,
            Some("x7"),
        ),
        (r#"{"kind":"json","path":"$.id"}"#, "pong", None),
        (r#"{"kind":"prefix","bytes":4}"#, "0042 hello", Some("0042")),
        (r#"{"kind":"prefix","bytes":4}"#, "004", None),
        (
            r#"{"kind":"regex","pattern":"id=(\\d+)"}"#,
            "ok id=42;",
            Some("42"),
        ),
        (r#"{"kind":"regex","pattern":"\\d+"}"#, "ok 42;", Some("42")),
        (r#"{"kind":"regex","pattern":"\\d+"}"#, "ok", None),
    ] {
        let identifier = identifier(plan).unwrap().unwrap();
        let of_message = identifier.find(message.as_bytes());
        assert_eq!(of_message, found.map(str::as_bytes), "{plan} {message}");
    }
    assert!(identifier(r#"{"kind":"next"}"#).unwrap().is_none());
}

#[test]
fn what_finds_nothing_is_refused() {
    for (plan, remedy) in [
        (r#"{"kind":"json","path":"id"}"#, "$.id"),
        (r#"{"kind":"prefix","bytes":0}"#, "at least 1"),
        (r#"{"kind":"regex","pattern":"("}"#, "unclosed group"),
    ] {
        let error = identifier(plan).unwrap_err().to_string();
        assert!(error.contains(remedy) && !error.contains('\n'), "{error}");
    }
}
