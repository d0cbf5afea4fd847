//! Opening handshake of both sides, with its negotiation.

use autostrada_proto::deflate::{
    DeflateAnswer, DeflateOffer, DeflateParameters, NegotiationError, WindowBits, accept_offer,
};
use autostrada_proto::handshake::client::{ClientHandshake, HandshakeError, Response};
use autostrada_proto::handshake::server::{Grant, Rejection, Request};
use autostrada_proto::handshake::{MAX_HEAD_BYTES, accept_key};

use crate::memory::uncounted;
use crate::pieces::{Receiver, Step, receive};
use crate::settings::Settings;

/// The client's key, which the server's response must match.
const KEY: [u8; 16] = *b"0123456789abcdef";
const HOST: &str = "127.0.0.1:8000";

/// The requested extensions and subprotocols.
const REQUESTED_HEADERS: [(&str, &str); 2] = [
    ("Sec-WebSocket-Protocol", "chat, feed"),
    (
        "Sec-WebSocket-Extensions",
        "permessage-deflate; client_max_window_bits",
    ),
];

/// Memory of a list of one-byte texts, as a multiple of the bytes it is decoded from.
const TEXTS_GROWTH: usize = 64;

/// Checks a request, or a response to a fixed request.
pub fn check(input: &[u8]) {
    let Some((settings, bytes)) = Settings::split(input) else {
        return;
    };
    if settings.has(0) {
        check_request(settings, bytes);
    } else {
        check_response(settings, bytes);
    }
}

struct Server;

impl Receiver for Server {
    type Received = Result<Request, Rejection>;

    fn decode(&mut self, input: &mut [u8]) -> Step<Self::Received> {
        match Request::decode(input) {
            Ok(None) => Step::Incomplete(input.len() + 1),
            Ok(Some(request)) => {
                assert!(request.consumed_bytes <= input.len().min(MAX_HEAD_BYTES));
                Step::Ended(uncounted(|| Ok(request.clone())))
            }
            Err(rejection) => Step::Ended(Err(rejection)),
        }
    }

    fn bytes_max(&self) -> usize {
        TEXTS_GROWTH * MAX_HEAD_BYTES
    }

    fn needed_bytes_max(&self) -> usize {
        MAX_HEAD_BYTES
    }
}

/// A request must be rejected, or granted so that a client with the same request accepts it.
fn check_request(settings: Settings, bytes: &[u8]) {
    match receive(|| Server, bytes, settings.cuts).pop() {
        Some(Ok(request)) => check_grant(settings, &request),
        Some(Err(rejection)) => check_refusal(rejection),
        None => {}
    }
}

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

fn check_grant(settings: Settings, request: &Request) {
    let parameters = DeflateParameters {
        server_no_context_takeover: settings.has(1),
        client_no_context_takeover: settings.has(2),
        server_max_window_bits: window_bits(settings.choices >> 3),
        client_max_window_bits: window_bits(settings.choices >> 4),
    };
    let deflate = accept_offer(&request.extensions, parameters);
    let grant = Grant {
        subprotocol: request.subprotocols.first().map(String::as_str),
        deflate,
    };
    let mut granted = Vec::new();
    request.encode_grant(grant, &mut granted);
    let accept = accept_key(request.key.as_bytes());
    assert!(granted.windows(accept.len()).any(|part| part == accept));
    // The client sends the same request, if its parts are valid.
    let subprotocols = request.subprotocols.join(", ");
    let extensions = request.extensions.join(", ");
    let mut headers = Vec::new();
    if !subprotocols.is_empty() {
        headers.push(("Sec-WebSocket-Protocol", subprotocols.as_str()));
    }
    if !extensions.is_empty() {
        headers.push(("Sec-WebSocket-Extensions", extensions.as_str()));
    }
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
    let mut response = Vec::new();
    decoded.encode_grant(grant, &mut response);
    let response = client
        .decode_response(KEY, &response)
        .expect("the response grants only what was requested")
        .expect("the response is complete");
    assert_eq!(response.subprotocol.as_deref(), grant.subprotocol);
    if let Some(answer) = deflate {
        check_negotiation(&request.extensions, parameters, answer, &response);
    }
}

/// Both sides must derive the same parameters, unless the client's window is too small.
fn check_negotiation(
    extensions: &[String],
    parameters: DeflateParameters,
    answer: DeflateAnswer,
    response: &Response,
) {
    let accepted = extensions
        .iter()
        .find(|element| accept_offer(&[element], parameters).is_some())
        .expect("one of the offers was accepted");
    let offer = DeflateOffer::decode(accepted)
        .expect("the offer was decoded before")
        .expect("the element is an offer");
    let decoded = DeflateOffer::decode(&offer.to_string());
    assert_eq!(decoded, Ok(Some(offer)));
    match offer.check_answer(&response.extensions) {
        Ok(parameters) => assert_eq!(parameters, Some(answer.parameters())),
        Err(NegotiationError::WindowTooSmall) => {
            let bits = answer.parameters().client_max_window_bits;
            assert!(bits < WindowBits::MIN_COMPRESSED);
        }
        Err(error) => panic!("{offer} was answered by {answer}: {error}"),
    }
}

fn window_bits(bits: u8) -> WindowBits {
    WindowBits::new(8 + bits % 8).expect("the sum is at most 15")
}

struct Client;

impl Receiver for Client {
    type Received = Result<Response, HandshakeError>;

    fn decode(&mut self, input: &mut [u8]) -> Step<Self::Received> {
        let client =
            ClientHandshake::new(HOST, "/", &REQUESTED_HEADERS).expect("it is well formed");
        match client.decode_response(KEY, input) {
            Ok(None) => Step::Incomplete(input.len() + 1),
            Ok(Some(response)) => {
                assert!(response.consumed_bytes <= input.len().min(MAX_HEAD_BYTES));
                Step::Ended(uncounted(|| Ok(response.clone())))
            }
            Err(error) => Step::Ended(uncounted(|| Err(error.clone()))),
        }
    }

    fn bytes_max(&self) -> usize {
        TEXTS_GROWTH * MAX_HEAD_BYTES
    }

    fn needed_bytes_max(&self) -> usize {
        MAX_HEAD_BYTES
    }
}

/// A response must grant only what was requested.
fn check_response(settings: Settings, bytes: &[u8]) {
    let Some(Ok(response)) = receive(|| Client, bytes, settings.cuts).pop() else {
        return;
    };
    if let Some(subprotocol) = &response.subprotocol {
        assert!(["chat", "feed"].contains(&subprotocol.as_str()));
    }
    for extension in &response.extensions {
        assert!(extension.starts_with("permessage-deflate"));
    }
    let [.., (_, offer)] = REQUESTED_HEADERS;
    let offer = DeflateOffer::decode(offer).expect("ours").expect("ours");
    if let Ok(Some(parameters)) = offer.check_answer(&response.extensions) {
        assert!(parameters.client_max_window_bits >= WindowBits::MIN_COMPRESSED);
    }
}
