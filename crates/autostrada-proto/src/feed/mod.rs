//! Messages of a feed and their headings: `docs/format.md`, "serve --plan".
//!
//! A sender encodes messages with [`FeedEncoder`]. A receiver decodes the
//! [`Heading`] of each message with [`read_heading`], which does not read the
//! records of a message.

use thiserror::Error;

mod encoder;
mod heading;
mod stock;

pub use encoder::FeedEncoder;
pub use heading::{Heading, read_heading};
pub use stock::{Stock, stocks_of_message};

/// Content of the messages of a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedKind {
    /// A constant greeting.
    Hello,
    /// The number of the message.
    Sequence,
    /// The time, in nanoseconds.
    Clock,
    /// Number, time, and records of stock prices.
    Stocks,
}

/// Encoding of the messages of a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedEncoding {
    /// JSON, in text messages.
    Json,
    /// Fixed-length big-endian numbers, in binary messages.
    Binary,
}

/// The message of [`FeedKind::Hello`], in either encoding.
const GREETING: &[u8] = b"hello world";

/// Length of an integer or a price in the binary encoding.
const WORD_BYTES: usize = 8;

/// The reason why a payload is not a message of its feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FeedError {
    #[error("feed message is not the greeting")]
    Greeting,
    /// A number has digits without a sign and without leading zeros, and is below 2^64.
    #[error("feed message is not a number")]
    Number,
    /// The length of a binary message does not match its kind or its number of records.
    #[error("feed message has the wrong length")]
    Length,
    #[error("feed message does not begin with number and time")]
    Heading,
    /// The records of a JSON message do not begin or end correctly.
    #[error("feed message has malformed records")]
    Records,
}
