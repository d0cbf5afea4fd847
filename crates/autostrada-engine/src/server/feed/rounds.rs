//! The rounds of a feed, which the threads of a server share.

use std::sync::{Mutex, MutexGuard, PoisonError};

use autostrada_measure::Nanos;

/// The status of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoundStatus {
    /// The round waits for subscribers.
    Waiting,
    /// The round begins, or began, at this instant in nanoseconds.
    Started(Nanos),
    /// All subscribers have left.
    Over,
}

/// Consecutive rounds of a feed, each with the subscribers of all threads.
///
/// Threads access it when a subscriber joins or leaves, never to send a message.
#[derive(Debug)]
pub struct Rounds {
    subscribers: usize,
    /// Time from the last subscriber's joining to the first message, in nanoseconds.
    lead_ns: Nanos,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The rounds that have begun.
    begun: Vec<Round>,
    /// Number of subscribers that have joined the next round.
    joined: usize,
}

#[derive(Debug)]
struct Round {
    started_ns: Nanos,
    subscribers: usize,
}

impl Rounds {
    /// Creates the first round, which begins `lead_ns` after `subscribers` have joined.
    pub fn new(subscribers: usize, lead_ns: Nanos) -> Self {
        Self {
            subscribers,
            lead_ns,
            state: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the status of a round.
    pub fn status(&self, round: usize) -> RoundStatus {
        self.state().status(round)
    }

    /// Adds a subscriber to a round; returns the status, and whether this subscriber started it.
    ///
    /// A round that is over cannot be joined; join the next one instead.
    pub fn join(&self, round: usize, now: Nanos) -> (RoundStatus, bool) {
        let mut state = self.state();
        if let Some(begun) = state.begun.get_mut(round) {
            begun.subscribers += usize::from(begun.subscribers > 0);
            return (state.status(round), false);
        }
        state.joined += 1;
        if state.joined < self.subscribers {
            return (RoundStatus::Waiting, false);
        }
        let subscribers = std::mem::take(&mut state.joined);
        state.begun.push(Round {
            started_ns: now + self.lead_ns,
            subscribers,
        });
        (state.status(round), true)
    }

    /// Removes `leaving` subscribers from a round, which is over when none is left.
    pub fn leave(&self, round: usize, leaving: usize) {
        let mut state = self.state();
        match state.begun.get_mut(round) {
            None => state.joined -= leaving,
            Some(begun) => begun.subscribers -= leaving,
        }
    }
}

impl State {
    fn status(&self, round: usize) -> RoundStatus {
        match self.begun.get(round) {
            None => RoundStatus::Waiting,
            Some(begun) if begun.subscribers == 0 => RoundStatus::Over,
            Some(begun) => RoundStatus::Started(begun.started_ns),
        }
    }
}

#[cfg(test)]
#[path = "tests/rounds.rs"]
mod tests;
