//! Server side of the opening handshake: RFC 6455, sections 1.3 and 4.2.

use autostrada_proto::deflate::{DeflateParameters, accept_offer};
use autostrada_proto::handshake::HeadError;
use autostrada_proto::handshake::server::{Grant, Rejection, Request};

const REQUEST: &str = "GET /chat HTTP/1.1\r\n\
    Host: server.example.com\r\n\
    Upgrade: websocket\r\n\
    Connection: Upgrade\r\n\
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
    Origin: http://example.com\r\n\
    Sec-WebSocket-Protocol: chat, superchat\r\n\
    Sec-WebSocket-Version: 13\r\n\r\n";

fn rejection(request: &str) -> Rejection {
    Request::decode(request.as_bytes()).unwrap_err()
}

fn response(rejection: Rejection) -> String {
    let mut out = Vec::new();
    rejection.encode_response(&mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn every_prefix_of_a_request_is_incomplete() {
    for end in 0..REQUEST.len() {
        assert_eq!(Request::decode(&REQUEST.as_bytes()[..end]), Ok(None));
    }
    let request = Request {
        consumed_bytes: REQUEST.len(),
        path: "/chat".to_owned(),
        key: "dGhlIHNhbXBsZSBub25jZQ==".to_owned(),
        subprotocols: vec!["chat".to_owned(), "superchat".to_owned()],
        extensions: Vec::new(),
    };
    let with_frame = [REQUEST.as_bytes(), b"\x81\x80\0\0\0\0"].concat();
    assert_eq!(Request::decode(&with_frame), Ok(Some(request)));
}

#[test]
fn the_example_of_the_rfc_is_granted() {
    let request = Request::decode(REQUEST.as_bytes()).unwrap().unwrap();
    let mut out = Vec::new();
    request.encode_response(&mut out);
    let expected = "HTTP/1.1 101 Switching Protocols\r\n\
        Upgrade: websocket\r\n\
        Connection: Upgrade\r\n\
        Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

#[test]
fn requested_subprotocol_and_extension_are_granted() {
    let asking = REQUEST.replace(
        "Origin:",
        "Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=10\r\nOrigin:",
    );
    let request = Request::decode(asking.as_bytes()).unwrap().unwrap();
    let grant = Grant {
        subprotocol: Some("superchat"),
        deflate: accept_offer(&request.extensions, DeflateParameters::default()),
    };
    let mut out = Vec::new();
    request.encode_grant(grant, &mut out);
    let expected = "HTTP/1.1 101 Switching Protocols\r\n\
        Upgrade: websocket\r\n\
        Connection: Upgrade\r\n\
        Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\
        Sec-WebSocket-Protocol: superchat\r\n\
        Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=10\r\n\r\n";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

#[test]
#[should_panic(expected = "was not asked for")]
fn a_subprotocol_must_be_requested_to_be_granted() {
    let request = Request::decode(REQUEST.as_bytes()).unwrap().unwrap();
    let grant = Grant {
        subprotocol: Some("chat, superchat"),
        ..Grant::default()
    };
    request.encode_grant(grant, &mut Vec::new());
}

#[test]
fn requests_of_browsers_and_of_proxies_are_valid() {
    let request = REQUEST
        .replace("/chat", "ws://server.example.com:80/chat?room=1")
        .replace("Upgrade: websocket", "upgrade: WebSocket")
        .replace("Connection: Upgrade", "connection: keep-alive, upgrade")
        .replace(
            "Origin:",
            "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\nOrigin:",
        );
    let request = Request::decode(request.as_bytes()).unwrap().unwrap();
    assert_eq!(request.path, "/chat?room=1");
    assert_eq!(
        request.extensions,
        ["permessage-deflate; client_max_window_bits"]
    );
}

#[test]
fn each_rejection_has_its_status() {
    use Rejection as R;
    let cases = [
        ("GET", "POST", R::Method, 405),
        ("Host: server.example.com\r\n", "", R::Host, 400),
        ("Origin", "Host", R::Host, 400),
        ("Upgrade: websocket\r\n", "", R::Upgrade, 426),
        ("Upgrade: websocket", "Upgrade: h2c", R::Upgrade, 426),
        (
            "Connection: Upgrade",
            "Connection: close",
            R::Connection,
            400,
        ),
        ("Version: 13", "Version: 8", R::Version, 426),
        ("Sec-WebSocket-Version: 13\r\n", "", R::Version, 426),
        ("Sec-WebSocket-Key", "X", R::Key, 400),
        (
            "Origin: http://example.com",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            R::Key,
            400,
        ),
        ("HTTP/1.1", "HTTP/1.0", R::Head(HeadError::OldVersion), 505),
    ];
    let too_many = format!("{}Origin", "X: y\r\n".repeat(64));
    let too_long = R::Head(HeadError::TooLong);
    let cases = cases
        .into_iter()
        .chain([("Origin", &*too_many, too_long, 431)]);
    for (found, replacement, expected, status) in cases {
        let rejection = rejection(&REQUEST.replace(found, replacement));
        assert_eq!(rejection, expected);
        assert_eq!(rejection.status(), status);
        let response = response(rejection);
        assert!(
            response.starts_with(&format!("HTTP/1.1 {status} ")),
            "{response}"
        );
        assert!(
            response.ends_with("\r\nContent-Length: 0\r\n\r\n"),
            "{response}"
        );
    }
}

#[test]
fn a_request_that_is_not_http_is_rejected() {
    // The first bytes of a TLS client hello.
    let rejection = Request::decode(b"\x16\x03\x01\x02\x00").unwrap_err();
    assert!(matches!(rejection, Rejection::Head(HeadError::NotHttp(_))));
    assert_eq!(rejection.status(), 400);
}

#[test]
fn a_rejection_names_the_supported_method_and_version() {
    assert!(response(Rejection::Method).contains("\r\nAllow: GET\r\n"));
    let version = response(Rejection::Version);
    assert!(version.contains("\r\nSec-WebSocket-Version: 13\r\n"));
    assert!(version.contains("\r\nUpgrade: websocket\r\n"));
}

#[test]
fn a_key_must_encode_sixteen_bytes() {
    let key = "dGhlIHNhbXBsZSBub25jZQ==";
    for wrong in [
        "",
        "dGhlIHNhbXBsZSBub25j",
        "dGhlIHNhbXBsZSBub25jZWU=",
        "dGhlIHNhbXBsZSBub25jZWVl",
        "dGhlIHNhbXBsZSBub25jZQ",
        "dGhlIHNhbXBsZSBub25jZ*==",
        &"dGhl".repeat(100),
    ] {
        let rejection = rejection(&REQUEST.replace(key, wrong));
        assert_eq!(rejection, Rejection::Key, "{wrong}");
    }
    let unused_bits = REQUEST.replace(key, "dGhlIHNhbXBsZSBub25jZR==");
    assert!(Request::decode(unused_bits.as_bytes()).unwrap().is_some());
}
