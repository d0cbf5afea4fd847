//! How a connection ends.

use std::io;

use autostrada_measure::{FailureKind, RecordError};

/// How a connection went wrong, or that it is over.
#[derive(Debug)]
pub enum End {
    /// Both sides have closed, or the peer has after we did.
    Done,
    /// The peer has closed it with this code.
    Closed(u16),
    /// The peer has ended it as a protocol without codes does.
    Ended(&'static str),
    /// It failed.
    Failed(FailureKind, String),
    /// Something took longer than can be recorded.
    Unrecorded(RecordError),
}

impl End {
    /// It failed in the operating system.
    pub fn failed(kind: FailureKind, error: &io::Error) -> Self {
        Self::Failed(kind, error.to_string())
    }

    /// The peer broke the protocol.
    pub fn violation(error: &dyn std::error::Error) -> Self {
        let text = match error.source() {
            Some(cause) => format!("{error}: {cause}"),
            None => error.to_string(),
        };
        Self::Failed(FailureKind::Protocol, text)
    }
}

impl From<RecordError> for End {
    fn from(error: RecordError) -> Self {
        Self::Unrecorded(error)
    }
}
