//! The server's side of the opening handshake (RFC 6455, section 4.2).

use autostrada_proto::deflate::accept_offer;
use autostrada_proto::handshake::server::{Grant, Request};

use super::web_socket::WebSocket;
use super::{Decoded, HandshakeConfig, PeerEvent, Route};

/// Decodes the request at the front of `input`, and appends the response to `out`.
///
/// Returns the open connection, or `None` if the request is incomplete or refused.
pub fn open(
    input: &[u8],
    handshake: &HandshakeConfig,
    out: &mut Vec<u8>,
) -> (Decoded, Option<WebSocket>) {
    let refused = Decoded::Event {
        consumed_bytes: input.len(),
        event: PeerEvent::Refused,
    };
    let request = match Request::decode(input) {
        Ok(Some(request)) => request,
        Ok(None) => {
            let needed_bytes = input.len() + 1;
            return (Decoded::Incomplete { needed_bytes }, None);
        }
        Err(rejection) => {
            crate::log(&format!("refused a client: {rejection}"));
            rejection.encode_response(out);
            return (refused, None);
        }
    };
    let Some(route) = Route::from_path(&request.path, handshake.has_feed) else {
        let path = &request.path;
        crate::log(&format!("refused a client: nothing is served at {path:?}"));
        encode_not_found(Route::remedy(handshake.has_feed), out);
        return (refused, None);
    };
    let decoded = Decoded::Event {
        consumed_bytes: request.consumed_bytes,
        event: PeerEvent::Requested(route),
    };
    (decoded, Some(grant(&request, handshake, out)))
}

/// Appends the response that grants a request to `out`.
fn grant(request: &Request, handshake: &HandshakeConfig, out: &mut Vec<u8>) -> WebSocket {
    // The client's order is the order of preference.
    let is_granted = |requested: &&String| handshake.subprotocols.contains(requested);
    let subprotocol = request.subprotocols.iter().find(is_granted);
    let granted = handshake.compression.as_ref().and_then(|compression| {
        let answer = accept_offer(&request.extensions, compression.parameters())?;
        Some((answer, compression))
    });
    let grant = Grant {
        subprotocol: subprotocol.map(String::as_str),
        deflate: granted.map(|(answer, _)| answer),
    };
    request.encode_grant(grant, out);
    WebSocket::new(granted.map(|(answer, compression)| (answer.parameters(), compression)))
}

fn encode_not_found(body: &str, out: &mut Vec<u8>) {
    let response = format!(
        "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Type: text/plain\r\n\
         Content-Length: {}\r\n\r\n{body}\n",
        body.len() + 1
    );
    out.extend_from_slice(response.as_bytes());
}

#[cfg(test)]
#[path = "tests/handshake.rs"]
mod tests;
