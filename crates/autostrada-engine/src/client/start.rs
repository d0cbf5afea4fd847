//! The instant at which all threads of a client begin, and how long they go on.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use autostrada_measure::Nanos;
use autostrada_net::clock;

/// How often a thread asks whether all others are ready.
const ASKED_EVERY_NS: Nanos = 2_000_000;

/// From the last thread's word to the start, so that no thread begins late.
const NOTICE_NS: Nanos = 5 * ASKED_EVERY_NS;

/// How long each part of a trial takes.
#[derive(Debug, Clone, Copy)]
pub struct Durations {
    /// Opening all connections, at most.
    pub opening_ns: Nanos,
    /// Before anything is counted.
    pub warm_up_ns: Nanos,
    /// What is due in it counts.
    pub window_ns: Nanos,
    /// For the answers that are still to come, at most.
    pub drain_ns: Nanos,
    /// From the first connection to the end of the window, at most.
    pub limit_ns: Nanos,
}

/// When a trial begins and what of it counts; by default nothing does.
#[derive(Debug, Clone, Default)]
pub struct Timetable {
    /// The first messages are sent.
    pub started_at: Nanos,
    /// Messages that are due in it count.
    pub window: Range<Nanos>,
    /// No answer is waited for any longer.
    pub drained_at: Nanos,
}

impl Timetable {
    /// How long answers are waited for after the window.
    pub fn drain_ns(&self) -> Nanos {
        self.drained_at - self.window.end
    }
}

/// Where the threads of a client meet: once, before the first message.
#[derive(Debug)]
pub struct Start {
    /// Threads that are not ready yet.
    awaited: AtomicUsize,
    begun_at: Nanos,
    /// 0 until all are ready.
    started_at: AtomicU64,
    durations: Durations,
    is_interrupted: Arc<AtomicBool>,
}

impl Start {
    /// For so many threads; setting `is_interrupted` ends the trial within a second.
    pub fn new(threads: usize, durations: Durations, is_interrupted: Arc<AtomicBool>) -> Self {
        Self {
            awaited: AtomicUsize::new(threads),
            begun_at: clock::now(),
            started_at: AtomicU64::new(0),
            durations,
            is_interrupted,
        }
    }

    /// How long opening all connections may take.
    pub fn opening_ns(&self) -> Nanos {
        self.durations.opening_ns
    }

    /// Whether the user wants it to end.
    pub fn is_interrupted(&self) -> bool {
        self.is_interrupted.load(Ordering::Relaxed)
    }

    /// A thread is ready; or has failed, and must not hold up the others.
    pub fn arrive(&self) {
        if self.awaited.fetch_sub(1, Ordering::AcqRel) == 1 {
            let started_at = clock::now() + NOTICE_NS;
            self.started_at.store(started_at, Ordering::Release);
        }
    }

    /// The timetable, which is the same for all threads; before all are ready, when to ask again.
    pub fn timetable(&self) -> Result<Timetable, Nanos> {
        match self.started_at.load(Ordering::Acquire) {
            0 => Err(clock::now() + ASKED_EVERY_NS),
            started_at => Ok(self.durations.timetable(self.begun_at, started_at)),
        }
    }
}

impl Durations {
    /// The timetable of a trial whose first connection is begun at an instant, and its first
    /// message at another.
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
        let start = Start::new(3, DURATIONS, Arc::default());
        for _ in 0..3 {
            assert!(start.timetable().is_err());
            start.arrive();
        }
        let starts = [(); 2].map(|()| start.timetable().unwrap().started_at);
        assert!(starts[0] > 0);
        assert_eq!(starts[0], starts[1]);
    }
}
