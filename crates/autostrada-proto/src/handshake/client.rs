//! Client side of the opening handshake: RFC 6455, section 4.1.

use base64::engine::{Engine, general_purpose::STANDARD};
use thiserror::Error;

use super::{HeadError, MAX_HEADERS, accept_key};
use crate::http::{
    Headers, check_headers, check_host, check_path, elements, head_bytes, limit_head,
};

pub use crate::http::InvalidRequest;

const EXTENSIONS: &str = "Sec-WebSocket-Extensions";
const SUBPROTOCOL: &str = "Sec-WebSocket-Protocol";

/// Header fields that the handshake writes itself.
const OWN_HEADERS: [&str; 5] = [
    "Host",
    "Upgrade",
    "Connection",
    "Sec-WebSocket-Key",
    "Sec-WebSocket-Version",
];

/// The handshake of a client. One value can be used for any number of connections.
#[derive(Debug, Clone, Copy)]
pub struct ClientHandshake<'a> {
    host: &'a str,
    path: &'a str,
    headers: &'a [(&'a str, &'a str)],
}

/// A valid response that completes the handshake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// Length of the head in bytes; frames may follow it.
    pub consumed_bytes: usize,
    /// The selected subprotocol, one of those requested.
    pub subprotocol: Option<String>,
    /// The granted extensions with their parameters, each one of those requested.
    pub extensions: Vec<String>,
}

impl<'a> ClientHandshake<'a> {
    /// Creates a handshake from the value of `Host`, the path with its query, and header fields.
    ///
    /// To request extensions and subprotocols, add their fields to `headers`.
    pub fn new(
        host: &'a str,
        path: &'a str,
        headers: &'a [(&'a str, &'a str)],
    ) -> Result<Self, InvalidRequest> {
        check_host(host)?;
        check_path(path)?;
        check_headers(headers, &OWN_HEADERS)?;
        Ok(Self {
            host,
            path,
            headers,
        })
    }

    /// Appends the request to `out`. The key must be random and different for each connection.
    pub fn encode_request(&self, key: [u8; 16], out: &mut Vec<u8>) {
        let key = encode_key(key);
        let mut append =
            |parts: &[&[u8]]| parts.iter().for_each(|part| out.extend_from_slice(part));
        append(&[b"GET ", self.path.as_bytes(), b" HTTP/1.1\r\n"]);
        append(&[b"Host: ", self.host.as_bytes(), b"\r\n"]);
        append(&[b"Upgrade: websocket\r\nConnection: Upgrade\r\n"]);
        append(&[b"Sec-WebSocket-Key: ", &key, b"\r\n"]);
        append(&[b"Sec-WebSocket-Version: 13\r\n"]);
        for (name, value) in self.headers {
            append(&[name.as_bytes(), b": ", value.as_bytes(), b"\r\n"]);
        }
        append(&[b"\r\n"]);
    }

    /// Decodes and validates the response at the front of `input` to the request with this key.
    ///
    /// Returns `None` if `input` ends inside the head.
    pub fn decode_response(
        &self,
        key: [u8; 16],
        input: &[u8],
    ) -> Result<Option<Response>, HandshakeError> {
        let mut fields = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut head = httparse::Response::new(&mut fields);
        let parsed = head.parse(limit_head(input));
        // Only an upgrade needs HTTP/1.1: the status of a refusal is worth more than its version.
        let version = head.version.filter(|_| head.code == Some(101));
        let Some(consumed_bytes) = head_bytes(parsed, version, input)? else {
            return Ok(None);
        };
        match head.code {
            Some(101) => {}
            code => {
                return Err(HandshakeError::Status {
                    code: code.expect("a whole head has a status code"),
                    reason: head.reason.unwrap_or_default().to_owned(),
                    consumed_bytes,
                });
            }
        }
        let headers = Headers(head.headers);
        if !headers
            .only("Upgrade")
            .is_some_and(|v| v.eq_ignore_ascii_case(b"websocket"))
        {
            return Err(HandshakeError::Upgrade);
        }
        if !headers.has_element("Connection", "Upgrade") {
            return Err(HandshakeError::Connection);
        }
        if headers.only("Sec-WebSocket-Accept") != Some(&accept_key(&encode_key(key))) {
            return Err(HandshakeError::Accept);
        }
        Ok(Some(Response {
            consumed_bytes,
            subprotocol: self.subprotocol(&headers)?,
            extensions: self.extensions(&headers)?,
        }))
    }

    fn subprotocol(&self, headers: &Headers<'_>) -> Result<Option<String>, HandshakeError> {
        let Some(first) = headers.values(SUBPROTOCOL).next() else {
            return Ok(None);
        };
        let subprotocol = String::from_utf8_lossy(first).into_owned();
        let is_only = headers.only(SUBPROTOCOL).is_some();
        if is_only
            && self
                .requested(SUBPROTOCOL)
                .any(|requested| requested == first)
        {
            Ok(Some(subprotocol))
        } else {
            Err(HandshakeError::Subprotocol(subprotocol))
        }
    }

    fn extensions(&self, headers: &Headers<'_>) -> Result<Vec<String>, HandshakeError> {
        for granted in headers.elements(EXTENSIONS) {
            let is_granted = |requested| extension_name(requested) == extension_name(granted);
            if !self.requested(EXTENSIONS).any(is_granted) {
                let extension = String::from_utf8_lossy(granted).into_owned();
                return Err(HandshakeError::Extension(extension));
            }
        }
        Ok(headers.element_strings(EXTENSIONS))
    }

    /// The elements of a list in the header fields of the request.
    fn requested(&self, list: &str) -> impl Iterator<Item = &'a [u8]> {
        self.headers
            .iter()
            .filter(move |(name, _)| name.eq_ignore_ascii_case(list))
            .flat_map(|(_, value)| elements(value.as_bytes()))
    }
}

fn encode_key(key: [u8; 16]) -> [u8; 24] {
    let mut encoded = [0; 24];
    STANDARD
        .encode_slice(key, &mut encoded)
        .expect("16 bytes become 24 characters");
    encoded
}

/// The name of an extension, without its parameters.
fn extension_name(extension: &[u8]) -> &[u8] {
    extension
        .split(|&byte| byte == b';')
        .next()
        .unwrap_or_default()
        .trim_ascii()
}

/// An invalid response: an error of the server, not of this endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HandshakeError {
    #[error("response cannot be read: {0}")]
    Head(#[from] HeadError),
    /// The status is not 101.
    #[error("server answered {code} {reason}")]
    Status {
        code: u16,
        reason: String,
        /// Length of the head in bytes; the body may follow it.
        consumed_bytes: usize,
    },
    /// `Upgrade` is missing, repeated, or not `websocket`.
    #[error("response without 'Upgrade: websocket'")]
    Upgrade,
    /// `Connection` is missing or does not contain `Upgrade`.
    #[error("response without 'Connection: Upgrade'")]
    Connection,
    /// `Sec-WebSocket-Accept` is missing, repeated, or does not match the key.
    #[error("response without the right 'Sec-WebSocket-Accept'")]
    Accept,
    #[error("extension {0:?} was not asked for")]
    Extension(String),
    /// A subprotocol that was not requested, or more than one.
    #[error("subprotocol {0:?} was not asked for")]
    Subprotocol(String),
}
