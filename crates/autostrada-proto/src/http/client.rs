//! Client side of HTTP/1.1, request encoder and response decoder: RFC 9112, sections 3 and 4.

use super::body::BodyDecoder;
use super::{Headers, HttpError, InvalidRequest, MAX_HEADERS, bounded, head_bytes};
use super::{check_headers, check_host, check_path};
use crate::decoded::Decoded;

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
    /// Returns an error if `host` or a field is not well formed, or the encoder writes it itself.
    pub fn new(host: &'a str, headers: &'a [(&'a str, &'a str)]) -> Result<Self, InvalidRequest> {
        check_host(host)?;
        check_headers(headers, &OWN_HEADERS)?;
        Ok(Self { host, headers })
    }

    /// Appends a GET request to `out`.
    /// Returns an error if the path is not well formed. It may contain a session ID chosen by the
    /// server.
    pub fn encode_get(&self, path: &str, out: &mut Vec<u8>) -> Result<(), InvalidRequest> {
        check_path(path)?;
        self.push_head("GET", path, out);
        out.extend_from_slice(b"\r\n");
        Ok(())
    }

    /// Appends a POST request with a `text/plain` body to `out`.
    /// Returns an error if the path is not well formed. It may contain a session ID chosen by the
    /// server.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Response<'a> {
    pub status: u16,
    /// Whether the connection can be used for another request.
    pub keeps_alive: bool,
    pub body: &'a [u8],
}

/// The result of decoding bytes from a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// Part of a response was consumed; the response is not complete.
    Part,
    /// The response is complete.
    Response(Response<'a>),
}

/// Decodes the responses on one connection.
#[derive(Debug)]
pub struct ResponseDecoder {
    body: BodyDecoder,
    /// Status and keep-alive of the response whose body is being received.
    head: Option<(u16, bool)>,
}

impl ResponseDecoder {
    /// Creates a decoder that accepts bodies of at most `max_body_bytes`.
    pub fn new(max_body_bytes: usize) -> Self {
        Self {
            body: BodyDecoder::new(max_body_bytes),
            head: None,
        }
    }

    /// Decodes the next part of a response at the front of `input`.
    /// Returns an error if the response is not valid HTTP, uses a feature that is not supported
    /// (see the [module documentation](super)), or is longer than the limit.
    pub fn decode<'a>(&'a mut self, input: &'a [u8]) -> Result<Decoded<Event<'a>>, HttpError> {
        let Some((status, keeps_alive)) = self.head else {
            return self.decode_head(input);
        };
        Ok(match self.body.decode(input)? {
            Decoded::Incomplete { needed_bytes } => Decoded::Incomplete { needed_bytes },
            Decoded::Event {
                consumed_bytes,
                event: None,
            } => Decoded::Event {
                consumed_bytes,
                event: Event::Part,
            },
            Decoded::Event {
                consumed_bytes,
                event: Some(body),
            } => {
                self.head = None;
                let response = Response {
                    status,
                    keeps_alive,
                    body,
                };
                Decoded::Event {
                    consumed_bytes,
                    event: Event::Response(response),
                }
            }
        })
    }

    fn decode_head(&mut self, input: &[u8]) -> Result<Decoded<Event<'static>>, HttpError> {
        let mut fields = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut head = httparse::Response::new(&mut fields);
        let parsed = head.parse(bounded(input));
        let Some(consumed_bytes) = head_bytes(parsed, head.version, input)? else {
            return Ok(Decoded::Incomplete {
                needed_bytes: input.len() + 1,
            });
        };
        let status = head.code.expect("a whole head has a status code");
        let headers = Headers(head.headers);
        let keeps_alive = !headers.has_element("Connection", "close");
        let empty = Event::Response(Response {
            status,
            keeps_alive,
            body: &[],
        });
        let event = match status {
            // An interim response precedes the final one.
            100..=199 => Event::Part,
            204 | 304 => empty,
            _ if !self.body.begin(&headers)? => return Err(HttpError::NoLength),
            _ if self.body.is_empty() => empty,
            _ => {
                self.head = Some((status, keeps_alive));
                Event::Part
            }
        };
        Ok(Decoded::Event {
            consumed_bytes,
            event,
        })
    }
}
