//! The accept token: only the thread that holds it accepts connections.
//!
//! All threads share one listening socket. If it were registered with every poller, each connection
//! would wake all threads. If each thread had its own listening socket, connections in the queue of
//! a thread without a free descriptor would be lost.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The holder of the token after [`AcceptToken::pass`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passed {
    /// The thread that passed it, because no other thread has a free descriptor.
    Kept,
    /// Another thread, by its number. The caller must wake it.
    To(usize),
    /// No thread, because none has a free descriptor.
    Unheld,
}

/// The thread that accepts connections, and the threads that have no free descriptor.
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
    /// Creates a token for `threads` threads; thread 0 holds it.
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

    /// Returns whether `thread` holds the token.
    pub fn is_held_by(&self, thread: usize) -> bool {
        self.state().holder == Some(thread)
    }

    /// Passes the token from `thread` to the next thread that has a free descriptor.
    ///
    /// `is_full`: whether `thread` itself has no free descriptor.
    pub fn pass(&self, thread: usize, is_full: bool) -> Passed {
        let mut state = self.state();
        debug_assert_eq!(
            state.holder,
            Some(thread),
            "only the holder passes the token"
        );
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

    /// Records that `thread` has a free descriptor again, and gives it the token if no thread holds
    /// it.
    pub fn record_free_descriptor(&self, thread: usize) {
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
        token.record_free_descriptor(2);
        assert!(token.is_held_by(2));
        token.record_free_descriptor(0);
        assert!(token.is_held_by(2));
        assert_eq!(token.pass(2, false), Passed::To(0));
    }
}
