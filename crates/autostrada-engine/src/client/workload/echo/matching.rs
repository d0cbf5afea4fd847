//! Which message a received one answers.

use std::collections::VecDeque;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use crate::plan::{Identifier, PlanError, ReplyPlan};

/// Which message a received one answers.
#[derive(Debug)]
pub enum Matching {
    /// The oldest, or the one with its stamp; both are equal.
    Same,
    /// The oldest.
    Next,
    /// None.
    None,
    /// The one with its identifier.
    Identified {
        /// Finds the identifier of a message.
        identifier: Identifier,
        /// For each connection, the hashes of the identifiers of the messages in flight.
        in_flight: Vec<VecDeque<u64>>,
    },
}

impl Matching {
    /// Creates the matching of this many connections.
    ///
    /// # Errors
    ///
    /// Returns an error if the plan is invalid.
    pub fn new(plan: &ReplyPlan, connections: usize) -> Result<Self, PlanError> {
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
        !matches!(self, Self::None)
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

    /// Forgets the messages in flight of a connection that has ended.
    pub fn forget(&mut self, connection: usize) {
        if let Self::Identified { in_flight, .. } = self {
            in_flight[connection].clear();
        }
    }
}

/// Returns a hash that is not 0.
fn hash(identifier: &[u8]) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default()
        .hash_one(identifier)
        .max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_found_by_its_identifier_in_any_order() {
        let plan = serde_json::from_str(r#"{"kind": "json", "path": "$.id"}"#).unwrap();
        let mut matching = Matching::new(&plan, 2).unwrap();
        for id in 0..3 {
            let message = format!(r#"{{"id": {id}}}"#);
            assert!(matching.note_sent(1, message.as_bytes()));
        }
        let mut answered =
            |connection, content: &str| matching.take_answered(connection, content.as_bytes());
        assert_eq!(answered(1, r#"{"result": true, "id": 1}"#), Some(1));
        assert_eq!(answered(1, r#"{"result": true, "id": 2}"#), Some(1));
        assert_eq!(answered(1, r#"{"result": true, "id": 2}"#), None);
        assert_eq!(answered(0, r#"{"id": 0}"#), None);
        assert_eq!(answered(1, "a push"), None);
        matching.forget(1);
        assert_eq!(matching.take_answered(1, br#"{"id": 0}"#), None);
    }
}
