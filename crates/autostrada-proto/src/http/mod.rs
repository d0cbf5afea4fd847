//! As much of HTTP/1.1 as a client of Engine.IO needs for long-polling: RFC 9110 and RFC 9112.
//!
//! Requests are GET and POST, bodies have a length or are chunked, and
//! connections are kept unless a side says `close`. Bodies that end with the
//! connection, HTTP/1.0, and encoded bodies are refused: nobody asks for them.

use std::error::Error;
use std::fmt;

mod body;
pub mod client;
mod field;
mod head;

pub use field::InvalidRequest;
pub(crate) use field::{check_headers, check_host, check_path};
pub use head::{HeadError, MAX_HEAD_BYTES, MAX_HEADERS};
pub(crate) use head::{Headers, bounded, elements, head_bytes, path_of};

/// What the other endpoint did wrong. The connection cannot go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HttpError {
    Head(HeadError),
    /// A body whose length is neither announced nor told by chunks.
    NoLength,
    /// A length that is no number, repeated, or beside chunks; a coding other than chunks.
    InvalidLength,
    /// A body that is compressed, which nobody asked for.
    ContentEncoding,
    /// A chunk that does not begin with its size or does not end where it says.
    InvalidChunk,
    /// A body is longer than the bound of its decoder.
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
            Self::Head(_) => "head cannot be read",
            Self::NoLength => "body without 'Content-Length' and without chunks",
            Self::InvalidLength => "body of unknown length",
            Self::ContentEncoding => "body in a content encoding",
            Self::InvalidChunk => "chunk that does not begin or end as it must",
            Self::BodyTooLong => "body longer than the bound of this endpoint",
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
