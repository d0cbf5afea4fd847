//! What the threads of a server tell the one that prints.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use autostrada_measure::Nanos;
use autostrada_net::{Waker, clock};

use super::sending::Count;

/// One thread's counts, on cache lines that no other thread writes to.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Tally {
    messages: AtomicU64,
    bytes: AtomicU64,
}

/// What the threads of a server tell the one that prints.
#[derive(Debug)]
pub struct Board {
    tallies: Vec<Tally>,
    /// When the first message was sent of those who are connected; 0 while none is.
    started_ns: AtomicU64,
    connected: AtomicUsize,
    ended: AtomicU64,
    ends_after: Option<u64>,
    failure: Mutex<Option<anyhow::Error>>,
    waker: Arc<Waker>,
}

impl Board {
    /// Wakes the one that prints when there is something to do for it.
    pub fn new(threads: usize, ends_after: Option<u64>, waker: Arc<Waker>) -> Self {
        Self {
            tallies: (0..threads).map(|_| Tally::default()).collect(),
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

    /// A thread has handed something to the kernel.
    pub fn count(&self, thread: usize, count: Count) {
        let tally = &self.tallies[thread];
        // No other thread writes here: two halves of an addition are enough.
        let add = |counter: &AtomicU64, more| {
            counter.store(counter.load(Ordering::Relaxed) + more, Ordering::Relaxed);
        };
        add(&tally.messages, count.messages);
        add(&tally.bytes, count.bytes);
        if self.started_ns.load(Ordering::Relaxed) == 0 {
            let (done, not) = (Ordering::AcqRel, Ordering::Relaxed);
            let first = self.started_ns.compare_exchange(0, clock::now(), done, not);
            if first.is_ok() {
                self.wake();
            }
        }
    }

    /// All that was counted so far.
    pub fn total(&self) -> Count {
        let mut total = Count::default();
        for tally in &self.tallies {
            total += Count {
                messages: tally.messages.load(Ordering::Relaxed),
                bytes: tally.bytes.load(Ordering::Relaxed),
            };
        }
        total
    }

    /// When the first message was sent of those who are connected, if any was.
    pub fn started_ns(&self) -> Option<Nanos> {
        Some(self.started_ns.load(Ordering::Acquire)).filter(|&at| at > 0)
    }

    /// A connection was accepted.
    pub fn connect(&self) {
        self.connected.fetch_add(1, Ordering::AcqRel);
    }

    /// A connection is gone; whether it was ever open.
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

    /// Whether as many connections have ended as were planned.
    pub fn is_over(&self) -> bool {
        self.ends_after
            .is_some_and(|connections| self.ended.load(Ordering::Acquire) >= connections)
    }

    /// A thread cannot go on.
    pub fn fail(&self, error: anyhow::Error) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.get_or_insert(error);
        drop(failure);
        self.wake();
    }

    /// Why a thread could not go on, if one could not.
    pub fn failure(&self) -> Option<anyhow::Error> {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.take()
    }
}
