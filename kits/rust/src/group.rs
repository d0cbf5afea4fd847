//! The subscribers of one feed: `docs/contract.md`, clauses 8.5 and 8.8.

use std::mem;
use std::sync::{Mutex, MutexGuard};

/// The subscribers of one feed.
pub struct Group<M>(Mutex<State<M>>);

struct State<M> {
    subscribed: Vec<(u64, M)>,
    /// Number of subscribers that have ever joined, which is the number of the next one.
    joined: u64,
    has_begun: bool,
    is_over: bool,
}

impl<M> Default for Group<M> {
    fn default() -> Self {
        Self(Mutex::new(State {
            subscribed: Vec::new(),
            joined: 0,
            has_begun: false,
            is_over: false,
        }))
    }
}

impl<M> Group<M> {
    pub fn add(&self, subscriber: M) -> u64 {
        let mut state = self.lock();
        let number = state.joined;
        state.joined += 1;
        state.subscribed.push((number, subscriber));
        number
    }

    /// Returns `true` once: when the group first has this many subscribers.
    pub fn begins_with(&self, subscribers: u64) -> bool {
        let mut state = self.lock();
        let begins = !state.has_begun && state.subscribed.len() as u64 == subscribers;
        state.has_begun |= begins;
        begins
    }

    pub fn is_over(&self) -> bool {
        self.lock().is_over
    }

    pub fn remove(&self, number: u64) {
        self.lock().subscribed.retain(|&(each, _)| each != number);
    }

    pub fn count(&self) -> u64 {
        self.lock().subscribed.len() as u64
    }

    pub fn subscribed(&self) -> Vec<M>
    where
        M: Clone,
    {
        let state = self.lock();
        state
            .subscribed
            .iter()
            .map(|(_, subscriber)| subscriber.clone())
            .collect()
    }

    /// Drops the subscribers and marks the feed as over: later subscribers belong to the next
    /// group.
    pub fn end(&self) {
        let mut state = self.lock();
        state.is_over = true;
        let subscribed = mem::take(&mut state.subscribed);
        drop(state);
        drop(subscribed);
    }

    fn lock(&self) -> MutexGuard<'_, State<M>> {
        self.0.lock().expect("nobody panics while holding the lock")
    }
}
