//! Errors of the negotiation: RFC 7692, sections 5 and 7.1.

use std::error::Error;
use std::fmt;

use super::NAME;

/// An invalid offer or answer: an error of the endpoint that sent it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NegotiationError {
    UnknownParameter(String),
    RepeatedParameter(String),
    /// The value is missing, out of range, or given for a parameter without a value.
    InvalidParameter(String),
    /// The answer contains a parameter that the offer does not allow.
    NotOffered(&'static str),
    /// The answer lacks a parameter that the offer demands.
    NotGranted(&'static str),
    /// The answer grants the extension more than once.
    RepeatedExtension,
    /// A window of 8 bits, which the compressor does not support.
    WindowTooSmall,
}

impl fmt::Display for NegotiationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownParameter(name) => write!(f, "{NAME} has no parameter {name:?}"),
            Self::RepeatedParameter(name) => write!(f, "{NAME} parameter {name:?} is repeated"),
            Self::InvalidParameter(name) => {
                write!(f, "{NAME} parameter {name:?} has no valid value")
            }
            Self::NotOffered(name) => {
                write!(f, "{NAME} parameter {name:?} was granted but not offered")
            }
            Self::NotGranted(name) => {
                write!(f, "{NAME} parameter {name:?} was demanded but not granted")
            }
            Self::RepeatedExtension => write!(f, "{NAME} was granted more than once"),
            Self::WindowTooSmall => {
                write!(f, "{NAME} with a window of 8 bits, at least 9 are needed")
            }
        }
    }
}

impl Error for NegotiationError {}
