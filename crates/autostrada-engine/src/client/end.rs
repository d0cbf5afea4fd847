//! The reason why a connection ended.

use std::io;

use autostrada_measure::{FailureKind, RecordError};

/// The reason why a connection ended, regular or not.
#[derive(Debug)]
pub enum End {
    /// The closing handshake that this side started is complete.
    Done,
    /// The peer closed the connection with this close code, and for this reason, which may be empty.
    Closed(u16, String),
    /// The peer ended the connection in a protocol that has no close codes.
    Ended(&'static str),
    /// The connection failed: the kind of failure, and a description.
    Failed(FailureKind, String),
    /// The server has answered the opening request with 429 or 503, as described: it takes no more
    /// connections.
    Full(String),
    /// A duration exceeded the range of its histogram.
    Unrecorded(RecordError),
}

impl End {
    /// Returns a failure that the operating system reported.
    pub fn failed(kind: FailureKind, error: &io::Error) -> Self {
        Self::Failed(kind, error.to_string())
    }

    /// Returns a failure of kind `protocol`, described by the error and its cause.
    pub fn violation(error: &dyn std::error::Error) -> Self {
        let text = match error.source() {
            Some(cause) => format!("{error}: {cause}"),
            None => error.to_string(),
        };
        Self::Failed(FailureKind::Protocol, text)
    }
}

/// The loop that receives messages returns an end in a box, so that a result of it is small.
impl From<Box<End>> for End {
    fn from(end: Box<End>) -> Self {
        *end
    }
}

impl From<RecordError> for End {
    fn from(error: RecordError) -> Self {
        Self::Unrecorded(error)
    }
}
