//! The plan of the feed of `serve`.

use autostrada_measure::{Nanos, integer};
use autostrada_proto::feed::{FeedEncoder, FeedEncoding, FeedKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plan::PlanError;

/// Maximum number of records in a message: about 100 MB of JSON.
const STOCKS_MAX: usize = 1_000_000;

/// Maximum interval and duration: a year.
const SECONDS_MAX: f64 = 366.0 * 86_400.0;

/// The content of the messages of a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum FeedKindName {
    /// The text `hello world`.
    Hello,
    /// The number of the message, from 0.
    Sequence,
    /// The instant at which the message was due (in a feed without an interval: was created), in
    /// nanoseconds.
    Clock,
    /// Number, instant, and records of open, high, low, close and volume.
    Stocks,
}

impl From<FeedKindName> for FeedKind {
    fn from(name: FeedKindName) -> Self {
        match name {
            FeedKindName::Hello => Self::Hello,
            FeedKindName::Sequence => Self::Sequence,
            FeedKindName::Clock => Self::Clock,
            FeedKindName::Stocks => Self::Stocks,
        }
    }
}

/// The encoding of the messages of a feed.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum FeedEncodingName {
    /// A text message that contains JSON.
    #[default]
    Json,
    /// A binary message that contains big-endian numbers.
    Binary,
}

impl From<FeedEncodingName> for FeedEncoding {
    fn from(name: FeedEncodingName) -> Self {
        match name {
            FeedEncodingName::Json => Self::Json,
            FeedEncodingName::Binary => Self::Binary,
        }
    }
}

/// The feed of `/feed`: each message is sent to all subscribers. Exactly one of `seconds` and
/// `messages` is required.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FeedPlan {
    /// Content of the messages.
    pub kind: FeedKindName,
    /// Encoding of the messages.
    #[serde(default)]
    pub encoding: FeedEncodingName,
    /// Number of records in each message; values other than 1 require `kind` `stocks`.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = STOCKS_MAX))]
    pub stocks: usize,
    /// Number of subscribers to wait for before the first message.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub subscribers: usize,
    /// Interval between messages, in milliseconds. Default: messages are sent as fast as all
    /// subscribers accept them, which requires `threads` 1.
    #[schemars(extend("exclusiveMinimum" = 0), range(max = SECONDS_MAX * 1e3))]
    pub every_ms: Option<f64>,
    /// Duration of the feed, in seconds. Cannot be combined with `messages`.
    #[schemars(extend("exclusiveMinimum" = 0), range(max = SECONDS_MAX))]
    pub seconds: Option<f64>,
    /// Number of messages of the feed. Cannot be combined with `seconds`.
    #[schemars(range(min = 1))]
    pub messages: Option<u64>,
}

fn one() -> usize {
    1
}

impl FeedPlan {
    /// Returns the content and the encoding of the messages.
    pub fn encoder(&self) -> FeedEncoder {
        FeedEncoder {
            kind: self.kind.into(),
            encoding: self.encoding.into(),
        }
    }

    /// Returns the interval of the messages, or `None` if the feed is as fast as its subscribers.
    pub fn interval_ns(&self) -> Option<Nanos> {
        self.every_ms.map(|every_ms| nanos(every_ms / 1e3).max(1))
    }

    /// Returns the duration of the feed, or `None` if it ends by messages.
    pub fn duration_ns(&self) -> Option<Nanos> {
        self.seconds.map(nanos)
    }

    /// Checks the constraints that the types do not express.
    pub(super) fn check(&self, threads: usize) -> Result<(), PlanError> {
        let refuse = |text: &str| Err(PlanError::new(format!("feed.{text}")));
        if self.subscribers == 0 {
            return refuse("subscribers must be at least 1");
        }
        if !(1..=STOCKS_MAX).contains(&self.stocks) {
            return refuse("stocks must be from 1 to 1000000");
        }
        if self.stocks != 1 && self.kind != FeedKindName::Stocks {
            return refuse("stocks needs feed.kind \"stocks\": remove it, or change the kind");
        }
        let is_time = |seconds: f64| seconds > 0.0 && seconds <= SECONDS_MAX;
        if self
            .every_ms
            .is_some_and(|every_ms| !is_time(every_ms / 1e3))
        {
            return refuse("every_ms must be above 0, and at most a year");
        }
        match (self.seconds, self.messages) {
            (Some(seconds), None) if is_time(seconds) => {}
            (None, Some(1..)) => {}
            (Some(_), None) => return refuse("seconds must be above 0, and at most a year"),
            (None, Some(0)) => return refuse("messages must be at least 1"),
            _ => return refuse("seconds or feed.messages: set exactly one of them"),
        }
        if self.every_ms.is_none() && threads > 1 {
            return refuse(
                "every_ms is missing: a feed as fast as its subscribers needs one thread; set \
                 an interval, or threads to 1",
            );
        }
        Ok(())
    }
}

fn nanos(seconds: f64) -> Nanos {
    integer((seconds * 1e9).round())
}

#[cfg(test)]
#[path = "tests/feed.rs"]
mod tests;
