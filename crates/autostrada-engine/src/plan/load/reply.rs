//! What answers a message.

use regex::bytes::Regex;
use schemars::JsonSchema;
use serde::Deserialize;

use super::json_path::JsonPath;
use super::payload::PayloadPlan;
use crate::plan::PlanError;

/// What answers a message.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(rename = "Reply")]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ReplyPlan {
    /// The next message, which must equal the sent one, or have its stamp.
    #[default]
    Same,
    /// The next message, whatever its content.
    Next,
    /// Nothing: messages are sent by the schedule and not answered.
    None,
    /// A JSON message with the same value at a path as the sent one.
    Json {
        /// Where the value is: `$.id`, `$.params.seq` or `$[1]`.
        path: String,
    },
    /// A message that begins with the same bytes as the sent one.
    Prefix {
        /// Number of these bytes.
        #[schemars(range(min = 1))]
        bytes: usize,
    },
    /// A message in which a regular expression finds the same text as in the sent one: that of its
    /// first group, or else of the whole match.
    Regex {
        /// The expression, in the syntax of the crate `regex`.
        pattern: String,
    },
    /// Nothing: messages are sent by the schedule, and each received one that has an instant at a path
    /// is timed from then until it was received. The instant is in nanoseconds since 1970, as
    /// `{{now_ns}}` in a message of this or of another connection.
    Time {
        /// Where the instant is: `$.t` or `$.sent.at`.
        path: String,
        /// Number of connections that each message is for. Default: all of this engine's, or all but
        /// the sender, if a message reaches so many.
        receivers: Option<u64>,
    },
    /// Several messages: all up to the one in which a regular expression matches. Messages are
    /// answered in order.
    Until {
        /// The expression, in the syntax of the crate `regex`.
        pattern: String,
    },
}

/// Finds the identifier of a message.
#[derive(Debug, Clone)]
pub enum Identifier {
    /// The value at a path of a JSON message.
    Json(JsonPath),
    /// The first bytes.
    Prefix(usize),
    /// The text that an expression finds.
    Regex(Regex),
}

impl ReplyPlan {
    /// Checks the constraints that the types do not express.
    pub fn check(&self, payload: &PayloadPlan, is_closed_loop: bool) -> Result<(), PlanError> {
        if !matches!(self, Self::Same) && payload.stamped {
            return Err(PlanError::new(
                "reply: a stamp identifies a message already: leave out reply",
            ));
        }
        if matches!(self, Self::Same) && payload.template {
            return Err(PlanError::new(
                "reply: a template is not compared with its answer: set reply to next, json, prefix \
                 or regex",
            ));
        }
        if !self.is_awaited() && is_closed_loop {
            return Err(PlanError::new(
                "reply none and time need a schedule: a closed loop waits for answers",
            ));
        }
        self.instant()?;
        self.until()?;
        self.identifier().map(drop)
    }

    /// Whether messages are answered.
    pub fn is_awaited(&self) -> bool {
        !matches!(self, Self::None | Self::Time { .. })
    }

    /// Returns where a received message has its instant; `None` if messages are not timed by it.
    pub fn instant(&self) -> Result<Option<JsonPath>, PlanError> {
        match self {
            Self::Time { path, .. } => path.parse().map(Some),
            _ => Ok(None),
        }
    }

    /// Returns what finds the identifier of a message and of its answer; `None` if messages are
    /// answered in order, or not at all.
    /// Returns an error if the path or the expression is invalid, or no byte is compared.
    pub fn identifier(&self) -> Result<Option<Identifier>, PlanError> {
        Ok(Some(match self {
            Self::Same | Self::Next | Self::None | Self::Time { .. } | Self::Until { .. } => {
                return Ok(None);
            }
            Self::Json { path } => Identifier::Json(path.parse()?),
            Self::Prefix { bytes: 0 } => {
                return Err(PlanError::new("reply: a prefix has at least 1 byte"));
            }
            Self::Prefix { bytes } => Identifier::Prefix(*bytes),
            Self::Regex { pattern } => Identifier::Regex(expression(pattern)?),
        }))
    }

    /// Returns the expression that the last message of an answer matches; `None` if an answer is one
    /// message.
    pub fn until(&self) -> Result<Option<Regex>, PlanError> {
        match self {
            Self::Until { pattern } => expression(pattern).map(Some),
            _ => Ok(None),
        }
    }
}

impl Identifier {
    /// Returns the identifier of a message, or `None` if it has none.
    #[inline]
    pub fn find<'m>(&self, message: &'m [u8]) -> Option<&'m [u8]> {
        match self {
            Self::Json(path) => path.find(message),
            Self::Prefix(bytes) => message.get(..*bytes),
            Self::Regex(regex) => {
                let captures = regex.captures(message)?;
                let found = captures.get(1).or_else(|| captures.get(0))?;
                Some(found.as_bytes())
            }
        }
    }
}

fn expression(pattern: &str) -> Result<Regex, PlanError> {
    Regex::new(pattern).map_err(|error| {
        let error = error.to_string();
        let last = error.lines().last().unwrap_or_default();
        PlanError::new(format!(
            "reply: {pattern:?} is not a regular expression: {last}"
        ))
    })
}

#[cfg(test)]
#[path = "tests/reply.rs"]
mod tests;
