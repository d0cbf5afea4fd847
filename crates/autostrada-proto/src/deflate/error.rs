//! Errors of the negotiation: RFC 7692, sections 5 and 7.1.

use thiserror::Error;

/// An invalid offer or answer: an error of the endpoint that sent it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NegotiationError {
    #[error("permessage-deflate has no parameter {0:?}")]
    UnknownParameter(String),
    #[error("permessage-deflate parameter {0:?} is repeated")]
    RepeatedParameter(String),
    /// The value is missing, out of range, or given for a parameter without a value.
    #[error("permessage-deflate parameter {0:?} has no valid value")]
    InvalidParameter(String),
    #[error("permessage-deflate parameter {0:?} was granted but not offered")]
    NotOffered(&'static str),
    #[error("permessage-deflate parameter {0:?} was demanded but not granted")]
    NotGranted(&'static str),
    #[error("permessage-deflate was granted more than once")]
    RepeatedExtension,
    /// The compressor does not support it.
    #[error("permessage-deflate with a window of 8 bits, at least 9 are needed")]
    WindowTooSmall,
}
