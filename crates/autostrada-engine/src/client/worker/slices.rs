//! The slices of a thread, and its rest between them.

use std::mem::{replace, swap};

use autostrada_measure::Nanos;
use autostrada_net::{Token, clock};

use super::Worker;
use crate::busy_poll::BusyPoll;
use crate::client::slices::{Next, Slices};
use crate::client::start::Start;
use crate::client::timetable::Timetable;
use crate::client::workload::Workload;
use crate::line::SliceRow;

/// The poller's token for the timer that ends the rest of a thread. It is that of no connection, so
/// that nothing else happens.
pub const WAKE: Token = Token(usize::MAX - 3);

impl<W: Workload> Worker<'_, W> {
    /// Carries out slices when they are commanded, until the load ends.
    pub(super) fn carry_out(&mut self, slices: &Slices, start: &Start<'_>) -> anyhow::Result<()> {
        let (mut done, mut busy_ns) = (0, 0);
        loop {
            match slices.next(done, |length_ns| start.slice_timetable(length_ns)) {
                _ if start.is_interrupted() => break,
                Next::End => break,
                Next::Wait => self.rest()?,
                Next::Slice { timetable, counts } => {
                    let row = if counts {
                        self.slice(&timetable, start)?
                    } else {
                        self.uncounted_slice(&timetable, start)?
                    };
                    busy_ns += if counts { row.busy_ns } else { 0 };
                    done += 1;
                    slices.finish(row);
                }
            }
        }
        // The window of the result is as long as all slices that count.
        let (began_at, counted_ns) = slices.counted().unwrap_or((clock::now(), 0));
        self.stats.window_start = began_at;
        self.stats.ended_at = began_at + counted_ns;
        self.stats.busy_ns = busy_ns;
        Ok(())
    }

    /// Waits to be woken, without polling, and processes what peers send.
    fn rest(&mut self) -> anyhow::Result<()> {
        let busy_poll = replace(&mut self.busy_poll, BusyPoll::new(0));
        let turned = self.turn(Nanos::MAX);
        self.busy_poll = busy_poll;
        turned
    }

    /// Exchanges messages for the time of one slice, and awaits their answers.
    fn slice(&mut self, timetable: &Timetable, start: &Start<'_>) -> anyhow::Result<SliceRow> {
        let answered_before = self.workload.answered();
        let busy_before = self.working_ns();
        self.stats.ended_at = timetable.started_at;
        self.workload.begin_slice(timetable);
        if self.active_connections > 0 {
            self.has_stopped = false;
            self.exchange(timetable, start)?;
        }
        let busy_ns = self.working_ns().saturating_sub(busy_before);
        let is_answered = !self.awaits_answers() && !self.workload.has_lost();
        if !start.is_interrupted() {
            self.workload.give_up(clock::now());
        }
        let records = self.workload.records();
        let has_failed = self.stats.failures.count() + records.failures.count() > 0;
        Ok(SliceRow {
            began_ns: timetable.started_at,
            ended_ns: self.stats.ended_at.max(records.received_ns),
            messages: self.workload.answered() - answered_before,
            busy_ns,
            complete: is_answered
                && !has_failed
                && self.active_connections == self.connections.len(),
        })
    }

    /// Carries out a slice that leaves only failures in the result.
    fn uncounted_slice(
        &mut self,
        timetable: &Timetable,
        start: &Start<'_>,
    ) -> anyhow::Result<SliceRow> {
        let traffic = self.shared.traffic;
        self.swap_records();
        let row = self.slice(timetable, start);
        self.swap_records();
        self.shared.traffic = traffic;
        row
    }

    /// Exchanges the records of the slices that count for those of the others, except the failures.
    fn swap_records(&mut self) {
        let others = self.uncounted.get_or_insert_default();
        self.workload.swap_records(others);
        let records = self.workload.records();
        swap(&mut records.failures, &mut others.0.failures);
        swap(&mut records.wrong, &mut others.0.wrong);
    }

    /// Returns the CPU time of the thread without busy waiting.
    pub(super) fn working_ns(&self) -> Nanos {
        // Time of a preempted thread may count as spun and not as CPU time.
        clock::thread_cpu().saturating_sub(self.busy_poll.spun_ns)
    }
}
