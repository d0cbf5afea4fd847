//! How a thread opens its connections: each when it is due, and again where it is to come back.

use autostrada_measure::{Arrivals, FailureKind, Nanos};
use autostrada_net::clock;

use super::Worker;
use super::closing::CLOSING_NS;
use crate::client::connection::{Connection, Lane};
use crate::client::end::End;
use crate::client::start::Start;
use crate::client::workload::{DropKind, Workload};

/// So many connections are begun before the others have their turn: where most ports of a source
/// address are taken, the kernel looks long for a free one.
const BEGUN_PER_TURN_MAX: usize = 64;

/// Which connections are still to be opened.
#[derive(Debug)]
pub struct Opener {
    /// When each connection is due, counted from the first instant.
    connecting: Arrivals,
    /// So many may be on their way at once.
    pending_max: usize,
    /// Whether each needs a second socket.
    needs_polls: bool,
    /// Connections begun, and neither open nor over.
    pub opening: usize,
}

impl Opener {
    /// Nothing is open.
    pub fn new(connecting: Arrivals, pending_max: usize, needs_polls: bool) -> Self {
        Self {
            connecting,
            pending_max,
            needs_polls,
            opening: 0,
        }
    }

    /// Whether as many are on their way as may be.
    fn is_full(&self) -> bool {
        self.opening >= self.pending_max
    }
}

impl<W: Workload> Worker<'_, W> {
    /// Begins connections when they are due, until all are open or over, or the time is.
    pub(super) fn open_all(&mut self, connections: usize, start: &Start) -> anyhow::Result<()> {
        let first_at = clock::now();
        let gives_up_at = first_at + start.opening_ns();
        while self.connections.len() < connections || self.opener.opening > 0 {
            let now = clock::now();
            if start.is_interrupted() {
                break;
            }
            if now >= gives_up_at {
                self.give_up_opening(connections, now);
                break;
            }
            for _ in 0..BEGUN_PER_TURN_MAX {
                let due = self.opener.connecting.next_due().map(|due| first_at + due);
                let Some(due) = due.filter(|&due| due <= now) else {
                    break;
                };
                if self.connections.len() == connections || self.opener.is_full() {
                    break;
                }
                self.opener.connecting.advance();
                self.connections.push(None);
                self.begin_one(self.connections.len() - 1, due);
            }
            let next_at = self.opener.connecting.next_due().map(|due| first_at + due);
            let has_more = self.connections.len() < connections && !self.opener.is_full();
            self.turn(next_at.filter(|_| has_more).unwrap_or(gives_up_at))?;
        }
        self.connections.resize_with(connections, || None);
        Ok(())
    }

    fn begin_one(&mut self, index: usize, due: Nanos) {
        let begun = clock::now();
        let is_slow = self
            .workload
            .slow_readers()
            .is_some_and(|slow| slow.has(index));
        let dial = |lane| self.shared.dialer.dial(index, lane, is_slow);
        let connection = dial(Lane::Main).and_then(|wire| {
            let connection = Connection::new(wire, due.min(begun), begun);
            if self.opener.needs_polls {
                return Ok(connection.with_polls(dial(Lane::Polls)?));
            }
            Ok(connection)
        });
        match connection {
            Ok(connection) => {
                self.connections[index] = Some(connection);
                self.opener.opening += 1;
                self.living += 1;
            }
            Err(error) => {
                let kind = FailureKind::Connect;
                self.stats
                    .failures
                    .record(kind, begun, || error.to_string());
                self.workload.closed(index);
                if let Some(recovery) = self.workload.recovery() {
                    recovery.lose(index, begun);
                }
            }
        }
    }

    /// Takes note of a connection that has opened, and takes in what came with that.
    pub(super) fn open_one(&mut self, index: usize, at: Nanos) -> Result<(), End> {
        let Some(connection) = &mut self.connections[index] else {
            return Ok(());
        };
        let opening = connection.opened(at);
        self.opener.opening -= 1;
        self.stats
            .note_opened(&opening, connection.agreed(), clock::thread_cpu());
        self.seconds.begin(opening.opened);
        self.stats.times.record(opening)?;
        if let Some(recovery) = self.workload.recovery() {
            recovery.recover(index, opening.opened)?;
        }
        connection.receive_first(index, &mut self.workload, &mut self.shared)
    }

    /// Ends the connections that have not opened in time, begun or not.
    fn give_up_opening(&mut self, connections: usize, now: Nanos) {
        let begun = self.connections.len();
        self.connections.resize_with(connections, || None);
        for index in 0..connections {
            let is_opening = |connection: &Connection| connection.is_opening();
            if index >= begun || self.connections[index].as_ref().is_some_and(is_opening) {
                self.give_up_one(index, now);
            }
        }
    }

    /// Ends a connection that has not opened in time.
    pub(super) fn give_up_one(&mut self, index: usize, now: Nanos) {
        self.remove(index);
        let text = || "the opening handshake did not end in time".to_owned();
        self.stats.failures.record(FailureKind::Timeout, now, text);
    }

    /// Begins the connections that are to come back by now; returns when the next is.
    pub(super) fn begin_due(&mut self, now: Nanos) -> Option<Nanos> {
        if self.is_closing {
            return None;
        }
        let closed_by = self.await_closing(now);
        for _ in 0..BEGUN_PER_TURN_MAX {
            if self.opener.is_full() {
                return closed_by;
            }
            let Some((due, index)) = self.workload.recovery()?.take_due(now) else {
                break;
            };
            self.begin_one(index, due);
        }
        let next_due = self.workload.recovery()?.next_due();
        next_due.into_iter().chain(closed_by).min()
    }

    /// Drops all connections, where that is the workload; they come back.
    pub(super) fn drop_all(&mut self) {
        let Some(drop) = self.workload.recovery().map(|recovery| recovery.drop) else {
            return;
        };
        for index in 0..self.connections.len() {
            let Some(connection) = &mut self.connections[index] else {
                continue;
            };
            if drop == DropKind::Abort {
                connection.abort();
                self.conclude(index, Err(End::Done));
            } else {
                self.close_one(index);
            }
        }
        if let Some(recovery) = self.workload.recovery() {
            recovery.closed_by = Some(clock::now() + CLOSING_NS);
        }
    }

    /// Lets go of dropped connections whose peers do not answer; returns until when they may.
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
