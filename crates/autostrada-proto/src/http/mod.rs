//! The subset of HTTP/1.1 that an Engine.IO client needs for long-polling, and tunnels through a
//! proxy: RFC 9110 and RFC 9112.
//!
//! Requests are GET and POST, bodies have a length or are chunked, and connections
//! are persistent until a side ends them. HTTP/1.0, bodies delimited by the end of
//! the connection, and content encodings are errors: the client does not request
//! them.

use thiserror::Error;

mod body;
pub mod client;
mod field;
mod head;
pub mod tunnel;

pub use field::InvalidRequest;
pub(crate) use field::{check_headers, check_host, check_path};
pub use head::{HeadError, MAX_HEAD_BYTES, MAX_HEADERS};
pub(crate) use head::{Headers, elements, head_bytes, limit_head, path_of};

/// A violation of the protocol by the other endpoint. The connection cannot be used further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HttpError {
    #[error("response head is invalid")]
    Head(#[from] HeadError),
    #[error("response without 'Content-Length' or 'Transfer-Encoding: chunked'")]
    NoLength,
    /// `Content-Length` is not a number, repeated, or combined with `Transfer-Encoding`; or the
    /// transfer coding is not `chunked`.
    #[error("invalid 'Content-Length' or 'Transfer-Encoding'")]
    InvalidLength,
    /// The client did not request one.
    #[error("body with a content encoding")]
    ContentEncoding,
    /// A chunk has no valid size line, or its data is not followed by a line end.
    #[error("malformed chunk")]
    InvalidChunk,
    #[error("body longer than the limit of this endpoint")]
    BodyTooLong,
}
