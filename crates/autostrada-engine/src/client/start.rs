//! The start barrier of a client's threads.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use autostrada_measure::Nanos;
use autostrada_net::clock;

use super::control::{CHECKED_EVERY_NS, Control, StartInstant};
use super::interruption::Interruption;
use super::slices::Slices;
use super::timetable::{Durations, Timetable};

/// The barrier at which the threads of a client wait for each other before the first message.
pub struct Start<'a> {
    /// Number of threads that have not arrived.
    awaited: AtomicUsize,
    begun_at: Nanos,
    started_at: StartInstant,
    /// Called when all threads have arrived, if the start is then set from outside.
    on_arrival: Option<&'a (dyn Fn() + Sync)>,
    has_stopped_opening: AtomicBool,
    /// Number of connections that have opened.
    opened: AtomicU64,
    durations: Durations,
    interruption: Interruption,
    slices: Option<Slices>,
}

impl fmt::Debug for Start<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}", self.started_at)
    }
}

impl<'a> Start<'a> {
    /// Creates a barrier for this many threads, which start as soon as all have arrived; with
    /// `on_arrival` that is called then, and they start at the instant that is set. An interruption
    /// ends the trial within a second.
    pub fn new(
        threads: usize,
        durations: Durations,
        control: &Control,
        on_arrival: Option<&'a (dyn Fn() + Sync)>,
    ) -> Self {
        Self {
            awaited: AtomicUsize::new(threads),
            begun_at: clock::now(),
            started_at: control.start.clone(),
            on_arrival,
            has_stopped_opening: AtomicBool::new(false),
            opened: AtomicU64::new(0),
            durations,
            interruption: control.interruption.clone(),
            slices: control.slices.clone(),
        }
    }

    /// Returns the maximum time for opening all connections.
    pub fn opening_ns(&self) -> Nanos {
        self.durations.opening_ns
    }

    /// Adds connections that a thread has opened.
    pub fn add_opened(&self, connections: u64) {
        self.opened.fetch_add(connections, Ordering::Relaxed);
    }

    /// Returns the slices of the load; `None` if it has one window.
    pub fn slices(&self) -> Option<&Slices> {
        self.slices.as_ref()
    }

    /// Returns the timetable of a slice of this length that begins now.
    pub fn slice_timetable(&self, length_ns: Nanos) -> Timetable {
        let durations = Durations {
            warm_up_ns: 0,
            window_ns: length_ns,
            ..self.durations
        };
        durations.timetable(self.begun_at, clock::now())
    }

    /// Returns the number of connections that all threads have opened.
    pub fn opened(&self) -> u64 {
        self.opened.load(Ordering::Relaxed)
    }

    /// Makes all threads open no further connections.
    pub fn stop_opening(&self) {
        self.has_stopped_opening.store(true, Ordering::Relaxed);
    }

    /// Whether no further connections are opened.
    pub fn has_stopped_opening(&self) -> bool {
        self.has_stopped_opening.load(Ordering::Relaxed)
    }

    /// Whether the user interrupted the trial.
    pub fn is_interrupted(&self) -> bool {
        self.interruption.is_set()
    }

    /// Marks one thread as ready. A thread that failed arrives too, so that the others can start.
    pub fn arrive(&self) {
        if self.awaited.fetch_sub(1, Ordering::AcqRel) == 1 {
            match self.on_arrival {
                Some(report) => report(),
                None => self.started_at.set(0),
            }
        }
    }

    /// Returns the timetable, which is the same for all threads.
    /// Returns the instant at which to call again if some threads have not arrived, or the start is
    /// not known.
    pub fn timetable(&self) -> Result<Timetable, Nanos> {
        if self.awaited.load(Ordering::Acquire) > 0 {
            return Err(clock::now() + CHECKED_EVERY_NS);
        }
        if self.is_interrupted() {
            self.started_at.set(0);
        }
        let started_at = self.started_at.get();
        started_at
            .map(|started_at| self.durations.timetable(self.begun_at, started_at))
            .ok_or_else(|| clock::now() + CHECKED_EVERY_NS)
    }
}

#[cfg(test)]
#[path = "tests/start.rs"]
mod tests;
