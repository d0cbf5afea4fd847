//! Counters that the threads of a server share with the thread that prints.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
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

/// What the threads have sent, how many connections there are, and whether a thread has failed.
#[derive(Debug)]
pub struct SharedCounters {
    by_thread: Vec<ThreadCounters>,
    /// The instant of the first message since a client connected; 0 while there is none.
    started_ns: AtomicU64,
    connected: AtomicUsize,
    ended: AtomicU64,
    ends_after: Option<u64>,
    failure: Mutex<Option<anyhow::Error>>,
    waker: Arc<Waker>,
}

impl SharedCounters {
    /// Makes counters that wake the thread that prints when it has something to do.
    pub fn new(threads: usize, ends_after: Option<u64>, waker: Arc<Waker>) -> Self {
        Self {
            by_thread: (0..threads).map(|_| ThreadCounters::default()).collect(),
            started_ns: AtomicU64::new(0),
            connected: AtomicUsize::new(0),
            ended: AtomicU64::new(0),
            ends_after,
            failure: Mutex::new(None),
            waker,
        }
    }

    fn wake(&self) {
        if let Err(error) = self.waker.wake() {
            crate::log(&format!("cannot wake a thread: {error}"));
        }
    }

    /// Adds what a thread has written to its sockets.
    pub fn count(&self, thread: usize, count: Count) {
        let counters = &self.by_thread[thread];
        // No other thread writes here, so that a load and a store are enough.
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

    /// The sum over all threads.
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

    /// The instant of the first message since a client connected, if there was one.
    pub fn started_ns(&self) -> Option<Nanos> {
        Some(self.started_ns.load(Ordering::Acquire)).filter(|&at| at > 0)
    }

    /// Counts a connection that was accepted.
    pub fn connect(&self) {
        self.connected.fetch_add(1, Ordering::AcqRel);
    }

    /// Counts a connection that is closed; `was_opened`: its handshake was complete.
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

    /// Whether as many connections have ended as the plan says.
    pub fn is_over(&self) -> bool {
        self.ends_after
            .is_some_and(|connections| self.ended.load(Ordering::Acquire) >= connections)
    }

    /// Records why a thread has failed; the first reason is kept.
    pub fn fail(&self, error: anyhow::Error) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.get_or_insert(error);
        drop(failure);
        self.wake();
    }

    /// Takes the reason why a thread has failed, if one has.
    pub fn failure(&self) -> Option<anyhow::Error> {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.take()
    }
}
