//! The instant at which all threads of a client begin, and how long they go on.

use std::ops::Range;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};

use autostrada_measure::Nanos;
use autostrada_net::clock;

/// From the last thread's word to the start, so that no thread begins late.
const NOTICE_NS: Nanos = 2_000_000;

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
}

/// When a trial begins and what of it counts.
#[derive(Debug, Clone)]
pub struct Timetable {
    /// The first messages are sent.
    pub started_at: Nanos,
    /// Messages that are due in it count.
    pub window: Range<Nanos>,
    /// No answer is waited for any longer.
    pub drained_at: Nanos,
}

/// Where the threads of a client meet: once, before the first message.
#[derive(Debug)]
pub struct Start {
    barrier: Barrier,
    started_at: AtomicU64,
    durations: Durations,
}

impl Start {
    /// For so many threads.
    pub fn new(threads: usize, durations: Durations) -> Self {
        Self {
            barrier: Barrier::new(threads),
            started_at: AtomicU64::new(0),
            durations,
        }
    }

    /// How long opening all connections may take.
    pub fn opening_ns(&self) -> Nanos {
        self.durations.opening_ns
    }

    /// Waits for all threads, and returns the timetable that is the same for all.
    pub fn agree(&self) -> Timetable {
        if self.barrier.wait().is_leader() {
            self.started_at
                .store(clock::now() + NOTICE_NS, Ordering::SeqCst);
        }
        self.barrier.wait();
        self.durations.from(self.started_at.load(Ordering::SeqCst))
    }
}

impl Durations {
    /// The timetable of a trial that starts at an instant.
    pub fn from(self, started_at: Nanos) -> Timetable {
        let counts_from = started_at + self.warm_up_ns;
        let counts_until = counts_from + self.window_ns;
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
    };

    #[test]
    fn the_window_follows_the_warm_up_and_the_drain_the_window() {
        let timetable = DURATIONS.from(1_000);
        assert_eq!(timetable.window, 1_010..1_110);
        assert_eq!(timetable.drained_at, 1_160);
    }

    #[test]
    fn all_threads_agree_upon_one_start() {
        let start = Start::new(3, DURATIONS);
        let starts: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..3)
                .map(|_| scope.spawn(|| start.agree().started_at))
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect()
        });
        assert!(starts[0] > 0);
        assert!(starts.iter().all(|&started_at| started_at == starts[0]));
    }
}
