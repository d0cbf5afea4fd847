//! Waiting for events: by polling while that succeeds, and then asleep.

use std::io;
use std::time::Duration;

use autostrada_measure::Nanos;
use autostrada_net::{Events, clock};

use super::Worker;
use super::turn::SLEEP_NS_MIN;
use crate::client::workload::Workload;

/// Number of waits in a row without an event while polling, after which the thread sleeps at once.
const MISSES_MAX: u32 = 8;

/// After that, one wait in this many begins with polling nevertheless.
const WAITS_PER_TRY: u32 = 64;

/// Maximum time of a system call that does not wait, unless the thread is preempted.
const CALL_NS_MAX: Nanos = 5_000;

/// How long a thread polls before it sleeps, and whether that succeeds.
///
/// A peer that sends to a sleeping thread has to wake its core, which costs it several microseconds
/// in a virtual machine, and delays what it sends by tens of them. But if the peer needs this core, or
/// takes long to answer, polling only costs time.
#[derive(Debug)]
pub(super) struct BusyPoll {
    limit_ns: Nanos,
    misses: u32,
}

impl BusyPoll {
    pub(super) fn new(limit_ns: Nanos) -> Self {
        Self {
            limit_ns,
            misses: 0,
        }
    }

    /// Whether the next wait begins with polling.
    fn is_next(&self) -> bool {
        let is_tried = self.misses < MISSES_MAX || self.misses.is_multiple_of(WAITS_PER_TRY);
        self.limit_ns > 0 && is_tried
    }

    /// Returns the instant at which polling ends that begins now, in a wait until another instant.
    fn ends_at(&self, now: Nanos, until: Nanos) -> Nanos {
        let limit_ns = if self.is_next() { self.limit_ns } else { 0 };
        (now + limit_ns).min(until.max(now))
    }

    /// Notes whether there was an event before the thread slept.
    fn note(&mut self, is_found: bool) {
        self.misses = if is_found {
            0
        } else {
            self.misses.wrapping_add(1)
        };
    }
}

impl<W: Workload> Worker<'_, W> {
    /// Waits for events, at most until an instant, and may return earlier without any.
    pub(super) fn wait(&mut self, events: &mut Events, until: Nanos) -> io::Result<()> {
        events.clear();
        if self.busy_poll.is_next() {
            self.poll.poll(events, Some(Duration::ZERO))?;
            if !events.is_empty() {
                // This says nothing about polling: there was nothing to wait for.
                return Ok(());
            }
        }
        let is_found = self.poll_busily(events, until)?;
        self.busy_poll.note(is_found);
        if events.is_empty() && clock::now() + SLEEP_NS_MIN <= until {
            self.arm(until)?;
            self.poll.poll(events, None)?;
        }
        Ok(())
    }

    /// Polls without sleeping; returns whether there was an event in time.
    fn poll_busily(&mut self, events: &mut Events, until: Nanos) -> io::Result<bool> {
        let begun = clock::now();
        let ends_at = self.busy_poll.ends_at(begun, until);
        let mut now = begun;
        while now < ends_at {
            self.poll.poll(events, Some(Duration::ZERO))?;
            let polled_at = now;
            now = clock::now();
            if !events.is_empty() {
                self.spun_ns += polled_at - begun;
                // A call that took longer was preempted, perhaps by the very peer.
                return Ok(now - polled_at < CALL_NS_MAX);
            }
        }
        // A preempted thread has not polled until now.
        self.spun_ns += now.min(ends_at) - begun;
        Ok(false)
    }

    /// Arms the timer to wake the thread at an instant, unless it already wakes it earlier.
    ///
    /// This saves a system call in each turn of a closed loop, whose next instant always moves a
    /// little.
    fn arm(&mut self, at: Nanos) -> io::Result<()> {
        if self.armed_at > clock::now() && self.armed_at <= at {
            return Ok(());
        }
        self.armed_at = at;
        self.timer.set(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Waits without an event, and returns in which of them the thread would poll.
    fn polling(busy_poll: &mut BusyPoll, waits: u32) -> Vec<u32> {
        let mut polling = Vec::new();
        for wait in 0..waits {
            if busy_poll.is_next() {
                polling.push(wait);
            }
            busy_poll.note(false);
        }
        polling
    }

    #[test]
    fn polling_becomes_rare_without_success_and_returns_with_it() {
        let mut busy_poll = BusyPoll::new(20_000);
        let rare = [0, 1, 2, 3, 4, 5, 6, 7, 64, 128];
        assert_eq!(polling(&mut busy_poll, 190), rare);
        assert!(!busy_poll.is_next());
        busy_poll.note(true);
        assert_eq!(polling(&mut busy_poll, 190), rare);
    }

    #[test]
    fn polling_never_delays_a_message_that_is_due() {
        let mut busy_poll = BusyPoll::new(50_000);
        assert_eq!(busy_poll.ends_at(1000, 90_000), 51_000);
        assert_eq!(busy_poll.ends_at(1000, 30_000), 30_000);
        assert_eq!(busy_poll.ends_at(1000, 900), 1000);
        polling(&mut busy_poll, 10);
        assert_eq!(busy_poll.ends_at(1000, 90_000), 1000);
    }

    #[test]
    fn without_a_limit_the_thread_sleeps_at_once() {
        assert!(polling(&mut BusyPoll::new(0), 130).is_empty());
    }
}
