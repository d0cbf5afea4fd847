//! Client side of HTTP/1.1, request encoder and response decoder: RFC 9112, sections 3 and 4.

use super::body::{BodyDecoder, BodyPart};
use super::{Headers, HttpError, InvalidRequest, MAX_HEADERS, head_bytes, limit_head};
use super::{check_headers, check_host, check_path};

/// Fields that the encoder writes itself, or that would change the framing of its requests.
const OWN_HEADERS: [&str; 5] = [
    "Host",
    "Connection",
    "Content-Length",
    "Content-Type",
    "Transfer-Encoding",
];

/// Encodes the requests of a client. One value can be used for any number of connections.
#[derive(Debug, Clone, Copy)]
pub struct RequestEncoder<'a> {
    host: &'a str,
    headers: &'a [(&'a str, &'a str)],
}

impl<'a> RequestEncoder<'a> {
    /// Creates an encoder from the value of `Host` and additional header fields.
    pub fn new(host: &'a str, headers: &'a [(&'a str, &'a str)]) -> Result<Self, InvalidRequest> {
        check_host(host)?;
        check_headers(headers, &OWN_HEADERS)?;
        Ok(Self { host, headers })
    }

    /// Appends a GET request to `out`. The path may contain a session ID chosen by the server, and is
    /// checked.
    pub fn encode_get(&self, path: &str, out: &mut Vec<u8>) -> Result<(), InvalidRequest> {
        check_path(path)?;
        self.push_head("GET", path, out);
        out.extend_from_slice(b"\r\n");
        Ok(())
    }

    /// Appends a POST request with a `text/plain` body to `out`.
    pub fn encode_post(
        &self,
        path: &str,
        body: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), InvalidRequest> {
        check_path(path)?;
        self.push_head("POST", path, out);
        let fields = format!(
            "Content-Type: text/plain;charset=UTF-8\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        out.extend_from_slice(fields.as_bytes());
        out.extend_from_slice(body);
        Ok(())
    }

    fn push_head(&self, method: &str, path: &str, out: &mut Vec<u8>) {
        for part in [method, " ", path, " HTTP/1.1\r\nHost: ", self.host, "\r\n"] {
            out.extend_from_slice(part.as_bytes());
        }
        for (name, value) in self.headers {
            for part in [name, ": ", value, "\r\n"] {
                out.extend_from_slice(part.as_bytes());
            }
        }
    }
}

/// A complete response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    pub status: u16,
    pub body: Vec<u8>,
}

/// Decodes the responses on one connection.
#[derive(Debug)]
pub struct ResponseDecoder {
    body: BodyDecoder,
    /// Status of the response whose body is being received.
    status: Option<u16>,
    /// Received bytes that were not decoded.
    received: Vec<u8>,
}

impl ResponseDecoder {
    /// Creates a decoder that accepts bodies of at most `max_body_bytes`.
    pub fn new(max_body_bytes: usize) -> Self {
        Self {
            body: BodyDecoder::new(max_body_bytes),
            status: None,
            received: Vec::new(),
        }
    }

    /// Appends received bytes.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.received.extend_from_slice(bytes);
    }

    /// Whether all received bytes were decoded.
    pub fn is_empty(&self) -> bool {
        self.received.is_empty()
    }

    /// Decodes the next response; returns `None` if it is not complete.
    /// Returns an error if the response is not valid HTTP, uses a feature that is not supported
    /// (see the [module documentation](super)), or is longer than the limit.
    pub fn decode(&mut self) -> Result<Option<Response>, HttpError> {
        let mut at = 0;
        let response = loop {
            let part = match self.status {
                None => self.decode_head(at)?,
                Some(_) => self.body.decode(&self.received[at..])?,
            };
            let Some(part) = part else {
                break None;
            };
            at += part.consumed_bytes;
            if let Some(body) = part.body {
                let status = self.status.take().expect("a head precedes each body");
                break Some(Response { status, body });
            }
        };
        self.received.drain(..at);
        Ok(response)
    }

    /// Decodes the head of a response, with the body if that is empty.
    fn decode_head(&mut self, at: usize) -> Result<Option<BodyPart>, HttpError> {
        let input = &self.received[at..];
        let mut fields = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut head = httparse::Response::new(&mut fields);
        let parsed = head.parse(limit_head(input));
        let Some(consumed_bytes) = head_bytes(parsed, head.version, input)? else {
            return Ok(None);
        };
        let status = head.code.expect("a whole head has a status code");
        // An interim response precedes the final one.
        self.status = (!(100..200).contains(&status)).then_some(status);
        let has_body = match status {
            100..=199 | 204 | 304 => false,
            _ if !self.body.begin(&Headers(head.headers))? => return Err(HttpError::NoLength),
            _ => !self.body.is_empty(),
        };
        Ok(Some(BodyPart {
            consumed_bytes,
            body: (self.status.is_some() && !has_body).then(Vec::new),
        }))
    }
}
