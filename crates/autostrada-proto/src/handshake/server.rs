//! Server side of the opening handshake: RFC 6455, section 4.2.

use base64::alphabet;
use base64::engine::{Engine, GeneralPurpose, GeneralPurposeConfig};
use thiserror::Error;

use super::{HeadError, MAX_HEADERS, accept_key};
use crate::deflate::DeflateAnswer;
use crate::http::{Headers, head_bytes, limit_head, path_of};

/// Decodes keys. Unused bits of the last character may be set, because some clients
/// draw 22 random characters instead of 16 random bytes.
const KEY_DECODER: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);

/// A valid request for an upgrade.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Length of the head in bytes; frames may follow it.
    pub consumed_bytes: usize,
    /// The path of the request target, with its query.
    pub path: String,
    /// The value of `Sec-WebSocket-Key`.
    pub key: String,
    /// The requested subprotocols, in the client's order of preference.
    pub subprotocols: Vec<String>,
    /// The requested extensions with their parameters.
    pub extensions: Vec<String>,
}

impl Request {
    /// Decodes and validates the request at the front of `input`.
    ///
    /// Returns `None` if `input` ends inside the head.
    /// Returns an error if the request is not a valid opening handshake;
    /// [`Rejection::encode_response`] writes the response to it.
    pub fn decode(input: &[u8]) -> Result<Option<Self>, Rejection> {
        let mut fields = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut head = httparse::Request::new(&mut fields);
        let parsed = head.parse(limit_head(input));
        let Some(consumed_bytes) = head_bytes(parsed, head.version, input)? else {
            return Ok(None);
        };
        if head.method != Some("GET") {
            return Err(Rejection::Method);
        }
        let headers = Headers(head.headers);
        if headers.only("Host").is_none() {
            return Err(Rejection::Host);
        }
        if !headers.has_element("Upgrade", "websocket") {
            return Err(Rejection::Upgrade);
        }
        if !headers.has_element("Connection", "Upgrade") {
            return Err(Rejection::Connection);
        }
        if headers.only("Sec-WebSocket-Version") != Some(b"13") {
            return Err(Rejection::Version);
        }
        let key = headers.only("Sec-WebSocket-Key").ok_or(Rejection::Key)?;
        Ok(Some(Self {
            consumed_bytes,
            path: path_of(head.path.expect("a whole head has a target")).to_owned(),
            key: decode_key(key).ok_or(Rejection::Key)?,
            subprotocols: headers.element_strings("Sec-WebSocket-Protocol"),
            extensions: headers.element_strings("Sec-WebSocket-Extensions"),
        }))
    }

    /// Appends the response to this request to `out`, without extension and subprotocol.
    pub fn encode_response(&self, out: &mut Vec<u8>) {
        self.encode_grant(Grant::default(), out);
    }

    /// Appends the response to this request to `out`, with the extension and subprotocol granted.
    /// Panics if the subprotocol was not requested: the client would fail the connection.
    pub fn encode_grant(&self, grant: Grant<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(
            b"HTTP/1.1 101 Switching Protocols\r\n\
              Upgrade: websocket\r\n\
              Connection: Upgrade\r\n\
              Sec-WebSocket-Accept: ",
        );
        out.extend_from_slice(&accept_key(self.key.as_bytes()));
        if let Some(subprotocol) = grant.subprotocol {
            let is_requested = self
                .subprotocols
                .iter()
                .any(|requested| requested == subprotocol);
            assert!(is_requested, "{subprotocol:?} was not asked for");
            out.extend_from_slice(b"\r\nSec-WebSocket-Protocol: ");
            out.extend_from_slice(subprotocol.as_bytes());
        }
        if let Some(deflate) = grant.deflate {
            let extension = format!("\r\nSec-WebSocket-Extensions: {deflate}");
            out.extend_from_slice(extension.as_bytes());
        }
        out.extend_from_slice(b"\r\n\r\n");
    }
}

/// The subprotocol and the extension that a server grants.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Grant<'a> {
    /// One of the requested subprotocols.
    pub subprotocol: Option<&'a str>,
    /// The result of [`accept_offer`](crate::deflate::accept_offer) for the requested extensions.
    pub deflate: Option<DeflateAnswer>,
}

/// Returns the key as text, or `None` if it is not the base64 encoding of 16 bytes.
fn decode_key(key: &[u8]) -> Option<String> {
    let mut bytes = [0; 18];
    let decoded = KEY_DECODER.decode_slice(key, &mut bytes).ok()?;
    let text = std::str::from_utf8(key).ok()?;
    (decoded == 16).then(|| text.to_owned())
}

/// An invalid request: an error of the client, not of this endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Rejection {
    #[error("request cannot be read")]
    Head(#[from] HeadError),
    #[error("request method is not 'GET'")]
    Method,
    #[error("request without exactly one 'Host'")]
    Host,
    /// `Upgrade` does not contain `websocket`.
    #[error("request without 'Upgrade: websocket'")]
    Upgrade,
    /// `Connection` does not contain `Upgrade`.
    #[error("request without 'Connection: Upgrade'")]
    Connection,
    /// `Sec-WebSocket-Version` is missing, repeated, or not 13.
    #[error("request without 'Sec-WebSocket-Version: 13'")]
    Version,
    /// `Sec-WebSocket-Key` is missing, repeated, or not the base64 encoding of 16 bytes.
    #[error("request without a valid 'Sec-WebSocket-Key'")]
    Key,
}

impl Rejection {
    /// The status code of the response.
    pub fn status(self) -> u16 {
        match self {
            Self::Head(cause) => cause.status(),
            Self::Host | Self::Connection | Self::Key => 400,
            Self::Method => 405,
            Self::Upgrade | Self::Version => 426,
        }
    }

    /// Appends the response to `out`. Close the transport after sending it.
    pub fn encode_response(self, out: &mut Vec<u8>) {
        let status_and_headers = match self.status() {
            405 => "405 Method Not Allowed\r\nAllow: GET\r\nConnection: close",
            426 => {
                "426 Upgrade Required\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                 Connection: Upgrade, close"
            }
            431 => "431 Request Header Fields Too Large\r\nConnection: close",
            505 => "505 HTTP Version Not Supported\r\nConnection: close",
            _ => "400 Bad Request\r\nConnection: close",
        };
        out.extend_from_slice(b"HTTP/1.1 ");
        out.extend_from_slice(status_and_headers.as_bytes());
        out.extend_from_slice(b"\r\nContent-Length: 0\r\n\r\n");
    }
}
