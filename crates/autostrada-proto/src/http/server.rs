//! The server's side of HTTP/1.1: requests in, responses out. RFC 9112, sections 3 and 4.

use super::body::BodyDecoder;
use super::{Headers, HttpError, MAX_HEADERS, bounded, head_bytes, path_of};
use crate::decoded::Decoded;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
}

/// A whole request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request<'a> {
    pub method: Method,
    /// The target of the request, with its query.
    pub path: &'a str,
    /// Whether the client may send another request.
    pub keeps_alive: bool,
    pub body: &'a [u8],
}

/// What the bytes of a client mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// Part of a request, taken in.
    Part,
    Request(Request<'a>),
    /// A request for WebSocket, of which nothing is consumed: let
    /// [`handshake::server::Request`](crate::handshake::server::Request) decode it.
    Upgrade,
}

/// Decodes the requests on one connection.
#[derive(Debug)]
pub struct RequestDecoder {
    body: BodyDecoder,
    /// Method and keep-alive of the request whose body is to come.
    head: Option<(Method, bool)>,
    path: String,
}

impl RequestDecoder {
    #[must_use]
    pub fn new(max_body_bytes: usize) -> Self {
        Self {
            body: BodyDecoder::new(max_body_bytes),
            head: None,
            path: String::new(),
        }
    }

    /// Takes what is at the front of `input`.
    ///
    /// # Errors
    ///
    /// When it is no request that can be answered, or one longer than the bound.
    pub fn decode<'a>(&'a mut self, input: &'a [u8]) -> Result<Decoded<Event<'a>>, HttpError> {
        let Some((method, keeps_alive)) = self.head else {
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
                let request = Request {
                    method,
                    path: &self.path,
                    keeps_alive,
                    body,
                };
                Decoded::Event {
                    consumed_bytes,
                    event: Event::Request(request),
                }
            }
        })
    }

    fn decode_head(&mut self, input: &[u8]) -> Result<Decoded<Event<'_>>, HttpError> {
        let mut fields = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut head = httparse::Request::new(&mut fields);
        let parsed = head.parse(bounded(input));
        let Some(consumed_bytes) = head_bytes(parsed, head.version, input)? else {
            return Ok(Decoded::Incomplete {
                needed_bytes: input.len() + 1,
            });
        };
        let headers = Headers(head.headers);
        let method = match head.method {
            Some("GET") if headers.has_element("Upgrade", "websocket") => {
                return Ok(Decoded::Event {
                    consumed_bytes: 0,
                    event: Event::Upgrade,
                });
            }
            Some("GET") => Method::Get,
            Some("POST") => Method::Post,
            _ => return Err(HttpError::Method),
        };
        let has_body = self.body.begin(&headers)?;
        if method == Method::Post && !has_body {
            return Err(HttpError::NoLength);
        }
        let keeps_alive = !headers.has_element("Connection", "close");
        self.path.clear();
        self.path
            .push_str(path_of(head.path.expect("a whole head has a target")));
        let event = if self.body.is_empty() {
            Event::Request(Request {
                method,
                path: &self.path,
                keeps_alive,
                body: &[],
            })
        } else {
            self.head = Some((method, keeps_alive));
            Event::Part
        };
        Ok(Decoded::Event {
            consumed_bytes,
            event,
        })
    }
}

/// A response to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Response<'a> {
    pub status: u16,
    pub content_type: &'a str,
    /// Whether the connection is kept for another request.
    pub keeps_alive: bool,
    pub body: &'a [u8],
}

impl Response<'_> {
    /// Appends this response to `out`.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let head = format!(
            "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}\r\n",
            self.status,
            reason(self.status),
            self.content_type,
            self.body.len(),
            if self.keeps_alive {
                ""
            } else {
                "Connection: close\r\n"
            },
        );
        out.extend_from_slice(head.as_bytes());
        out.extend_from_slice(self.body);
    }
}

/// What a person reads beside the status code; it may be empty.
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        404 => "Not Found",
        405 => "Method Not Allowed",
        411 => "Length Required",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        505 => "HTTP Version Not Supported",
        _ => "",
    }
}
