//! What can be wrong with an offer or an answer: RFC 7692, sections 5 and 7.1.

use std::error::Error;
use std::fmt;

use super::NAME;

/// What is wrong with an offer or an answer: the fault of who wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NegotiationError {
    UnknownParameter(String),
    RepeatedParameter(String),
    /// A value where none belongs, none where one belongs, or one out of range.
    InvalidParameter(String),
    /// The answer names a parameter that the offer did not allow.
    NotOffered(&'static str),
    /// The answer does not grant a parameter that the offer demanded.
    NotGranted(&'static str),
    /// The extension was granted more than once.
    GrantedTwice,
    /// A window of 8 bits, which compression cannot keep to.
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
                write!(f, "{NAME} parameter {name:?} was granted, but not offered")
            }
            Self::NotGranted(name) => {
                write!(f, "{NAME} parameter {name:?} was demanded, but not granted")
            }
            Self::GrantedTwice => write!(f, "{NAME} was granted more than once"),
            Self::WindowTooSmall => {
                write!(f, "{NAME} with a window of 8 bits, compression needs 9")
            }
        }
    }
}

impl Error for NegotiationError {}
