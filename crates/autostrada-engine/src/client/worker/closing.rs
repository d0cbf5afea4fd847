//! Ending of connections: of a single one, or of all when the trial is over.

use autostrada_measure::{FailureKind, Nanos};
use autostrada_net::clock;
use autostrada_proto::close;

use super::Worker;
use crate::client::connection::Connection;
use crate::client::end::End;
use crate::client::plan::EndPlan;
use crate::client::start::Start;
use crate::client::workload::Workload;

/// Time limit of the closing handshakes of all connections together.
pub(super) const CLOSING_NS: Nanos = 1_000_000_000;

/// The same limit after an interruption, when the user waits for the end.
const CLOSING_INTERRUPTED_NS: Nanos = 250_000_000;

impl<W: Workload> Worker<'_, W> {
    /// Ends a connection if `result` is an error, and records why it ended.
    #[inline]
    pub(super) fn conclude(&mut self, index: usize, result: Result<(), End>) {
        if let Err(end) = result {
            self.end(index, end);
        }
    }

    /// Ends a connection, and records why.
    #[cold]
    fn end(&mut self, index: usize, end: End) {
        let now = clock::now();
        // The peer may have sent more, and the server ends the TCP connection: RFC 6455, 7.1.1.
        let is_peers_to_end =
            matches!(end, End::Closed(..) | End::Failed(FailureKind::Protocol, _));
        let connection = self.connections[index].as_ref();
        let was_open = connection.is_some_and(|connection| !connection.is_opening());
        let is_lost = was_open && !matches!(end, End::Done);
        self.note_end(end, now);
        if let Some(connection) = self.remove(index)
            && is_peers_to_end
            && connection.has_closing_frames()
        {
            let buffer = &mut self.shared.buffer;
            let registry = self.poll.registry();
            let mut wire = connection.into_wire();
            if self.shared.session_config.end == EndPlan::Server {
                // This side ends the TCP connection.
                let _ = wire.shutdown_write();
            }
            // This fails only if the socket is broken, and then there is nothing to wait for.
            let _ = self.lingering_close.add(wire, registry, buffer, now);
        }
        if !self.is_closing {
            self.stats.closed += 1;
            if is_lost {
                self.stats.lost += 1;
                self.stats.last_lost_at = now;
            }
            if let Some(recovery) = self.workload.recovery() {
                recovery.record_lost(index, now);
            }
        }
    }

    fn note_end(&mut self, end: End, now: Nanos) {
        let failures = &mut self.stats.failures;
        match end {
            End::Done => {}
            End::Closed(code, _) if self.workload.expects_close(code) || self.is_closing => {}
            End::Ended(_) if self.workload.expects_close(close::NORMAL) || self.is_closing => {}
            End::Ended(text) => failures.record(FailureKind::Close, now, || text.to_owned()),
            End::Closed(code, reason) => failures.record(FailureKind::Close, now, || {
                let separator = if reason.is_empty() { "" } else { ": " };
                format!("the peer closed with code {code}{separator}{reason}")
            }),
            End::Failed(FailureKind::Handshake, text) => {
                self.opener.refused += 1;
                failures.record(FailureKind::Handshake, now, || text);
            }
            End::Failed(kind, text) => failures.record(kind, now, || text),
            End::Full(text) => {
                self.opener.is_server_full = true;
                failures.record(FailureKind::Handshake, now, || text);
            }
            End::Unrecorded(error) => {
                failures.record(FailureKind::Timeout, now, || error.to_string());
            }
        }
    }

    /// Removes a connection and counts its traffic; returns it if there was one.
    pub(super) fn remove(&mut self, index: usize) -> Option<Connection> {
        let mut removed = self.connections[index].take();
        if let Some(connection) = &mut removed {
            self.opener.opening -= usize::from(connection.is_opening());
            // Send the closing frame that answers a violation if the socket accepts it.
            let _ = connection.flush(index, &mut self.shared);
            connection.count_traffic(&mut self.shared.session_config);
            self.active_connections -= 1;
        }
        self.workload.closed(index);
        removed
    }

    /// Starts the closing handshake of a connection.
    pub(super) fn close_one(&mut self, index: usize) {
        if let Some(connection) = &mut self.connections[index] {
            connection.outbox.close(close::NORMAL);
            let flushed = connection.flush(index, &mut self.shared);
            self.conclude(index, flushed);
        }
    }

    /// Closes all connections and waits for their closing handshakes, up to the time limit.
    pub(super) fn close_all(&mut self, start: &Start<'_>) -> anyhow::Result<()> {
        self.is_closing = true;
        for index in 0..self.connections.len() {
            let Some(connection) = &mut self.connections[index] else {
                continue;
            };
            if connection.is_slow
                && let Some(slow) = self.workload.slow_readers()
            {
                slow.unread_bytes += connection.unread_bytes();
            }
            if connection.is_opening() && !start.is_interrupted() {
                self.give_up_one(index, clock::now());
            } else if connection.is_slow || connection.is_opening() {
                self.remove(index);
            } else {
                self.close_one(index);
            }
        }
        let closing_ns = if start.is_interrupted() {
            CLOSING_INTERRUPTED_NS
        } else {
            CLOSING_NS
        };
        let ends_at = clock::now() + closing_ns;
        while clock::now() < ends_at
            && (self.active_connections > 0 || !self.lingering_close.is_empty())
        {
            self.turn(ends_at)?;
        }
        for index in 0..self.connections.len() {
            self.remove(index);
        }
        Ok(())
    }
}
