//! Which message a received one answers.

use std::collections::VecDeque;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use autostrada_measure::Nanos;
use regex::bytes::Regex;

use crate::plan::{Identifier, JsonPath, PlanError, ReplyPlan};

/// Maximum age of a message that is timed by its instant: an hour.
const AGE_NS_MAX: Nanos = 3_600_000_000_000;

/// Which message a received one answers.
#[derive(Debug)]
pub enum Matching {
    /// The oldest, or the one with its stamp; both are equal.
    Same,
    /// The oldest.
    Next,
    /// None.
    None,
    /// None; it is timed by the instant at this path of it.
    Timed(JsonPath),
    /// The one with its identifier.
    Identified {
        /// Finds the identifier of a message.
        identifier: Identifier,
        /// For each connection, the hashes of the identifiers of the messages in flight.
        in_flight: Vec<VecDeque<u64>>,
    },
    /// The oldest, by all messages up to one that matches.
    Until {
        /// Matches the last message of an answer.
        last: Regex,
        /// For each connection, when the last message of an answer that is not complete was received.
        received_at: Vec<Option<Nanos>>,
    },
}

/// The place of a message in an answer of several messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// When the message before it was received; `None` for the first one.
    pub previous_at: Option<Nanos>,
    /// Whether it is the last one.
    pub is_last: bool,
}

impl Matching {
    /// Creates the matching of this many connections.
    pub fn new(plan: &ReplyPlan, connections: usize) -> Result<Self, PlanError> {
        if let Some(last) = plan.until()? {
            return Ok(Self::Until {
                last,
                received_at: vec![None; connections],
            });
        }
        if let Some(path) = plan.instant()? {
            return Ok(Self::Timed(path));
        }
        Ok(match (plan, plan.identifier()?) {
            (_, Some(identifier)) => Self::Identified {
                identifier,
                in_flight: vec![VecDeque::new(); connections],
            },
            (ReplyPlan::None, _) => Self::None,
            (ReplyPlan::Next, _) => Self::Next,
            _ => Self::Same,
        })
    }

    /// Whether an answer is compared with its message.
    #[inline]
    pub fn is_checked(&self) -> bool {
        matches!(self, Self::Same)
    }

    /// Whether messages are identified by their content.
    #[inline]
    pub fn is_identified(&self) -> bool {
        matches!(self, Self::Identified { .. })
    }

    /// Notes a message that is sent; returns whether it will be answered.
    #[inline]
    pub fn note_sent(&mut self, connection: usize, content: &[u8]) -> bool {
        if let Self::Identified {
            identifier,
            in_flight,
        } = self
        {
            // A message without an identifier is never answered.
            let hash = identifier.find(content).map_or(0, hash);
            in_flight[connection].push_back(hash);
        }
        self.is_awaited()
    }

    /// Whether messages are answered.
    #[inline]
    pub fn is_awaited(&self) -> bool {
        !matches!(self, Self::None | Self::Timed(_))
    }

    /// Returns the instant in a received message, in nanoseconds since 1970; `None` if messages are
    /// not timed by it, or this one has none.
    #[inline]
    pub fn instant(&self, content: &[u8]) -> Option<u64> {
        let Self::Timed(path) = self else {
            return None;
        };
        std::str::from_utf8(path.find(content)?).ok()?.parse().ok()
    }

    /// Removes the message that a received one answers; returns its position among those in flight,
    /// or `None` if there is none.
    pub fn take_answered(&mut self, connection: usize, content: &[u8]) -> Option<usize> {
        let Self::Identified {
            identifier,
            in_flight,
        } = self
        else {
            return None;
        };
        let searched = hash(identifier.find(content)?);
        let hashes = &mut in_flight[connection];
        let position = hashes.iter().position(|hash| *hash == searched)?;
        hashes.remove(position);
        Some(position)
    }

    /// Returns the place of a received message in an answer of several messages; `None` if answers
    /// are single messages.
    pub fn part(&mut self, connection: usize, content: &[u8], now: Nanos) -> Option<Part> {
        let Self::Until { last, received_at } = self else {
            return None;
        };
        let is_last = last.is_match(content);
        let next = (!is_last).then_some(now);
        let previous_at = std::mem::replace(&mut received_at[connection], next);
        Some(Part {
            previous_at,
            is_last,
        })
    }

    /// Forgets the messages in flight of a connection that has ended.
    pub fn forget(&mut self, connection: usize) {
        match self {
            Self::Identified { in_flight, .. } => in_flight[connection].clear(),
            Self::Until { received_at, .. } => received_at[connection] = None,
            Self::Same | Self::Next | Self::None | Self::Timed(_) => {}
        }
    }
}

/// Returns the time from an instant until now; `None` if the instant is in the future or more than an
/// hour ago: then it has another unit, or another clock.
pub fn age_ns(sent_unix_ns: u64, now_unix_ns: u64) -> Option<Nanos> {
    let age_ns = now_unix_ns.checked_sub(sent_unix_ns)?;
    (age_ns <= AGE_NS_MAX).then_some(age_ns)
}

/// Returns a hash that is not 0.
fn hash(identifier: &[u8]) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default()
        .hash_one(identifier)
        .max(1)
}

#[cfg(test)]
#[path = "tests/matching.rs"]
mod tests;
