//! Requests that a server reads, and its responses.

use autostrada_proto::decoded::Decoded;
use autostrada_proto::handshake::server::Request as UpgradeRequest;
use autostrada_proto::http::client::{Event as ClientEvent, RequestEncoder, ResponseDecoder};
use autostrada_proto::http::server::{Event, Method, RequestDecoder, Response};
use autostrada_proto::http::{HeadError, HttpError, MAX_HEAD_BYTES};
use proptest::prelude::*;

const MAX_BODY_BYTES: usize = 1000;

/// What a client of Node.js 20 sends to poll.
const NODE: &[u8] = b"GET /socket.io/?EIO=4&transport=polling&t=kae024ou HTTP/1.1\r\n\
    User-Agent: node-XMLHttpRequest\r\nAccept: */*\r\nHost: 127.0.0.1:7702\r\n\
    Connection: close\r\n\r\n";

/// What python-socketio 5.18 sends, by way of requests 2.34.
const REQUESTS: &[u8] = b"POST /socket.io/?transport=polling&EIO=4&sid=KKy_qBHK HTTP/1.1\r\n\
    Host: 127.0.0.1:7713\r\nUser-Agent: python-requests/2.34.2\r\n\
    Accept-Encoding: gzip, deflate\r\nAccept: */*\r\nConnection: keep-alive\r\n\
    Content-Type: text/plain\r\nContent-Length: 9\r\n\r\n42[\"bye\"]";

const CHUNKED: &[u8] = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\
    1\r\n4\r\n1\r\n1\r\n0\r\n\r\n";

/// What engine.io-client 6.6 sends to change to WebSocket.
const UPGRADE: &[u8] = b"GET /socket.io/?EIO=4&transport=websocket&sid=sZKT2Pv9nQSTjAyGAAAA \
    HTTP/1.1\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: h01m7NxY+bjl6Q4h0x761w==\r\n\
    Connection: Upgrade\r\nUpgrade: websocket\r\n\
    Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n\
    Host: 127.0.0.1:7702\r\n\r\n";

/// Takes bytes and gives the requests in them, with `upgrade` for one of these, which ends it.
fn receive(
    decoder: &mut RequestDecoder,
    buffer: &mut Vec<u8>,
    bytes: &[u8],
) -> Result<Vec<String>, HttpError> {
    buffer.extend_from_slice(bytes);
    let mut requests = Vec::new();
    loop {
        match decoder.decode(buffer)? {
            Decoded::Event {
                consumed_bytes: 0,
                event: Event::Upgrade,
            } => {
                requests.push("upgrade".to_owned());
                return Ok(requests);
            }
            Decoded::Event {
                consumed_bytes,
                event,
            } => {
                if let Event::Request(request) = event {
                    let (method, path) = (request.method, request.path);
                    let keep = if request.keeps_alive { "keep" } else { "close" };
                    let body = request.body.escape_ascii();
                    requests.push(format!("{method:?} {path} {keep} {body}"));
                }
                buffer.drain(..consumed_bytes);
            }
            Decoded::Incomplete { needed_bytes } => {
                assert!(needed_bytes > buffer.len(), "asks for bytes it has");
                return Ok(requests);
            }
        }
    }
}

#[test]
fn requests_of_clients_are_read_at_every_split() {
    let stream = [NODE, REQUESTS, CHUNKED, NODE].concat();
    let expected = [
        "Get /socket.io/?EIO=4&transport=polling&t=kae024ou close ",
        "Post /socket.io/?transport=polling&EIO=4&sid=KKy_qBHK keep 42[\\\"bye\\\"]",
        "Post / keep 41",
        "Get /socket.io/?EIO=4&transport=polling&t=kae024ou close ",
    ];
    for split in 0..=stream.len() {
        let mut decoder = RequestDecoder::new(MAX_BODY_BYTES);
        let mut buffer = Vec::new();
        let mut requests = receive(&mut decoder, &mut buffer, &stream[..split]).unwrap();
        requests.extend(receive(&mut decoder, &mut buffer, &stream[split..]).unwrap());
        assert_eq!(requests, expected, "split at {split}");
    }
}

#[test]
fn a_request_for_websocket_is_left_to_the_handshake() {
    let mut decoder = RequestDecoder::new(MAX_BODY_BYTES);
    let mut buffer = Vec::new();
    let stream = [REQUESTS, UPGRADE].concat();
    for byte in &stream[..stream.len() - 1] {
        let requests = receive(&mut decoder, &mut buffer, &[*byte]).unwrap();
        assert!(!requests.contains(&"upgrade".to_owned()));
    }
    let last = &stream[stream.len() - 1..];
    let requests = receive(&mut decoder, &mut buffer, last).unwrap();
    assert_eq!(requests, ["upgrade"]);
    let request = UpgradeRequest::decode(&buffer).unwrap().unwrap();
    assert_eq!(request.consumed_bytes, UPGRADE.len());
}

#[test]
fn requests_that_cannot_be_answered_are_errors_with_a_status() {
    let endless = format!("GET / HTTP/1.1\r\nX: {}", "x".repeat(MAX_HEAD_BYTES));
    for (bytes, error, status) in [
        (b"PUT / HTTP/1.1\r\n\r\n".as_slice(), HttpError::Method, 405),
        (b"POST / HTTP/1.1\r\n\r\n", HttpError::NoLength, 411),
        (
            b"POST / HTTP/1.1\r\nContent-Length: 1001\r\n\r\n",
            HttpError::BodyTooLong,
            413,
        ),
        (
            b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            HttpError::InvalidLength,
            400,
        ),
        (
            b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nz",
            HttpError::InvalidChunk,
            400,
        ),
        (
            b"POST / HTTP/1.1\r\nContent-Encoding: deflate\r\nContent-Length: 1\r\n\r\n",
            HttpError::ContentEncoding,
            415,
        ),
        (
            b"GET / HTTP/1.0\r\n\r\n",
            HttpError::Head(HeadError::OldVersion),
            505,
        ),
        (endless.as_bytes(), HttpError::Head(HeadError::TooLong), 431),
        (
            b"\x16\x03\x01",
            HttpError::Head(HeadError::NotHttp(httparse::Error::Token)),
            400,
        ),
    ] {
        let mut decoder = RequestDecoder::new(MAX_BODY_BYTES);
        let result = receive(&mut decoder, &mut Vec::new(), bytes);
        assert_eq!(result, Err(error), "{}", bytes.escape_ascii());
        assert_eq!(error.status(), status);
    }
}

#[test]
fn responses_hold_what_http_demands() {
    let mut out = Vec::new();
    let response = Response {
        status: 200,
        content_type: "text/html",
        keeps_alive: true,
        body: b"ok",
    };
    response.encode(&mut out);
    let refusal = Response {
        status: 400,
        keeps_alive: false,
        ..response
    };
    refusal.encode(&mut out);
    let expected = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nok\
        HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\
        Connection: close\r\n\r\nok";
    assert_eq!(std::str::from_utf8(&out), Ok(expected));
}

/// Sends a request and a response between two endpoints in memory.
fn exchange(body: &[u8], status: u16, answer: &[u8]) {
    let mut wire = Vec::new();
    let encoder = RequestEncoder::new("a", &[("X", "y")]).unwrap();
    encoder.encode_post("/p", body, &mut wire).unwrap();
    encoder.encode_get("/g", &mut wire).unwrap();
    let mut decoder = RequestDecoder::new(body.len());
    let mut paths = Vec::new();
    while let Decoded::Event {
        consumed_bytes,
        event,
    } = decoder.decode(&wire).unwrap()
    {
        if let Event::Request(request) = event {
            let is_post = request.method == Method::Post;
            assert_eq!(request.body, if is_post { body } else { b"" });
            paths.push(request.path.to_owned());
        }
        wire.drain(..consumed_bytes);
    }
    assert_eq!(paths, ["/p", "/g"]);

    let response = Response {
        status,
        content_type: "text/plain",
        keeps_alive: true,
        body: answer,
    };
    response.encode(&mut wire);
    let mut decoder = ResponseDecoder::new(answer.len());
    loop {
        match decoder.decode(&wire).unwrap() {
            Decoded::Event {
                event: ClientEvent::Response(response),
                ..
            } => {
                assert_eq!(response.status, status);
                assert_eq!(response.body, answer);
                return;
            }
            Decoded::Event { consumed_bytes, .. } => drop(wire.drain(..consumed_bytes)),
            Decoded::Incomplete { .. } => panic!("all is there"),
        }
    }
}

proptest! {
    #[test]
    fn bodies_survive_the_exchange(
        body in prop::collection::vec(any::<u8>(), 0..500),
        status in prop_oneof![Just(200_u16), 400..600_u16],
        answer in prop::collection::vec(any::<u8>(), 0..500),
    ) {
        exchange(&body, status, &answer);
    }

    #[test]
    fn arbitrary_bytes_never_panic(
        begins_well: bool,
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let head: &[u8] = if begins_well { b"POST / HTTP/1.1\r\n" } else { b"" };
        let mut decoder = RequestDecoder::new(MAX_BODY_BYTES);
        let _ = receive(&mut decoder, &mut Vec::new(), &[head, &bytes].concat());
    }
}
