//! Tests of `handshake.rs`.

use super::*;
use crate::plan::ServePlan;

fn request(path: &str, fields: &str) -> Vec<u8> {
    format!(
        "GET {path} HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\
         {fields}\r\n"
    )
    .into_bytes()
}

fn answer(settings: &str, input: &[u8]) -> (Decoded, String) {
    let plan = format!(r#"{{"format": 2, "workload": {{"kind": "push"}}{settings}}}"#);
    let plan: ServePlan = serde_json::from_str(&plan).unwrap();
    let mut response = Vec::new();
    let (decoded, opened) = open(input, &HandshakeConfig::new(&plan), &mut response);
    let response = String::from_utf8(response).unwrap();
    assert_eq!(opened.is_some(), response.starts_with("HTTP/1.1 101 "));
    (decoded, response)
}

#[test]
fn the_path_is_the_number_of_messages() {
    let input = request("/1000000", "");
    let (decoded, _) = answer("", &input);
    let expected = Decoded::Event {
        consumed_bytes: input.len(),
        event: PeerEvent::Requested(Route::Push(1_000_000)),
    };
    assert_eq!(decoded, expected);
}

#[test]
fn any_other_path_is_refused_with_the_remedy() {
    for path in ["/", "/x", "/feed"] {
        let (_, response) = answer("", &request(path, ""));
        assert!(response.starts_with("HTTP/1.1 404 "), "{response}");
        assert!(response.contains("connect to /N"), "{response}");
    }
}

#[test]
fn half_a_request_asks_for_more_and_nonsense_is_refused() {
    let whole = request("/5", "");
    let (decoded, response) = answer("", &whole[..50]);
    assert!(matches!(decoded, Decoded::Incomplete { .. }));
    assert!(response.is_empty());
    let (_, response) = answer("", b"hello\r\n\r\n");
    assert!(response.starts_with("HTTP/1.1 400 "));
}

#[test]
fn the_first_subprotocol_that_is_known_is_granted() {
    let input = request("/1", "Sec-WebSocket-Protocol: x, b, a\r\n");
    let (_, response) = answer(r#", "subprotocols": ["a", "b"]"#, &input);
    assert!(
        response.contains("\r\nSec-WebSocket-Protocol: b\r\n"),
        "{response}"
    );
    let (_, response) = answer("", &input);
    assert!(!response.contains("Sec-WebSocket-Protocol"), "{response}");
}

#[test]
fn compression_is_granted_if_it_is_offered() {
    let input = request("/1", "Sec-WebSocket-Extensions: permessage-deflate\r\n");
    let settings = r#", "compression": {"server_no_context_takeover": true}"#;
    let (_, response) = answer(settings, &input);
    let granted = "permessage-deflate; server_no_context_takeover\r\n";
    assert!(response.contains(granted), "{response}");
    for (settings, input) in [(settings, request("/1", "")), ("", input)] {
        let (_, response) = answer(settings, &input);
        assert!(!response.contains("permessage-deflate"), "{response}");
    }
}
