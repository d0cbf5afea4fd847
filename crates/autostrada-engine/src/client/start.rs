//! The instant at which all threads of a client begin, and how long they go on.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};

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

/// Where the threads of a client meet: once, before the first message.
#[derive(Debug)]
pub struct Start {
    state: Mutex<State>,
    changed: Condvar,
    durations: Durations,
    is_interrupted: Arc<AtomicBool>,
}

#[derive(Debug)]
struct State {
    /// Threads that are not ready yet.
    awaited: usize,
    started_at: Nanos,
}

impl Start {
    /// For so many threads; whoever sets `is_interrupted` ends the trial within a second.
    pub fn new(threads: usize, durations: Durations, is_interrupted: Arc<AtomicBool>) -> Self {
        let state = State {
            awaited: threads,
            started_at: 0,
        };
        Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
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

    /// Waits for all threads, and returns the timetable that is the same for all.
    pub fn agree(&self) -> Timetable {
        self.leave();
        let state = self.state.lock().expect(NO_PANIC);
        let state = self
            .changed
            .wait_while(state, |state| state.awaited > 0)
            .expect(NO_PANIC);
        self.durations.from(state.started_at)
    }

    /// Does not wait: a thread that has failed must not hold up the others.
    pub fn leave(&self) {
        let mut state = self.state.lock().expect(NO_PANIC);
        state.awaited -= 1;
        if state.awaited == 0 {
            state.started_at = clock::now() + NOTICE_NS;
            self.changed.notify_all();
        }
    }
}

/// Why a lock is never poisoned.
const NO_PANIC: &str = "nothing that holds this lock can panic";

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
    fn all_threads_agree_upon_one_start_without_the_one_that_failed() {
        let start = Start::new(3, DURATIONS, Arc::default());
        let starts: Vec<_> = std::thread::scope(|scope| {
            let threads = [0, 1].map(|_| scope.spawn(|| start.agree().started_at));
            scope.spawn(|| start.leave());
            threads.map(|thread| thread.join().unwrap()).to_vec()
        });
        assert!(starts[0] > 0);
        assert_eq!(starts[0], starts[1]);
    }
}
