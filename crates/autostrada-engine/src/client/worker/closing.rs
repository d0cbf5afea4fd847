//! How connections of a thread end: each by itself, or all when the trial is over.

use autostrada_measure::{FailureKind, Nanos};
use autostrada_net::clock;
use autostrada_proto::close;

use super::Worker;
use crate::client::end::End;
use crate::client::workload::Workload;

/// How long the closing handshakes may take in all.
const CLOSING_NS: Nanos = 1_000_000_000;

impl<W: Workload> Worker<'_, W> {
    /// Takes note of a connection that is over.
    pub(super) fn conclude(&mut self, index: usize, result: Result<(), End>) -> anyhow::Result<()> {
        let now = match result {
            Ok(()) => return Ok(()),
            Err(End::Unrecorded(error)) => return Err(error.into()),
            Err(end) => {
                let now = clock::now();
                self.note_end(end, now);
                now
            }
        };
        self.remove(index);
        if !self.is_closing {
            self.seen.closed += 1;
            if let Some(recovery) = &mut self.recovery {
                recovery.lose(index, now);
            }
        }
        Ok(())
    }

    fn note_end(&mut self, end: End, now: Nanos) {
        let failures = &mut self.seen.failures;
        match end {
            End::Done | End::Unrecorded(_) => {}
            End::Closed(code) if self.workload.expects_close(code) || self.is_closing => {}
            End::Closed(code) => failures.record(FailureKind::Close, now, || {
                format!("the peer closed the connection with code {code}")
            }),
            End::Failed(kind, text) => failures.record(kind, now, || text),
        }
    }

    /// Lets go of a connection.
    pub(super) fn remove(&mut self, index: usize) {
        if let Some(mut connection) = self.connections[index].take() {
            self.opener.opening -= usize::from(connection.is_opening());
            // The closing frame that answers a violation goes out as far as it can.
            let _ = connection.flush(&mut self.shared);
            connection.settle(&mut self.shared.terms);
            self.living -= 1;
        }
        self.workload.closed(index);
    }

    /// Closes all connections, and waits for their peers to do the same.
    pub(super) fn close_all(&mut self) -> anyhow::Result<()> {
        for index in 0..self.connections.len() {
            let Some(connection) = &mut self.connections[index] else {
                continue;
            };
            if connection.is_slow() {
                self.seen.slow_unread_bytes += connection.unread_bytes();
            }
            if connection.is_slow() || connection.is_opening() {
                self.remove(index);
                continue;
            }
            connection.outbox.close(close::NORMAL);
            let flushed = connection.flush(&mut self.shared);
            self.conclude(index, flushed)?;
        }
        let ends_at = clock::now() + CLOSING_NS;
        while clock::now() < ends_at && self.living > 0 {
            self.turn(ends_at)?;
        }
        for index in 0..self.connections.len() {
            self.remove(index);
        }
        Ok(())
    }
}
