//! Opening handshake of a client: RFC 6455, section 4.1.

use std::error::Error;
use std::fmt;

use base64::engine::{Engine, general_purpose::STANDARD};

use super::{HeadError, MAX_HEADERS, accept_key};
use crate::http::{Headers, bounded, check_headers, check_host, check_path, elements, head_bytes};

pub use crate::http::InvalidRequest;

const EXTENSIONS: &str = "Sec-WebSocket-Extensions";
const SUBPROTOCOL: &str = "Sec-WebSocket-Protocol";

/// The fields that this module writes itself.
const OWN_HEADERS: [&str; 5] = [
    "Host",
    "Upgrade",
    "Connection",
    "Sec-WebSocket-Key",
    "Sec-WebSocket-Version",
];

/// What a client asks for. One value serves any number of connections.
#[derive(Debug, Clone, Copy)]
pub struct ClientHandshake<'a> {
    host: &'a str,
    path: &'a str,
    headers: &'a [(&'a str, &'a str)],
}

/// The upgrade, granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The length of the head; frames follow it.
    pub consumed_bytes: usize,
    /// The subprotocol in use, one of those asked for.
    pub subprotocol: Option<String>,
    /// The extensions in use with their parameters, of those asked for.
    pub extensions: Vec<String>,
}

impl<'a> ClientHandshake<'a> {
    /// Puts a request together: the value of `Host`, the path with its query, further fields.
    ///
    /// Extensions and subprotocols are asked for by their fields in `headers`.
    ///
    /// # Errors
    ///
    /// When the parts do not make a well-formed request.
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

    /// Appends the request to `out`. The key must be random, and new for each connection.
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

    /// Checks the response at the front of `input` to the request with this key.
    ///
    /// `None` means that `input` ends inside the head.
    ///
    /// # Errors
    ///
    /// When the server refuses, or grants something else than what was asked for.
    pub fn decode_response(
        &self,
        key: [u8; 16],
        input: &[u8],
    ) -> Result<Option<Response>, HandshakeError> {
        let mut fields = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut head = httparse::Response::new(&mut fields);
        let parsed = head.parse(bounded(input));
        let Some(consumed_bytes) = head_bytes(parsed, head.version, input)? else {
            return Ok(None);
        };
        match head.code {
            Some(101) => {}
            code => {
                return Err(HandshakeError::Status {
                    code: code.expect("a whole head has a status code"),
                    reason: head.reason.unwrap_or_default().to_owned(),
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
        if is_only && self.asked(SUBPROTOCOL).any(|asked| asked == first) {
            Ok(Some(subprotocol))
        } else {
            Err(HandshakeError::Subprotocol(subprotocol))
        }
    }

    fn extensions(&self, headers: &Headers<'_>) -> Result<Vec<String>, HandshakeError> {
        for granted in headers.elements(EXTENSIONS) {
            let is_granted = |asked| extension_name(asked) == extension_name(granted);
            if !self.asked(EXTENSIONS).any(is_granted) {
                let extension = String::from_utf8_lossy(granted).into_owned();
                return Err(HandshakeError::Extension(extension));
            }
        }
        Ok(headers.element_strings(EXTENSIONS))
    }

    /// The elements of a list that stands among the further fields of the request.
    fn asked(&self, list: &str) -> impl Iterator<Item = &'a [u8]> {
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

/// Why a connection to a server did not open: the server's fault.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum HandshakeError {
    Head(HeadError),
    /// The server answered with another status than 101.
    Status {
        code: u16,
        reason: String,
    },
    /// `Upgrade` is missing or not `websocket`.
    Upgrade,
    /// `Connection` is missing or does not hold `Upgrade`.
    Connection,
    /// `Sec-WebSocket-Accept` is missing or does not belong to the key.
    Accept,
    /// An extension that was not asked for.
    Extension(String),
    /// A subprotocol that was not asked for, or more than one.
    Subprotocol(String),
}

impl From<HeadError> for HandshakeError {
    fn from(cause: HeadError) -> Self {
        Self::Head(cause)
    }
}

impl fmt::Display for HandshakeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Head(_) => f.write_str("response cannot be read"),
            Self::Status { code, reason } => write!(f, "server answered {code} {reason}"),
            Self::Upgrade => f.write_str("response without 'Upgrade: websocket'"),
            Self::Connection => f.write_str("response without 'Connection: Upgrade'"),
            Self::Accept => f.write_str("response without the right 'Sec-WebSocket-Accept'"),
            Self::Extension(name) => write!(f, "extension {name:?} was not asked for"),
            Self::Subprotocol(name) => write!(f, "subprotocol {name:?} was not asked for"),
        }
    }
}

impl Error for HandshakeError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Head(cause) => Some(cause),
            _ => None,
        }
    }
}
