//! The queue of delayed messages of all connections.

use std::collections::VecDeque;

use autostrada_measure::Nanos;

use super::message::Message;
use crate::plan::FaultPlan;

/// The largest delay of the thread that the rate compensates, in nanoseconds. Larger ones are not
/// compensated, because the messages would be sent in a burst.
const CATCH_UP_NS: Nanos = 100_000_000;

/// A connection of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recipient {
    /// Its index, which a later connection may have again.
    pub index: usize,
    /// Its serial number, which tells it apart from others with the same index.
    pub serial: u32,
}

/// An entry of the queue.
#[derive(Debug, PartialEq, Eq)]
pub enum Departure {
    /// A message to send.
    Message(Message),
    /// The end of the connection.
    End,
}

impl Departure {
    /// Returns the memory of the entry, in bytes (an estimate).
    pub fn held_bytes(&self) -> usize {
        match self {
            Self::Message(message) => message.held_bytes(),
            Self::End => size_of::<Self>(),
        }
    }
}

#[derive(Debug)]
struct Waiting {
    ready_at: Nanos,
    recipient: Recipient,
    departure: Departure,
}

/// Delayed messages in the order in which they leave.
///
/// All have the same delay. If there is a rate, two messages are at least its interval apart.
#[derive(Debug)]
pub struct Queue {
    delay_ns: Nanos,
    /// Interval of two messages at the planned rate; `None` without a rate.
    distance_ns: Option<Nanos>,
    /// Instant before which no message leaves.
    next_from: Nanos,
    waiting: VecDeque<Waiting>,
}

impl Queue {
    /// Creates an empty queue with the delay and the rate of a plan.
    pub fn new(plan: &FaultPlan) -> Self {
        Self {
            delay_ns: plan.delay_ns(),
            distance_ns: plan.distance_ns(),
            next_from: 0,
            waiting: VecDeque::new(),
        }
    }

    /// Returns whether the queue is not used, because neither a delay nor a rate is planned.
    pub fn is_idle(&self) -> bool {
        self.delay_ns == 0 && self.distance_ns.is_none()
    }

    /// Appends an entry that would leave at `now` without a delay.
    pub fn push(&mut self, now: Nanos, recipient: Recipient, departure: Departure) {
        self.waiting.push_back(Waiting {
            ready_at: now + self.delay_ns,
            recipient,
            departure,
        });
    }

    /// Returns when the next entry leaves; `None` if the queue is empty.
    pub fn next_at(&self) -> Option<Nanos> {
        let next = self.waiting.front()?;
        Some(match next.departure {
            Departure::Message(_) => next.ready_at.max(self.next_from),
            Departure::End => next.ready_at,
        })
    }

    /// Removes and returns the next entry, if it leaves at `now` or before.
    pub fn pop(&mut self, now: Nanos) -> Option<(Recipient, Departure)> {
        let leaves_at = self.next_at().filter(|&at| at <= now)?;
        let next = self.waiting.pop_front()?;
        if let (Some(distance_ns), Departure::Message(_)) = (self.distance_ns, &next.departure) {
            let soonest = now.saturating_sub(CATCH_UP_NS);
            self.next_from = soonest.max(leaves_at + distance_ns);
        }
        Some((next.recipient, next.departure))
    }

    /// Removes all entries of a connection.
    pub fn remove(&mut self, recipient: Recipient) {
        self.waiting.retain(|one| one.recipient != recipient);
    }

    /// Continues after a stop until `now`, which the rate does not compensate.
    pub fn resume(&mut self, now: Nanos) {
        self.next_from = self.next_from.max(now);
    }
}

#[cfg(test)]
#[path = "tests/queue.rs"]
mod tests;
