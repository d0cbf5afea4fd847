//! Tests of `head.rs`.

use super::*;

/// Reads the head of a response; returns its length.
fn read(input: &str) -> Result<Option<usize>, HeadError> {
    let mut fields = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut head = httparse::Response::new(&mut fields);
    let parsed = head.parse(limit_head(input.as_bytes()));
    head_bytes(parsed, head.version, input.as_bytes())
}

#[test]
fn a_head_that_is_too_long_is_an_error_at_every_split() {
    let endless = format!("HTTP/1.1 101 \r\nX: {}", "x".repeat(MAX_HEAD_BYTES));
    assert_eq!(read(&endless[..MAX_HEAD_BYTES - 1]), Ok(None));
    for too_long in [
        &endless[..MAX_HEAD_BYTES],
        &endless,
        &format!("{endless}\r\n\r\n"),
        &format!("HTTP/1.1 101 \r\n{}\r\n", "X: y\r\n".repeat(65)),
    ] {
        assert_eq!(read(too_long), Err(HeadError::TooLong));
    }
}

#[test]
fn another_protocol_and_an_old_version_are_errors() {
    let old = read("HTTP/1.0 200 OK\r\n\r\n");
    assert_eq!(old, Err(HeadError::OldVersion));
    let other = read("SSH-2.0-OpenSSH_9.2p1\r\n");
    assert!(matches!(other, Err(HeadError::NotHttp(_))));
}

#[test]
fn a_target_may_be_a_whole_url() {
    let url = "/chat?to=ws://b/c";
    assert_eq!(path_of("ws://a:8008/chat?to=ws://b/c"), url);
    assert_eq!(path_of(url), url);
    assert_eq!(path_of("http://a"), "/");
    assert_eq!(path_of("*"), "*");
}

#[test]
fn a_list_may_be_spread_over_several_fields() {
    let field = |name, value| httparse::Header { name, value };
    let fields = [
        field("Connection", b"keep-alive ,\tUPGRADE, ".as_slice()),
        field("Host", b"a"),
        field("connection", b"x"),
    ];
    let headers = Headers(&fields);
    assert_eq!(
        headers.element_strings("CONNECTION"),
        ["keep-alive", "UPGRADE", "x"]
    );
    assert!(headers.has_element("Connection", "upgrade"));
    assert!(!headers.has_element("Connection", "up"));
    assert_eq!(headers.only("host"), Some(b"a".as_slice()));
    assert_eq!(headers.only("Connection"), None);
    assert_eq!(headers.only("Upgrade"), None);
}
