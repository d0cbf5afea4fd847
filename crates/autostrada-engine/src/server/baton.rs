//! Whose turn it is to accept connections: one thread's at a time.
//!
//! All threads inherit one listening socket. Were it in all of their pollers, each connection
//! would wake them all; had each a socket of its own, connections that wait at one whose thread
//! has no descriptor left would be lost.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Where the baton goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passed {
    /// No other thread can take it.
    Kept,
    /// This one has it, and is to be woken.
    To(usize),
    /// Nobody has it: all are full.
    Down,
}

/// Who accepts connections, and who has no descriptor for another one.
#[derive(Debug)]
pub struct Baton {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    holder: Option<usize>,
    is_full: Vec<bool>,
}

impl Baton {
    /// The first thread begins.
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

    /// Whether a thread has it.
    pub fn is_held_by(&self, thread: usize) -> bool {
        self.state().holder == Some(thread)
    }

    /// Passes it on to the next thread that has room.
    pub fn pass(&self, thread: usize, is_full: bool) -> Passed {
        let mut state = self.state();
        debug_assert_eq!(state.holder, Some(thread), "only who has it can pass it on");
        state.is_full[thread] = is_full;
        let threads = state.is_full.len();
        let others = (1..=threads).map(|step| (thread + step) % threads);
        state.holder = others.into_iter().find(|&other| !state.is_full[other]);
        match state.holder {
            None => Passed::Down,
            Some(holder) if holder == thread => Passed::Kept,
            Some(holder) => Passed::To(holder),
        }
    }

    /// Says that a thread has room again, and takes the baton up where nobody has it.
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
    fn it_goes_round() {
        let baton = Baton::new(3);
        assert!(baton.is_held_by(0));
        assert_eq!(baton.pass(0, false), Passed::To(1));
        assert_eq!(baton.pass(1, false), Passed::To(2));
        assert_eq!(baton.pass(2, false), Passed::To(0));
    }

    #[test]
    fn one_thread_keeps_it() {
        assert_eq!(Baton::new(1).pass(0, false), Passed::Kept);
    }

    #[test]
    fn it_passes_by_who_is_full_and_lies_where_all_are() {
        let baton = Baton::new(3);
        assert_eq!(baton.pass(0, true), Passed::To(1));
        assert_eq!(baton.pass(1, false), Passed::To(2));
        assert_eq!(baton.pass(2, true), Passed::To(1));
        assert_eq!(baton.pass(1, false), Passed::Kept);
        assert_eq!(baton.pass(1, true), Passed::Down);
        baton.make_room(2);
        assert!(baton.is_held_by(2));
        baton.make_room(0);
        assert!(baton.is_held_by(2));
        assert_eq!(baton.pass(2, false), Passed::To(0));
    }
}
