//! Messages of one connection that are sent and not answered.

use std::collections::VecDeque;

use autostrada_measure::{Nanos, Sequence};

/// When a message was due and sent, while its echo is awaited.
#[derive(Debug, Clone, Copy)]
pub struct Pending {
    /// By the schedule.
    pub due: Nanos,
    /// Handed to its connection.
    pub sent: Nanos,
}

/// What is in flight on one connection, in the order in which it was sent.
///
/// The oldest lies apart: with one message in flight nothing else is touched.
#[derive(Debug, Clone, Default)]
pub struct InFlight {
    oldest: Option<Pending>,
    others: VecDeque<Pending>,
}

impl InFlight {
    /// Takes the newest.
    #[inline]
    pub fn push(&mut self, pending: Pending) {
        if self.oldest.is_none() {
            self.oldest = Some(pending);
        } else {
            self.others.push_back(pending);
        }
    }

    /// Takes the oldest out.
    #[inline]
    pub fn pop(&mut self) -> Option<Pending> {
        let oldest = self.oldest.take();
        if !self.others.is_empty() {
            self.oldest = self.others.pop_front();
        }
        oldest
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        usize::from(self.oldest.is_some()) + self.others.len()
    }
}

/// What is known of one connection that sends messages.
#[derive(Debug, Clone, Default)]
pub struct Conversation {
    /// What is not answered.
    pub in_flight: InFlight,
    /// Messages sent; the next has this number.
    pub sent: u64,
    /// Messages that came back, or were found missing.
    pub settled: u64,
}

/// So many messages of a connection are remembered that were overtaken: as many as its `Sequence`
/// remembers numbers.
const OVERTAKEN_MAX: usize = 128;

/// What is known of a connection whose messages have numbers.
#[derive(Debug, Clone)]
pub struct Numbered {
    /// What has come, and what is missing.
    pub sequence: Sequence,
    /// Messages that were overtaken, which may still come; the oldest first.
    overtaken: VecDeque<Settled>,
}

/// A message that is not awaited in its turn any more.
#[derive(Debug, Clone, Copy)]
pub struct Settled {
    /// Of the message on its connection.
    pub number: u64,
    /// When it was due and sent.
    pub pending: Pending,
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
    /// Remembers a message that was overtaken; returns whether one more is remembered by this.
    pub fn set_aside(&mut self, settled: Settled) -> bool {
        let is_full = self.overtaken.len() == OVERTAKEN_MAX;
        if is_full {
            self.overtaken.pop_front();
        }
        self.overtaken.push_back(settled);
        !is_full
    }

    /// Takes out a message that was overtaken, and comes.
    pub fn take_overtaken(&mut self, number: u64) -> Option<Settled> {
        let at = self.overtaken.iter().position(|one| one.number == number)?;
        self.overtaken.remove(at)
    }

    /// Forgets all that were overtaken; returns how many.
    pub fn forget(&mut self) -> usize {
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
        let rest: Vec<_> = std::iter::from_fn(|| in_flight.pop())
            .map(|one| one.sent)
            .collect();
        assert_eq!(rest, [2, 3, 4]);
        assert_eq!(in_flight.len(), 0);
    }
}
