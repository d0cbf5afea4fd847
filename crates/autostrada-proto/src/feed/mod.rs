//! The messages of a feed, and what stands at their front: `docs/format.md`, "serve --plan".
//!
//! A sender makes them with [`FeedEncoder`]; a receiver reads each one's
//! [`Heading`] with [`read_heading`], which looks at no more than it must.

use std::error::Error;
use std::fmt;

mod encoder;
mod heading;
mod stock;

pub use encoder::FeedEncoder;
pub use heading::{Heading, read_heading};
pub use stock::{Stock, stocks_of_message};

/// What the messages of a feed are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedKind {
    /// Always the same greeting.
    Hello,
    /// The number of the message.
    Sequence,
    /// An instant in nanoseconds.
    Clock,
    /// Number, instant, and records of prices.
    Stocks,
}

/// How the messages of a feed are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedEncoding {
    /// JSON, in text messages.
    Json,
    /// Numbers of a fixed length, big-endian, in binary messages.
    Binary,
}

/// The message of [`FeedKind::Hello`], in either encoding.
const GREETING: &[u8] = b"hello world";

/// How many bytes an integer or a price takes in the binary encoding.
const WORD_BYTES: usize = 8;

/// Why a message is not one of its feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FeedError {
    /// Not the greeting.
    Greeting,
    /// Not a number as it must be written: digits without a sign and without leading zeros.
    Number,
    /// A binary message of another length than its kind or its number of records says.
    Length,
    /// A JSON message that does not begin with number and instant.
    Heading,
    /// A JSON message whose records do not begin or end as they must.
    Records,
}

impl fmt::Display for FeedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Greeting => "message that is not the greeting of the feed",
            Self::Number => "message that is not a number of the feed",
            Self::Length => "message of another length than the feed's",
            Self::Heading => "message without the number and the instant of the feed",
            Self::Records => "message whose records are not those of the feed",
        })
    }
}

impl Error for FeedError {}
