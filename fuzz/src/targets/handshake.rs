//! Opening handshake of both sides, with its negotiation.

use autostrada_proto::deflate::{DeflateOffer, DeflateParameters, WindowBits, accept_offer};
use autostrada_proto::handshake::MAX_HEAD_BYTES;
use autostrada_proto::handshake::client::{ClientHandshake, HandshakeError, Response};
use autostrada_proto::handshake::server::{Grant, Rejection, Request};

use crate::memory::without_counting;
use crate::pieces::{Limits, Step, receive};
use crate::settings::Settings;

/// The client's key, which the server's response must match.
const KEY: [u8; 16] = *b"0123456789abcdef";
const HOST: &str = "127.0.0.1:8000";
const OFFER: &str = "permessage-deflate; client_max_window_bits";

const LIMITS: Limits = Limits {
    // The memory of a list of one-byte texts is a multiple of the bytes it is decoded from.
    held_bytes: 64 * MAX_HEAD_BYTES,
    needed_bytes: MAX_HEAD_BYTES,
};

/// Checks a request, or a response to a fixed request.
pub fn check(input: &[u8]) {
    let Some((settings, bytes)) = Settings::split(input) else {
        return;
    };
    if settings.has(0) {
        match receive(|| decode_request, LIMITS, bytes, settings.cuts).pop() {
            Some(Ok(request)) => check_grant(&request),
            Some(Err(rejection)) => check_refusal(rejection),
            None => {}
        }
    } else {
        let received = receive(|| decode_response, LIMITS, bytes, settings.cuts).pop();
        if let Some(Ok(response)) = received {
            check_response(&response);
        }
    }
}

fn decode_request(input: &mut [u8]) -> Step<Result<Request, Rejection>> {
    match Request::decode(input) {
        Ok(None) => Step::Incomplete(input.len() + 1),
        Ok(Some(request)) => {
            assert!(request.consumed_bytes <= input.len().min(MAX_HEAD_BYTES));
            Step::Ended(without_counting(|| Ok(request.clone())))
        }
        Err(rejection) => Step::Ended(Err(rejection)),
    }
}

/// A request that is not granted must be rejected with a status that the client reads.
fn check_refusal(rejection: Rejection) {
    let status = rejection.status();
    assert!((400..600).contains(&status));
    let mut response = Vec::new();
    rejection.encode_response(&mut response);
    let client = ClientHandshake::new(HOST, "/", &[]).expect("it is well formed");
    match client.decode_response(KEY, &response) {
        Err(HandshakeError::Status { code, .. }) => assert_eq!(code, status),
        other => panic!("rejected by {rejection:?}, decoded {other:?}"),
    }
}

/// A client that sends the same request, if its parts are valid, must accept what is granted.
fn check_grant(request: &Request) {
    let subprotocols = request.subprotocols.join(", ");
    let extensions = request.extensions.join(", ");
    let headers = [
        ("Sec-WebSocket-Protocol", subprotocols.as_str()),
        ("Sec-WebSocket-Extensions", extensions.as_str()),
    ];
    let headers: Vec<_> = headers
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .collect();
    let Ok(client) = ClientHandshake::new(HOST, &request.path, &headers) else {
        return;
    };
    let mut encoded = Vec::new();
    client.encode_request(KEY, &mut encoded);
    let Ok(Some(decoded)) = Request::decode(&encoded) else {
        assert!(
            encoded.len() > MAX_HEAD_BYTES,
            "a valid request is rejected"
        );
        return;
    };
    assert_eq!(decoded.path, request.path);
    assert_eq!(decoded.subprotocols, request.subprotocols);
    assert_eq!(decoded.extensions, request.extensions);
    let grant = Grant {
        subprotocol: request.subprotocols.first().map(String::as_str),
        deflate: accept_offer(&request.extensions, DeflateParameters::default()),
    };
    let mut response = Vec::new();
    decoded.encode_grant(grant, &mut response);
    let response = client
        .decode_response(KEY, &response)
        .expect("the response grants only what was requested")
        .expect("the response is complete");
    assert_eq!(response.subprotocol.as_deref(), grant.subprotocol);
    assert_eq!(response.extensions.is_empty(), grant.deflate.is_none());
}

fn decode_response(input: &mut [u8]) -> Step<Result<Response, HandshakeError>> {
    let requested = [
        ("Sec-WebSocket-Protocol", "chat, feed"),
        ("Sec-WebSocket-Extensions", OFFER),
    ];
    let client = ClientHandshake::new(HOST, "/", &requested).expect("it is well formed");
    match client.decode_response(KEY, input) {
        Ok(None) => Step::Incomplete(input.len() + 1),
        Ok(Some(response)) => {
            assert!(response.consumed_bytes <= input.len().min(MAX_HEAD_BYTES));
            Step::Ended(without_counting(|| Ok(response.clone())))
        }
        Err(error) => Step::Ended(without_counting(|| Err(error.clone()))),
    }
}

/// A response must grant only what was requested.
fn check_response(response: &Response) {
    if let Some(subprotocol) = &response.subprotocol {
        assert!(["chat", "feed"].contains(&subprotocol.as_str()));
    }
    for extension in &response.extensions {
        assert!(extension.starts_with("permessage-deflate"));
    }
    let offer = DeflateOffer::decode(OFFER).expect("ours").expect("ours");
    if let Ok(Some(parameters)) = offer.check_answer(&response.extensions) {
        assert!(parameters.client_max_window_bits >= WindowBits::MIN_COMPRESSED);
    }
}
