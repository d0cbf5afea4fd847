//! Opening of a thread's connections when they are due, and reconnecting.

use std::collections::VecDeque;
use std::time::Duration;

use autostrada_measure::{FailureKind, Nanos};
use autostrada_net::clock;

use super::Worker;
use super::closing::CLOSING_NS;
use crate::client::connection::Connection;
use crate::client::end::End;
use crate::client::start::Start;
use crate::client::workload::{DropKind, Workload};

/// Maximum number of connections started in one turn, so that open connections are not delayed: if
/// most ports of a source address are taken, the kernel needs long to find a free one.
const STARTED_PER_TURN_MAX: usize = 64;

/// Number of opening handshakes after which a server that has refused all takes no connection.
const REFUSED_FIRST: u64 = 10;

/// The connections that are being opened, and those that the server has refused.
#[derive(Debug, Default)]
pub struct Opener {
    /// The connections that were begun, with the instant of that, oldest first, as far as they are to
    /// open in time. Some may be open, or have ended.
    unopened: VecDeque<(Nanos, usize)>,
    /// Number of connections that are being opened.
    pub opening: usize,
    /// Whether the server has said that it takes no more connections.
    pub is_server_full: bool,
    /// Number of opening handshakes that the server has refused.
    pub refused: u64,
}

impl<W: Workload> Worker<'_, W> {
    /// Opens connections when they are due, until all are open or have failed, the server takes no
    /// more, or the time limit is reached.
    pub(super) fn open_all(&mut self, connections: usize, start: &Start<'_>) -> anyhow::Result<()> {
        let first_at = clock::now();
        let gives_up_at = first_at + start.opening_ns();
        let mut reported = 0;
        loop {
            reported = self.report_opened(reported, start);
            let is_over = self.is_opening_over(start);
            if (is_over || self.connections.len() == connections) && self.opener.opening == 0 {
                break;
            }
            let now = clock::now();
            if start.is_interrupted() {
                break;
            }
            if now >= gives_up_at {
                self.give_up_opening(connections, now);
                break;
            }
            for _ in 0..STARTED_PER_TURN_MAX {
                let due = self.config.connecting.next_due().map(|due| first_at + due);
                let Some(due) = due.filter(|&due| due <= now) else {
                    break;
                };
                if is_over || self.connections.len() == connections || self.is_opening_max() {
                    break;
                }
                self.config.connecting.advance();
                self.connections.push(None);
                self.connect_one(self.connections.len() - 1, due);
            }
            let next_at = self.config.connecting.next_due().map(|due| first_at + due);
            let has_more =
                !is_over && self.connections.len() < connections && !self.is_opening_max();
            self.turn(next_at.filter(|_| has_more).unwrap_or(gives_up_at))?;
        }
        self.connections.resize_with(connections, || None);
        Ok(())
    }

    /// Whether the maximum number of connections is being opened.
    fn is_opening_max(&self) -> bool {
        self.opener.opening >= self.config.connect_pending_max
    }

    /// Adds the connections that have opened since `reported` ones to those of all threads; returns
    /// how many have.
    pub(super) fn report_opened(&self, reported: u64, start: &Start<'_>) -> u64 {
        let opened = self.stats.opened;
        if opened > reported {
            start.add_opened(opened - reported);
        }
        opened
    }

    /// Whether the server takes no more connections, as it has told one of the threads, or none.
    fn is_opening_over(&self, start: &Start<'_>) -> bool {
        if !self.config.stops_if_full {
            return false;
        }
        let refuses_all = self.opener.refused >= REFUSED_FIRST && start.opened() == 0;
        if self.opener.is_server_full || refuses_all {
            start.stop_opening();
        }
        start.has_stopped_opening()
    }

    fn connect_one(&mut self, index: usize, due: Nanos) {
        let begun = clock::now();
        let is_slow = self
            .workload
            .slow_readers()
            .is_some_and(|slow| slow.contains(index));
        match self.shared.dialer.dial(index, is_slow) {
            Ok(wire) => {
                let connection = Connection::new(wire, due.min(begun), begun);
                self.connections[index] = Some(connection);
                self.opener.opening += 1;
                self.active_connections += 1;
                if self.config.connect_timeout_ns.is_some() {
                    self.opener.unopened.push_back((begun, index));
                }
            }
            Err(error) => {
                let kind = FailureKind::Connect;
                self.stats
                    .failures
                    .record(kind, begun, || error.to_string());
                self.workload.closed(index);
                if let Some(recovery) = self.workload.recovery() {
                    recovery.record_lost(index, begun);
                }
            }
        }
    }

    /// Records that a connection has opened, and processes the bytes received with the response.
    pub(super) fn open_one(&mut self, index: usize, at: Nanos) -> Result<(), End> {
        let Some(connection) = &mut self.connections[index] else {
            return Ok(());
        };
        let opening = connection.opened(at);
        self.opener.opening -= 1;
        if let Some(observer) = &self.config.observer {
            observer.report(connection.wire().transport().stream());
        }
        if let Some(due) = connection.beat_due() {
            self.heartbeats.add(due, index);
        }
        self.stats
            .note_opened(&opening, connection.negotiated(), clock::thread_cpu());
        if self.config.slices.is_none() {
            self.config.seconds.begin(opening.opened);
        }
        self.stats.times.record(opening)?;
        if let Some(recovery) = self.workload.recovery() {
            recovery.record_recovered(index, opening.opened)?;
        }
        let outbox = &mut connection.outbox;
        self.shared.session_config.send_greeting(index, outbox);
        connection.receive_first(index, &mut self.workload, &mut self.shared)
    }

    /// Gives up all connections that have not opened in time, started or not.
    pub(super) fn give_up_opening(&mut self, connections: usize, now: Nanos) {
        let begun = self.connections.len();
        self.connections.resize_with(connections, || None);
        for index in 0..connections {
            let is_opening = |connection: &Connection| connection.is_opening();
            if index >= begun || self.connections[index].as_ref().is_some_and(is_opening) {
                self.give_up_one(index, now);
            }
        }
    }

    /// Gives up a connection that has not opened in time, and records the failure.
    pub(super) fn give_up_one(&mut self, index: usize, now: Nanos) {
        self.remove(index);
        let text = || "the connection did not open in time".to_owned();
        self.stats.failures.record(FailureKind::Timeout, now, text);
    }

    /// Fails the connections that have not opened within the time limit of one connection; returns
    /// the next instant at which one fails, or `None` if none is being opened.
    pub(super) fn fail_unopened(&mut self, now: Nanos) -> Option<Nanos> {
        let timeout_ns = self.config.connect_timeout_ns?;
        while let Some(&(begun, index)) = self.opener.unopened.front() {
            let connection = self.connections.get(index).and_then(Option::as_ref);
            let unfinished = connection.and_then(Connection::unfinished_opening);
            // Another connection may have replaced the one that was begun then.
            let step = unfinished.and_then(|(at, step)| (at == begun).then_some(step));
            if step.is_some() && now < begun + timeout_ns {
                return Some(begun + timeout_ns);
            }
            self.opener.unopened.pop_front();
            if let Some(step) = step {
                let limit_s = Duration::from_nanos(timeout_ns).as_secs_f64();
                let text = format!("{step} within {limit_s} s");
                self.conclude(index, Err(End::Failed(FailureKind::Timeout, text)));
            }
        }
        None
    }

    /// Reconnects the connections that are due; returns the instant at which to call again, or
    /// `None` if nothing is scheduled.
    pub(super) fn reconnect_due(&mut self, now: Nanos) -> Option<Nanos> {
        if self.is_closing {
            return None;
        }
        if self
            .workload
            .recovery()?
            .drop_due
            .is_some_and(|due| due <= now)
        {
            self.drop_all();
        }
        let closed_by = self.await_closing(now);
        for _ in 0..STARTED_PER_TURN_MAX {
            if self.is_opening_max() {
                break;
            }
            let Some((due, index)) = self.workload.recovery()?.take_due(now) else {
                break;
            };
            self.connect_one(index, due);
        }
        let is_full = self.is_opening_max();
        let recovery = self.workload.recovery()?;
        let next_due = recovery.next_due().filter(|_| !is_full);
        [next_due, recovery.drop_due, closed_by]
            .into_iter()
            .flatten()
            .min()
    }

    /// Drops all connections that are open if the workload reconnects.
    pub(super) fn drop_all(&mut self) {
        let Some(drop) = self.workload.recovery().map(|recovery| recovery.drop) else {
            return;
        };
        for index in 0..self.connections.len() {
            let Some(connection) = &mut self.connections[index] else {
                continue;
            };
            if connection.is_opening() {
                continue;
            }
            if drop == DropKind::Abort {
                connection.abort();
                self.conclude(index, Err(End::Done));
            } else {
                self.close_one(index);
            }
        }
        if let Some(recovery) = self.workload.recovery() {
            let now = clock::now();
            recovery.closed_by = Some(now + CLOSING_NS);
            recovery.schedule_drop(now);
        }
    }

    /// Fails dropped connections whose closing handshake is not answered in time; returns the
    /// deadline if it has not passed.
    fn await_closing(&mut self, now: Nanos) -> Option<Nanos> {
        let recovery = self.workload.recovery()?;
        let closed_by = recovery.closed_by?;
        if now < closed_by {
            return Some(closed_by);
        }
        recovery.closed_by = None;
        for index in 0..self.connections.len() {
            let is_closing = |connection: &Connection| connection.outbox.is_closing();
            if self.connections[index].as_ref().is_some_and(is_closing) {
                let text = "the closing handshake was not answered in time".to_owned();
                self.conclude(index, Err(End::Failed(FailureKind::Timeout, text)));
            }
        }
        None
    }
}
