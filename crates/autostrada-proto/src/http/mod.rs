//! The subset of HTTP/1.1 that an Engine.IO client needs for long-polling, and tunnels through a
//! proxy: RFC 9110 and RFC 9112.
//!
//! Requests are GET and POST, bodies have a length or are chunked, and connections
//! are persistent until a side ends them. HTTP/1.0, bodies delimited by the end of
//! the connection, and content encodings are errors: the client does not request
//! them.

use std::error::Error;
use std::fmt;

mod body;
pub mod client;
mod field;
mod head;
pub mod tunnel;

pub use field::InvalidRequest;
pub(crate) use field::{check_headers, check_host, check_path};
pub use head::{HeadError, MAX_HEAD_BYTES, MAX_HEADERS};
pub(crate) use head::{Headers, bounded, elements, head_bytes, path_of};

/// A violation of the protocol by the other endpoint. The connection cannot be used further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HttpError {
    Head(HeadError),
    /// The response has neither `Content-Length` nor `Transfer-Encoding`.
    NoLength,
    /// `Content-Length` is not a number, repeated, or combined with `Transfer-Encoding`; or the
    /// transfer coding is not `chunked`.
    InvalidLength,
    /// The body has a content encoding, which the client did not request.
    ContentEncoding,
    /// A chunk has no valid size line, or its data is not followed by a line end.
    InvalidChunk,
    /// The body is longer than the limit of the decoder.
    BodyTooLong,
}

impl From<HeadError> for HttpError {
    fn from(cause: HeadError) -> Self {
        Self::Head(cause)
    }
}

impl fmt::Display for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Head(_) => "response head is invalid",
            Self::NoLength => "response without 'Content-Length' or 'Transfer-Encoding: chunked'",
            Self::InvalidLength => "invalid 'Content-Length' or 'Transfer-Encoding'",
            Self::ContentEncoding => "body with a content encoding",
            Self::InvalidChunk => "malformed chunk",
            Self::BodyTooLong => "body longer than the limit of this endpoint",
        })
    }
}

impl Error for HttpError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Head(cause) => Some(cause),
            _ => None,
        }
    }
}
