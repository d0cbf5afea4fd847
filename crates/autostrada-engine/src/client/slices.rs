//! The slices of a load: times in which its threads exchange messages, each begun by a command.
//!
//! Between two slices the threads sleep until a timer wakes them.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::timetable::Timetable;
use crate::line::SliceRow;
use crate::plan::PlanError;
use autostrada_measure::Nanos;
use autostrada_net::Timer;

/// What a thread does next.
#[derive(Debug, Clone)]
pub enum Next {
    /// It waits to be woken.
    Wait,
    /// It exchanges messages by the timetable, which is that of all threads.
    Slice {
        /// The instants of the slice.
        timetable: Timetable,
        /// Whether the slice is part of the result.
        counts: bool,
    },
    /// It ends the load.
    End,
}

/// The slices of a load; clones share them.
#[derive(Debug, Clone)]
pub struct Slices(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// Wakes each thread.
    timers: Vec<Timer>,
    state: Mutex<State>,
    /// Notified when connections are open, a slice has ended, or the load ends.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Whether all connections are open, or their time is over.
    is_open: bool,
    is_over: bool,
    /// Why the load ends, if a command is invalid.
    error: Option<PlanError>,
    /// Number of slices that have begun.
    begun: u64,
    /// Length of the newest of them.
    length_ns: Nanos,
    /// Whether it is part of the result.
    counts: bool,
    /// Its instants, once a thread has begun it.
    timetable: Option<Timetable>,
    /// Number of threads that have not finished it.
    awaited: usize,
    /// What the others did in it.
    row: Option<SliceRow>,
    /// Begin of the first slice that counts, and the length of all that do.
    counted: Option<(Nanos, Nanos)>,
}

impl Slices {
    /// Creates the slices of a load with this many threads.
    pub fn new(threads: usize) -> io::Result<Self> {
        let timers: io::Result<_> = (0..threads).map(|_| Timer::new()).collect();
        Ok(Self(Arc::new(Shared {
            timers: timers?,
            state: Mutex::default(),
            changed: Condvar::new(),
        })))
    }

    /// Returns the timer that wakes a thread.
    pub fn timer(&self, thread: usize) -> &Timer {
        &self.0.timers[thread]
    }

    /// Wakes all threads.
    pub fn wake(&self) {
        for timer in &self.0.timers {
            // This fails only if the timer is closed.
            let _ = timer.expire();
        }
    }

    /// Permits slices, because all connections are open or their time is over.
    pub fn open(&self) {
        self.state().is_open = true;
        self.0.changed.notify_all();
    }

    /// Makes all threads carry out a slice of this length, once their connections are open; returns
    /// what they did in it, or `None` if the load ends.
    pub fn carry_out(&self, length_ns: Nanos, counts: bool) -> Option<SliceRow> {
        let mut state = self.wait_while(|state| !state.is_open);
        state.begun += 1;
        (state.length_ns, state.counts) = (length_ns, counts);
        (state.timetable, state.row) = (None, None);
        state.awaited = self.0.timers.len();
        drop(state);
        self.wake();
        let mut state = self.wait_while(|state| state.awaited > 0);
        if state.awaited > 0 {
            return None;
        }
        state.row.take()
    }

    /// Ends the load, with an error if a command was invalid.
    pub fn end(&self, commands: Result<(), PlanError>) {
        let mut state = self.state();
        state.is_over = true;
        if let Err(error) = commands {
            state.error.get_or_insert(error);
        }
        drop(state);
        self.0.changed.notify_all();
        self.wake();
    }

    /// Returns what a thread does next that has carried out `done` slices. The first thread of a
    /// slice begins it: `timetable` returns the instants of one of this length.
    pub fn next(&self, done: u64, timetable: impl FnOnce(Nanos) -> Timetable) -> Next {
        let mut state = self.state();
        if state.is_over {
            return Next::End;
        }
        if state.begun == done {
            return Next::Wait;
        }
        let (length_ns, counts) = (state.length_ns, state.counts);
        let timetable = state.timetable.get_or_insert_with(|| timetable(length_ns));
        Next::Slice {
            timetable: timetable.clone(),
            counts,
        }
    }

    /// Adds what a thread did in a slice.
    pub fn finish(&self, row: SliceRow) {
        let mut state = self.state();
        if let Some(others) = &mut state.row {
            others.merge(&row);
        } else {
            state.row = Some(row);
        }
        state.awaited -= 1;
        if let (0, true, Some(row)) = (state.awaited, state.counts, state.row) {
            let (_, counted_ns) = state.counted.get_or_insert((row.began_ns, 0));
            *counted_ns += row.ended_ns - row.began_ns;
        }
        drop(state);
        self.0.changed.notify_all();
    }

    /// Returns the begin of the first slice that counts, and the length of all that do; `None` if
    /// none was finished.
    pub fn counted(&self) -> Option<(Nanos, Nanos)> {
        self.state().counted
    }

    /// Returns why commands were invalid, once.
    pub fn take_error(&self) -> Option<PlanError> {
        self.state().error.take()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        let state = self.0.state.lock();
        state.unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits while a condition is true and the load does not end.
    fn wait_while(&self, mut is_true: impl FnMut(&State) -> bool) -> MutexGuard<'_, State> {
        let waits = |state: &mut State| !state.is_over && is_true(state);
        let state = self.0.changed.wait_while(self.state(), waits);
        state.unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[path = "tests/slices.rs"]
mod tests;
