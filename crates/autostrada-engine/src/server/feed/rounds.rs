//! What the threads of a server know of each other's part of a feed.

use std::sync::{Mutex, MutexGuard, PoisonError};

use autostrada_measure::Nanos;

/// The status of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoundStatus {
    /// Not all are there.
    Waiting,
    /// It began at this instant, or will.
    Started(Nanos),
    /// It is over.
    Over,
}

/// Rounds of a feed, one after another, each with the subscribers of all threads.
///
/// Threads ask when somebody comes or goes, never on the path of a message.
#[derive(Debug)]
pub struct Rounds {
    subscribers: usize,
    /// From when all are there to the first message: all threads are awake by then.
    lead_ns: Nanos,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The rounds that have begun.
    begun: Vec<Round>,
    /// How many have joined the next one.
    joined: usize,
}

#[derive(Debug)]
struct Round {
    started_ns: Nanos,
    present: usize,
}

impl Rounds {
    /// Waits for the subscribers of the first round.
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

    /// The status of a round.
    pub fn status(&self, round: usize) -> RoundStatus {
        self.state().status(round)
    }

    /// Joins a round; returns its status then, and whether it begins by this.
    ///
    /// A round that is over cannot be joined: the next one can.
    pub fn join(&self, round: usize, now: Nanos) -> (RoundStatus, bool) {
        let mut state = self.state();
        if let Some(begun) = state.begun.get_mut(round) {
            begun.present += usize::from(begun.present > 0);
            return (state.status(round), false);
        }
        state.joined += 1;
        if state.joined < self.subscribers {
            return (RoundStatus::Waiting, false);
        }
        let present = std::mem::take(&mut state.joined);
        state.begun.push(Round {
            started_ns: now + self.lead_ns,
            present,
        });
        (state.status(round), true)
    }

    /// So many leave a round, early or at its end; it is over when nobody is left.
    pub fn leave(&self, round: usize, leaving: usize) {
        let mut state = self.state();
        match state.begun.get_mut(round) {
            None => state.joined -= leaving,
            Some(begun) => begun.present -= leaving,
        }
    }
}

impl State {
    fn status(&self, round: usize) -> RoundStatus {
        match self.begun.get(round) {
            None => RoundStatus::Waiting,
            Some(begun) if begun.present == 0 => RoundStatus::Over,
            Some(begun) => RoundStatus::Started(begun.started_ns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_begins_when_all_are_there() {
        let rounds = Rounds::new(2, 10);
        assert_eq!(rounds.join(0, 100), (RoundStatus::Waiting, false));
        assert_eq!(rounds.status(0), RoundStatus::Waiting);
        assert_eq!(rounds.join(0, 200), (RoundStatus::Started(210), true));
        assert_eq!(rounds.join(0, 300), (RoundStatus::Started(210), false));
    }

    #[test]
    fn who_leaves_before_it_begins_is_waited_for() {
        let rounds = Rounds::new(2, 0);
        rounds.join(0, 1);
        rounds.leave(0, 1);
        assert_eq!(rounds.join(0, 2), (RoundStatus::Waiting, false));
        assert_eq!(rounds.join(0, 3), (RoundStatus::Started(3), true));
    }

    #[test]
    fn who_leaves_later_does_not_end_it_unless_it_is_the_last() {
        let rounds = Rounds::new(2, 0);
        rounds.join(0, 1);
        rounds.join(0, 1);
        rounds.leave(0, 1);
        assert_eq!(rounds.status(0), RoundStatus::Started(1));
        rounds.leave(0, 1);
        assert_eq!(rounds.status(0), RoundStatus::Over);
        assert_eq!(rounds.join(0, 9), (RoundStatus::Over, false));
        assert_eq!(rounds.join(1, 9), (RoundStatus::Waiting, false));
    }

    #[test]
    fn a_thread_that_is_late_still_learns_when_its_round_began() {
        let rounds = Rounds::new(3, 0);
        for now in [3, 4, 5] {
            rounds.join(0, now);
        }
        // Two of the three are another thread's, which has done with them and goes on.
        rounds.leave(0, 2);
        rounds.join(1, 7);
        assert_eq!(rounds.status(0), RoundStatus::Started(5));
        assert_eq!(rounds.status(1), RoundStatus::Waiting);
    }
}
