//! Waiting for events: by polling while that succeeds, and then asleep.

use std::io;
use std::time::Duration;

use autostrada_measure::Nanos;
use autostrada_net::{Events, clock};

use super::Worker;
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

    /// Returns for how long the next wait polls, in nanoseconds.
    fn next_ns(&self) -> Nanos {
        if self.misses < MISSES_MAX || self.misses.is_multiple_of(WAITS_PER_TRY) {
            self.limit_ns
        } else {
            0
        }
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
    /// Waits for events until an instant.
    pub(super) fn wait(&mut self, events: &mut Events, until: Nanos) -> io::Result<()> {
        let limit_ns = self.busy_poll.next_ns();
        events.clear();
        if limit_ns > 0 {
            self.poll.poll(events, Some(Duration::ZERO))?;
            if !events.is_empty() {
                // This says nothing about polling: there was nothing to wait for.
                return Ok(());
            }
        }
        let is_found = self.poll_busily(events, limit_ns)?;
        self.busy_poll.note(is_found);
        if events.is_empty() {
            self.arm(until)?;
            self.poll.poll(events, None)?;
        }
        Ok(())
    }

    /// Polls for a time, in nanoseconds; returns whether there was an event in that time.
    fn poll_busily(&mut self, events: &mut Events, limit_ns: Nanos) -> io::Result<bool> {
        let begun = clock::now();
        let mut now = begun;
        while now < begun + limit_ns {
            self.poll.poll(events, Some(Duration::ZERO))?;
            let polled_at = now;
            now = clock::now();
            if !events.is_empty() {
                self.spun_ns += (polled_at - begun).min(limit_ns);
                // A call that took longer was preempted, perhaps by the very peer.
                return Ok(now - polled_at < CALL_NS_MAX);
            }
        }
        self.spun_ns += (now - begun).min(limit_ns);
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
            if busy_poll.next_ns() > 0 {
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
        assert_eq!(busy_poll.next_ns(), 0);
        busy_poll.note(true);
        assert_eq!(polling(&mut busy_poll, 190), rare);
    }

    #[test]
    fn without_a_limit_the_thread_sleeps_at_once() {
        assert!(polling(&mut BusyPoll::new(0), 130).is_empty());
    }
}
