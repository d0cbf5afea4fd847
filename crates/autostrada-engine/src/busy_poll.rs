//! Busy polling: polling before a thread sleeps, while that succeeds, and again before something is
//! due.

use std::io;
use std::time::Duration;

use autostrada_measure::Nanos;
use autostrada_net::{Events, Poll, clock, limits};

/// Number of waits in a row without an event while polling, after which the thread sleeps at once.
const MISSES_MAX: u32 = 8;

/// After that, one wait in this many begins with polling nevertheless.
const WAITS_PER_TRY: u32 = 64;

/// Maximum time of a system call that does not wait, unless the thread is preempted.
const CALL_NS_MAX: Nanos = 5_000;

/// If something is due within this time, the thread does not sleep.
const SLEEP_NS_MIN: Nanos = 20_000;

/// Maximum time before something is due at which the thread polls for it: it runs again only some
/// tens of microseconds after its timer has expired.
const AHEAD_NS_MAX: Nanos = 100_000;

/// Returns a time limit of polling, or 0 if a cgroup limits the CPU time of this process: its threads
/// would have to pause as soon as that is used up.
pub fn permitted_ns(limit_ns: Nanos) -> Nanos {
    if limits::is_cpu_time_limited() {
        0
    } else {
        limit_ns
    }
}

/// How long a thread polls before it sleeps, whether that succeeds, and how long it polls before
/// something is due.
///
/// A peer that sends to a sleeping thread has to wake its core, which costs it several microseconds
/// in a virtual machine, and delays what it sends by tens of them. But if the peer needs this core, or
/// takes long to answer, polling only costs time.
#[derive(Debug, Default)]
pub struct BusyPoll {
    limit_ns: Nanos,
    misses: u32,
    /// The next instant at which something is due.
    due_at: Nanos,
    /// The instant from which the thread polls for it.
    polls_from: Nanos,
    /// Time spent polling without a result, in nanoseconds: the thread had nothing to do.
    pub spun_ns: Nanos,
}

impl BusyPoll {
    /// Creates the state of a thread that polls for a time at most; 0 for one that never does.
    pub fn new(limit_ns: Nanos) -> Self {
        Self {
            limit_ns,
            ..Self::default()
        }
    }

    /// Returns the instant from which the thread polls for what is due at an instant.
    ///
    /// If it sleeps, then for at least half of the time until then, so that a peer on the same core
    /// can run.
    pub fn polls_from(&mut self, now: Nanos, due_at: Nanos) -> Nanos {
        if self.due_at != due_at {
            let wait_ns = due_at.saturating_sub(now);
            let ahead_ns = match wait_ns {
                ..SLEEP_NS_MIN => wait_ns,
                _ if self.limit_ns == 0 => 0,
                _ => (wait_ns - SLEEP_NS_MIN).min(wait_ns / 2).min(AHEAD_NS_MAX),
            };
            self.due_at = due_at;
            self.polls_from = due_at - ahead_ns;
        }
        self.polls_from
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

    /// Polls without sleeping, at most until an instant; without an event, the thread may sleep.
    pub fn poll(&mut self, poll: &mut Poll, events: &mut Events, until: Nanos) -> io::Result<()> {
        events.clear();
        if self.is_next() {
            poll.poll(events, Some(Duration::ZERO))?;
            if !events.is_empty() {
                // This says nothing about polling: there was nothing to wait for.
                return Ok(());
            }
        }
        let is_found = self.poll_again(poll, events, until)?;
        self.note(is_found);
        Ok(())
    }

    /// Polls again and again; returns whether there was an event in time.
    fn poll_again(
        &mut self,
        poll: &mut Poll,
        events: &mut Events,
        until: Nanos,
    ) -> io::Result<bool> {
        let begun = clock::now();
        let ends_at = self.ends_at(begun, until);
        let mut now = begun;
        while now < ends_at {
            poll.poll(events, Some(Duration::ZERO))?;
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
}

#[cfg(test)]
#[path = "tests/busy_poll.rs"]
mod tests;
