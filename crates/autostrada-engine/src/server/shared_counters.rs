//! Counters that the worker threads of a server share with its main thread, which prints.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use autostrada_measure::Nanos;
use autostrada_net::{Waker, clock};

use super::sending::Count;

/// The counts of one thread, on cache lines that no other thread writes to.
#[derive(Debug, Default)]
#[repr(align(128))]
struct ThreadCounters {
    messages: AtomicU64,
    bytes: AtomicU64,
}

/// Sent messages of each thread, number of connections, and the first failure of a thread.
#[derive(Debug)]
pub struct SharedCounters {
    by_thread: Vec<ThreadCounters>,
    /// Instant of the first message since the server last had no connections, in nanoseconds;
    /// 0 if there is none.
    started_ns: AtomicU64,
    connected: AtomicUsize,
    ended: AtomicU64,
    ends_after: Option<u64>,
    is_finished: AtomicBool,
    failure: Mutex<Option<anyhow::Error>>,
    waker: Arc<Waker>,
}

impl SharedCounters {
    /// Creates counters for `threads` threads.
    ///
    /// `ends_after`: number of ended connections after which the server is over; `None`: never.
    /// `waker` wakes the main thread when a series begins or ends, when the server is over, or when
    /// a thread fails.
    pub fn new(threads: usize, ends_after: Option<u64>, waker: Arc<Waker>) -> Self {
        Self {
            by_thread: (0..threads).map(|_| ThreadCounters::default()).collect(),
            started_ns: AtomicU64::new(0),
            connected: AtomicUsize::new(0),
            ended: AtomicU64::new(0),
            ends_after,
            is_finished: AtomicBool::new(false),
            failure: Mutex::new(None),
            waker,
        }
    }

    fn wake(&self) {
        if let Err(error) = self.waker.wake() {
            crate::log(&format!("cannot wake a thread: {error}"));
        }
    }

    /// Adds messages that a thread has written to its sockets.
    pub fn count(&self, thread: usize, count: Count) {
        let counters = &self.by_thread[thread];
        // No other thread writes these counters, so a load and a store suffice.
        let add = |counter: &AtomicU64, more| {
            counter.store(counter.load(Ordering::Relaxed) + more, Ordering::Relaxed);
        };
        add(&counters.messages, count.messages);
        add(&counters.bytes, count.bytes);
        if self.started_ns.load(Ordering::Relaxed) == 0 {
            let (done, not) = (Ordering::AcqRel, Ordering::Relaxed);
            let first = self.started_ns.compare_exchange(0, clock::now(), done, not);
            if first.is_ok() {
                self.wake();
            }
        }
    }

    /// Returns the sum over all threads.
    pub fn total(&self) -> Count {
        let mut total = Count::default();
        for counters in &self.by_thread {
            total += Count {
                messages: counters.messages.load(Ordering::Relaxed),
                bytes: counters.bytes.load(Ordering::Relaxed),
            };
        }
        total
    }

    /// Returns the instant of the first message since the server last had no connections, in
    /// nanoseconds; `None` if there is none.
    pub fn started_ns(&self) -> Option<Nanos> {
        Some(self.started_ns.load(Ordering::Acquire)).filter(|&at| at > 0)
    }

    /// Counts an accepted connection.
    pub fn connect(&self) {
        self.connected.fetch_add(1, Ordering::AcqRel);
    }

    /// Counts a closed connection; `was_opened`: whether its opening handshake was complete.
    pub fn disconnect(&self, was_opened: bool) {
        if was_opened {
            self.ended.fetch_add(1, Ordering::AcqRel);
        }
        let is_last = self.connected.fetch_sub(1, Ordering::AcqRel) == 1;
        if is_last {
            self.started_ns.store(0, Ordering::Release);
        }
        if is_last || self.is_over() {
            self.wake();
        }
    }

    /// Records that a thread has done everything.
    pub fn finish(&self) {
        self.is_finished.store(true, Ordering::Release);
        self.wake();
    }

    /// Returns whether the planned number of connections has ended, or a thread has done everything.
    pub fn is_over(&self) -> bool {
        let ended = || self.ended.load(Ordering::Acquire);
        self.ends_after
            .is_some_and(|connections| ended() >= connections)
            || self.is_finished.load(Ordering::Acquire)
    }

    /// Records why a thread failed; keeps the first reason if several threads fail.
    pub fn fail(&self, error: anyhow::Error) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.get_or_insert(error);
        drop(failure);
        self.wake();
    }

    /// Takes the reason why a thread failed, or returns `None` if none failed.
    pub fn failure(&self) -> Option<anyhow::Error> {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.take()
    }
}
