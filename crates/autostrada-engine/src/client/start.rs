//! The start barrier of a client's threads, and the timetable of a trial.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use autostrada_measure::Nanos;
use autostrada_net::clock;

use super::interruption::Interruption;

/// The interval at which a thread checks whether all others are ready.
const CHECKED_EVERY_NS: Nanos = 2_000_000;

/// Time from the arrival of the last thread to the start: every thread checks several times within
/// it, so none starts late.
const START_DELAY_NS: Nanos = 5 * CHECKED_EVERY_NS;

/// The planned durations of the phases of a trial.
#[derive(Debug, Clone, Copy)]
pub struct Durations {
    /// Maximum time for opening all connections.
    pub opening_ns: Nanos,
    /// Length of the warm-up, in which nothing is counted.
    pub warm_up_ns: Nanos,
    /// Length of the window: messages that are due within it count.
    pub window_ns: Nanos,
    /// Maximum time for outstanding answers after the window.
    pub drain_ns: Nanos,
    /// Maximum time from the first connection to the end of the window.
    pub limit_ns: Nanos,
}

/// The instants of a trial. The default has an empty window, in which nothing counts.
#[derive(Debug, Clone, Default)]
pub struct Timetable {
    /// Instant at which the first messages are sent.
    pub started_at: Nanos,
    /// The window: messages that are due within it count.
    pub window: Range<Nanos>,
    /// Instant after which no answer is awaited.
    pub drained_at: Nanos,
}

impl Timetable {
    /// Returns the length of the drain.
    pub fn drain_ns(&self) -> Nanos {
        self.drained_at - self.window.end
    }

    /// Whether an instant of the window is in its first half.
    #[inline]
    pub fn is_in_first_half(&self, now: Nanos) -> bool {
        now - self.window.start < (self.window.end - self.window.start) / 2
    }
}

/// The barrier at which the threads of a client wait for each other before the first message.
#[derive(Debug)]
pub struct Start {
    /// Number of threads that have not arrived.
    awaited: AtomicUsize,
    begun_at: Nanos,
    /// Instant before which the start is not.
    earliest: Nanos,
    /// Instant of the start; 0 until all threads have arrived.
    started_at: AtomicU64,
    has_stopped_opening: AtomicBool,
    durations: Durations,
    interruption: Interruption,
}

impl Start {
    /// Creates a barrier for this many threads, which start at `earliest` or later. An interruption
    /// ends the trial within a second.
    pub fn new(
        threads: usize,
        durations: Durations,
        earliest: Nanos,
        interruption: Interruption,
    ) -> Self {
        Self {
            awaited: AtomicUsize::new(threads),
            begun_at: clock::now(),
            earliest,
            started_at: AtomicU64::new(0),
            has_stopped_opening: AtomicBool::new(false),
            durations,
            interruption,
        }
    }

    /// Returns the maximum time for opening all connections.
    pub fn opening_ns(&self) -> Nanos {
        self.durations.opening_ns
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
            let started_at = self.earliest.max(clock::now() + START_DELAY_NS);
            self.started_at.store(started_at, Ordering::Release);
        }
    }

    /// Returns the timetable, which is the same for all threads.
    ///
    /// # Errors
    ///
    /// Returns the instant at which to call again if some threads have not arrived.
    pub fn timetable(&self) -> Result<Timetable, Nanos> {
        match self.started_at.load(Ordering::Acquire) {
            0 => Err(clock::now() + CHECKED_EVERY_NS),
            started_at => Ok(self.durations.timetable(self.begun_at, started_at)),
        }
    }
}

impl Durations {
    /// Returns the timetable of a trial whose first connection is opened at `begun_at`, and whose
    /// first message is sent at `started_at`.
    fn timetable(self, begun_at: Nanos, started_at: Nanos) -> Timetable {
        let counts_from = started_at + self.warm_up_ns;
        let counts_until = (counts_from + self.window_ns)
            .min(begun_at.saturating_add(self.limit_ns))
            .max(counts_from);
        Timetable {
            started_at,
            window: counts_from..counts_until,
            drained_at: counts_until + self.drain_ns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DURATIONS: Durations = Durations {
        opening_ns: 9,
        warm_up_ns: 10,
        window_ns: 100,
        drain_ns: 50,
        limit_ns: Nanos::MAX,
    };

    #[test]
    fn the_window_follows_the_warm_up_and_the_drain_the_window() {
        let timetable = DURATIONS.timetable(0, 1_000);
        assert_eq!(timetable.window, 1_010..1_110);
        assert_eq!(timetable.drained_at, 1_160);
    }

    #[test]
    fn what_opening_took_is_part_of_the_limit() {
        let durations = |limit_ns| Durations {
            limit_ns,
            ..DURATIONS
        };
        assert_eq!(durations(500).timetable(600, 1_000).window, 1_010..1_100);
        assert_eq!(durations(1).timetable(600, 1_000).window, 1_010..1_010);
    }

    #[test]
    fn all_threads_agree_upon_one_start_without_the_one_that_failed() {
        let start = Start::new(3, DURATIONS, 0, Interruption::default());
        for _ in 0..3 {
            assert!(start.timetable().is_err());
            start.arrive();
        }
        let starts = [(); 2].map(|()| start.timetable().unwrap().started_at);
        assert!(starts[0] > 0);
        assert_eq!(starts[0], starts[1]);
    }
}
