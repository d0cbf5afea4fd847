//! Waiting for events until something is due.

use std::io;

use autostrada_measure::Nanos;
use autostrada_net::{Events, clock};

use super::Worker;
use crate::client::workload::Workload;

impl<W: Workload> Worker<'_, W> {
    /// Waits for events: asleep until `polls_from` at most, and polling until `due_at` at most.
    ///
    /// May return earlier without an event.
    pub(super) fn wait(
        &mut self,
        events: &mut Events,
        polls_from: Nanos,
        due_at: Nanos,
    ) -> io::Result<()> {
        self.busy_poll.poll(&mut self.poll, events, due_at)?;
        if events.is_empty() && clock::now() < polls_from {
            self.arm(polls_from)?;
            self.poll.poll(events, None)?;
        }
        Ok(())
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
