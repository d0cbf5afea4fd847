//! Tests of `template.rs`.

use super::*;

fn written(message: &str) -> String {
    let columns = ["name", "token"].map(str::to_owned);
    let user = StringRecord::from(vec!["ann", "s{{seq}}"]);
    let parts = Parts {
        number: 7,
        unix_ns: 1_700_000_000_000_000_000,
        connection: 3,
        random: [u64::MAX, 0x0123_4567_89ab_cdef],
        user: Some(&user),
    };
    let mut bytes = Vec::new();
    let template = Template::compile(message.as_bytes(), &columns).unwrap();
    template.write(&parts, &mut bytes);
    String::from_utf8(bytes).unwrap()
}

#[test]
fn parts_stand_where_the_message_names_them() {
    assert_eq!(written("hello"), "hello");
    assert_eq!(written(""), "");
    assert_eq!(written(r#"{"n":{{seq}}}"#), r#"{"n":7}"#);
    assert_eq!(
        written("{{connection}}/{{ now_ns }}!"),
        "3/1700000000000000000!"
    );
    assert_eq!(written("{{name}}:{{token}}"), "ann:s{{seq}}");
    assert_eq!(written("{{uuid}}"), "ffffffff-ffff-4fff-8123-456789abcdef");
}

#[test]
fn unknown_parts_are_refused_with_the_known_ones() {
    let columns = ["name".to_owned()];
    for (message, remedy) in [
        ("{{time}}", "{{now_ns}}"),
        ("{{x}}", "{{name}}"),
        ("a {{seq", "}}"),
    ] {
        let error = Template::compile(message.as_bytes(), &columns).unwrap_err();
        assert!(error.to_string().contains(remedy), "{error}");
    }
}
