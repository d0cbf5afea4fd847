//! Client side of the opening handshake: RFC 6455, sections 1.3 and 4.1.

use autostrada_proto::handshake::HeadError;
use autostrada_proto::handshake::client::{
    ClientHandshake, HandshakeError, InvalidRequest, Response,
};

/// The key of the RFC's example, before base64: "the sample nonce".
const KEY: [u8; 16] = *b"the sample nonce";

const GRANTED: &str = "HTTP/1.1 101 Switching Protocols\r\n\
    Upgrade: websocket\r\n\
    Connection: Upgrade\r\n\
    Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";

fn plain() -> ClientHandshake<'static> {
    ClientHandshake::new("server.example.com", "/chat", &[]).unwrap()
}

/// The response to the request with additional fields.
fn granted_with(fields: &str) -> String {
    GRANTED.replace("\r\n\r\n", &format!("\r\n{fields}\r\n\r\n"))
}

fn decode_error(response: &str) -> HandshakeError {
    plain()
        .decode_response(KEY, response.as_bytes())
        .unwrap_err()
}

#[test]
fn a_request_contains_the_required_fields() {
    let headers = [
        ("Origin", "http://example.com"),
        ("Sec-WebSocket-Protocol", "chat, superchat"),
    ];
    let handshake = ClientHandshake::new("server.example.com", "/chat?room=1", &headers).unwrap();
    let mut request = Vec::new();
    handshake.encode_request(KEY, &mut request);
    let expected = "GET /chat?room=1 HTTP/1.1\r\n\
        Host: server.example.com\r\n\
        Upgrade: websocket\r\n\
        Connection: Upgrade\r\n\
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
        Sec-WebSocket-Version: 13\r\n\
        Origin: http://example.com\r\n\
        Sec-WebSocket-Protocol: chat, superchat\r\n\r\n";
    assert_eq!(String::from_utf8(request).unwrap(), expected);
}

#[test]
fn invalid_parts_of_a_request_are_errors() {
    let own = ("upgrade", "h2c");
    let cases: [(_, _, &[_], _); 3] = [
        ("", "/", &[], InvalidRequest::Host),
        ("a", "chat", &[], InvalidRequest::Path),
        (
            "a",
            "/",
            &[own],
            InvalidRequest::OwnHeader(own.0.to_owned()),
        ),
    ];
    for (host, path, headers, error) in cases {
        let refused = ClientHandshake::new(host, path, headers).unwrap_err();
        assert_eq!(refused, error);
    }
}

#[test]
fn every_prefix_of_a_response_is_incomplete() {
    for end in 0..GRANTED.len() {
        assert_eq!(
            plain().decode_response(KEY, &GRANTED.as_bytes()[..end]),
            Ok(None)
        );
    }
    let response = Response {
        consumed_bytes: GRANTED.len(),
        subprotocol: None,
        extensions: Vec::new(),
    };
    let with_frame = [GRANTED.as_bytes(), b"\x81\x05Hello"].concat();
    assert_eq!(
        plain().decode_response(KEY, &with_frame),
        Ok(Some(response))
    );
}

#[test]
fn names_and_keywords_are_case_insensitive() {
    let response = "HTTP/1.1 101 \r\n\
        upgrade: WebSocket\r\n\
        CONNECTION: keep-alive, upgrade\r\n\
        sec-websocket-accept:   s3pPLMBiTxaQ9kYGzzhZRbK+xOo=  \r\n\r\n";
    assert!(
        plain()
            .decode_response(KEY, response.as_bytes())
            .unwrap()
            .is_some()
    );
}

#[test]
fn a_status_other_than_101_is_reported_with_its_reason() {
    let head = "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\n";
    let error = decode_error(&format!("{head}no"));
    let expected = HandshakeError::Status {
        code: 403,
        reason: "Forbidden".to_owned(),
        consumed_bytes: head.len(),
    };
    assert_eq!(error, expected);
    assert_eq!(error.to_string(), "server answered 403 Forbidden");
    let old = decode_error("HTTP/1.0 404 Not Found\r\n\r\n");
    assert_eq!(old.to_string(), "server answered 404 Not Found");
}

#[test]
fn a_missing_or_wrong_field_is_an_error() {
    use HandshakeError as E;
    let cases = [
        ("Upgrade: websocket\r\n", "", E::Upgrade),
        ("Upgrade: websocket", "Upgrade: h2c", E::Upgrade),
        ("Connection: Upgrade\r\n", "", E::Connection),
        ("Connection: Upgrade", "Connection: close", E::Connection),
        ("xOo=", "xOo", E::Accept),
        ("s3pP", "S3pP", E::Accept),
        ("Sec-WebSocket-Accept", "Sec-WebSocket-Reject", E::Accept),
    ];
    for (found, replacement, error) in cases {
        assert_eq!(decode_error(&GRANTED.replace(found, replacement)), error);
    }
    let error = plain()
        .decode_response([0; 16], GRANTED.as_bytes())
        .unwrap_err();
    assert_eq!(error, E::Accept);
}

#[test]
fn an_unrequested_extension_or_subprotocol_is_an_error() {
    use HandshakeError as E;
    let extension = granted_with("Sec-WebSocket-Extensions: permessage-deflate; a=1");
    let expected = E::Extension("permessage-deflate; a=1".to_owned());
    assert_eq!(decode_error(&extension), expected);
    let subprotocol = granted_with("Sec-WebSocket-Protocol: chat");
    assert_eq!(
        decode_error(&subprotocol),
        E::Subprotocol("chat".to_owned())
    );
}

#[test]
fn requested_extensions_and_subprotocols_are_returned() {
    let headers = [
        ("Sec-WebSocket-Protocol", "soap, chat"),
        ("Sec-WebSocket-Extensions", "x-a; y=1, permessage-deflate"),
    ];
    let handshake = ClientHandshake::new("a", "/", &headers).unwrap();
    let response = granted_with(
        "Sec-WebSocket-Protocol: chat\r\nSec-WebSocket-Extensions: permessage-deflate; z, x-a",
    );
    let response = handshake
        .decode_response(KEY, response.as_bytes())
        .unwrap()
        .unwrap();
    assert_eq!(response.subprotocol.as_deref(), Some("chat"));
    assert_eq!(response.extensions, ["permessage-deflate; z", "x-a"]);

    let two = granted_with("Sec-WebSocket-Protocol: chat\r\nSec-WebSocket-Protocol: soap");
    let error = handshake.decode_response(KEY, two.as_bytes()).unwrap_err();
    assert_eq!(error, HandshakeError::Subprotocol("chat".to_owned()));
}

#[test]
fn a_response_that_is_not_http_1_1_is_an_error() {
    let error = decode_error(&GRANTED.replace("HTTP/1.1", "HTTP/1.0"));
    assert_eq!(error, HandshakeError::Head(HeadError::OldVersion));
}
