//! Messages of one connection that were sent and not answered.

use std::collections::VecDeque;

use autostrada_measure::{Nanos, Sequence};

/// The instants of a message that is not answered.
#[derive(Debug, Clone, Copy)]
pub struct Pending {
    /// Instant at which the message was due.
    pub due: Nanos,
    /// Instant at which the message was handed to its connection.
    pub sent: Nanos,
}

/// The messages in flight on one connection, in the order in which they were sent.
///
/// The oldest is stored separately, so that a single message in flight does not use the queue.
#[derive(Debug, Clone, Default)]
pub struct InFlight {
    oldest: Option<Pending>,
    others: VecDeque<Pending>,
}

impl InFlight {
    /// Adds a message as the newest.
    #[inline]
    pub fn push(&mut self, pending: Pending) {
        if self.oldest.is_none() {
            self.oldest = Some(pending);
        } else {
            self.others.push_back(pending);
        }
    }

    /// Returns the oldest message.
    pub fn oldest(&self) -> Option<Pending> {
        self.oldest
    }

    /// Removes the oldest message.
    #[inline]
    pub fn pop(&mut self) -> Option<Pending> {
        let oldest = self.oldest.take();
        if !self.others.is_empty() {
            self.oldest = self.others.pop_front();
        }
        oldest
    }

    /// Removes the message at a position, counted from the oldest; `None` if there is none.
    pub fn remove(&mut self, position: usize) -> Option<Pending> {
        match position.checked_sub(1) {
            None => self.pop(),
            Some(position) => self.others.remove(position),
        }
    }

    /// Returns the number of messages in flight.
    pub fn len(&self) -> usize {
        usize::from(self.oldest.is_some()) + self.others.len()
    }
}

/// The state of one connection that sends messages.
#[derive(Debug, Clone, Default)]
pub struct ConnectionState {
    /// Messages that are not answered.
    pub in_flight: InFlight,
    /// Number of messages sent, which is also the number of the next message.
    pub sent: u64,
    /// Number of messages that were answered or found missing.
    pub settled: u64,
}

/// Maximum number of overtaken messages remembered for a connection: as many as its `Sequence`
/// remembers numbers.
const OVERTAKEN_MAX: usize = 128;

/// The additional state of a connection whose messages have numbers.
#[derive(Debug, Clone)]
pub struct Numbered {
    /// Numbers that were received or are missing.
    pub sequence: Sequence,
    /// Messages overtaken by the answer to a later one, oldest first. They may still be answered.
    overtaken: VecDeque<Settled>,
}

/// A message that has left the queue of messages in flight.
#[derive(Debug, Clone, Copy)]
pub struct Settled {
    /// Number of the message on its connection, from 0.
    pub number: u64,
    /// Instants at which the message was due and sent.
    pub pending: Pending,
}

/// The message that an answer with a number belongs to.
#[derive(Debug)]
pub struct MatchedAnswer {
    /// The answered message, or `None` if it was not outstanding.
    pub settled: Option<Settled>,
    /// Instant in the stamp of the answer.
    pub due: Nanos,
    /// Number of messages that a closed loop sends after it.
    pub replacements: u64,
}

impl Default for Numbered {
    fn default() -> Self {
        Self {
            sequence: Sequence::starting_at(0),
            overtaken: VecDeque::new(),
        }
    }
}

impl Numbered {
    /// Remembers an overtaken message; returns `false` if another one was dropped for it.
    pub fn remember_overtaken(&mut self, settled: Settled) -> bool {
        let is_full = self.overtaken.len() == OVERTAKEN_MAX;
        if is_full {
            self.overtaken.pop_front();
        }
        self.overtaken.push_back(settled);
        !is_full
    }

    /// Removes an overtaken message that is answered, or returns `None` if it is not remembered.
    pub fn take_overtaken(&mut self, number: u64) -> Option<Settled> {
        let at = self.overtaken.iter().position(|one| one.number == number)?;
        self.overtaken.remove(at)
    }

    /// Drops all overtaken messages; returns their number.
    pub fn clear_overtaken(&mut self) -> usize {
        std::mem::take(&mut self.overtaken).len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_first_is_answered_first() {
        let mut in_flight = InFlight::default();
        for sent in 1..=3 {
            in_flight.push(Pending { due: 0, sent });
        }
        assert_eq!(in_flight.len(), 3);
        assert_eq!(in_flight.pop().unwrap().sent, 1);
        in_flight.push(Pending { due: 0, sent: 4 });
        in_flight.push(Pending { due: 0, sent: 5 });
        assert_eq!(in_flight.remove(3).unwrap().sent, 5);
        assert!(in_flight.remove(3).is_none());
        let rest: Vec<_> = std::iter::from_fn(|| in_flight.pop())
            .map(|one| one.sent)
            .collect();
        assert_eq!(rest, [2, 3, 4]);
        assert_eq!(in_flight.len(), 0);
    }

    #[test]
    fn the_message_that_was_overtaken_first_is_dropped_for_one_more() {
        let pending = Pending { due: 0, sent: 0 };
        let mut numbered = Numbered::default();
        let remembered = (0..=OVERTAKEN_MAX as u64)
            .filter(|&number| numbered.remember_overtaken(Settled { number, pending }))
            .count();
        assert_eq!(remembered, OVERTAKEN_MAX);
        assert!(numbered.take_overtaken(0).is_none());
        assert_eq!(numbered.take_overtaken(1).unwrap().number, 1);
        assert!(numbered.take_overtaken(1).is_none());
        assert_eq!(numbered.clear_overtaken(), OVERTAKEN_MAX - 1);
    }
}
