//! Which thread accepts connections: the one that holds the token.
//!
//! All threads inherit one listening socket. If it were in every poller, each connection would wake
//! all threads; if each thread had a listening socket, connections queued at one whose thread has
//! no descriptor left would be lost.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Who holds the token after it was passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passed {
    /// The same thread: no other one has room.
    Kept,
    /// This thread, which must be woken.
    To(usize),
    /// No thread: all are full.
    Unheld,
}

/// Which thread accepts connections, and which threads have no descriptor for another one.
#[derive(Debug)]
pub struct AcceptToken {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    holder: Option<usize>,
    is_full: Vec<bool>,
}

impl AcceptToken {
    /// Makes a token that the first of so many threads holds.
    pub fn new(threads: usize) -> Self {
        Self {
            state: Mutex::new(State {
                holder: Some(0),
                is_full: vec![false; threads],
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a thread holds it.
    pub fn is_held_by(&self, thread: usize) -> bool {
        self.state().holder == Some(thread)
    }

    /// Passes it to the next thread that has room.
    pub fn pass(&self, thread: usize, is_full: bool) -> Passed {
        let mut state = self.state();
        debug_assert_eq!(state.holder, Some(thread), "only the holder passes it");
        state.is_full[thread] = is_full;
        let threads = state.is_full.len();
        let others = (1..=threads).map(|step| (thread + step) % threads);
        state.holder = others.into_iter().find(|&other| !state.is_full[other]);
        match state.holder {
            None => Passed::Unheld,
            Some(holder) if holder == thread => Passed::Kept,
            Some(holder) => Passed::To(holder),
        }
    }

    /// Notes that a thread has room again, and gives it the token if no thread holds it.
    pub fn make_room(&self, thread: usize) {
        let mut state = self.state();
        state.is_full[thread] = false;
        state.holder.get_or_insert(thread);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_hold_it_in_turn() {
        let token = AcceptToken::new(3);
        assert!(token.is_held_by(0));
        assert_eq!(token.pass(0, false), Passed::To(1));
        assert_eq!(token.pass(1, false), Passed::To(2));
        assert_eq!(token.pass(2, false), Passed::To(0));
    }

    #[test]
    fn a_single_thread_keeps_it() {
        assert_eq!(AcceptToken::new(1).pass(0, false), Passed::Kept);
    }

    #[test]
    fn full_threads_are_skipped_and_none_holds_it_when_all_are_full() {
        let token = AcceptToken::new(3);
        assert_eq!(token.pass(0, true), Passed::To(1));
        assert_eq!(token.pass(1, false), Passed::To(2));
        assert_eq!(token.pass(2, true), Passed::To(1));
        assert_eq!(token.pass(1, false), Passed::Kept);
        assert_eq!(token.pass(1, true), Passed::Unheld);
        token.make_room(2);
        assert!(token.is_held_by(2));
        token.make_room(0);
        assert!(token.is_held_by(2));
        assert_eq!(token.pass(2, false), Passed::To(0));
    }
}
