//! Connections that clients open: the engine is the server.

use anyhow::Context;
use autostrada_measure::FailureKind;
use autostrada_net::{Token, clock};

use super::Worker;
use crate::client::connection::Connection;
use crate::client::start::Start;
use crate::client::workload::Workload;

/// The poller's token for the listening socket.
pub const LISTENER: Token = Token(usize::MAX - 2);

impl<W: Workload> Worker<'_, W> {
    /// Waits until this many clients have connected, or the time limit is reached; later ones are
    /// not accepted.
    pub(super) fn accept_all(
        &mut self,
        connections: usize,
        start: &Start<'_>,
    ) -> anyhow::Result<()> {
        let gives_up_at = clock::now() + start.opening_ns();
        self.connections.resize_with(connections, || None);
        let (mut missing, mut reported) = (connections, 0);
        while missing > 0 && !start.is_interrupted() {
            let now = clock::now();
            if now >= gives_up_at {
                self.give_up_opening(connections, now);
                for index in 0..connections {
                    if self.connections[index].is_none() {
                        let text = || "no client has connected in time".to_owned();
                        self.stats.failures.record(FailureKind::Connect, now, text);
                    }
                }
                break;
            }
            self.turn(gives_up_at)?;
            reported = self.report_opened(reported, start);
            let is_missing =
                |each: &&Option<Connection>| each.as_ref().is_none_or(Connection::is_opening);
            missing = self.connections.iter().filter(is_missing).count();
        }
        self.accepting = None;
        Ok(())
    }

    /// Accepts the clients that wait, as far as they are awaited.
    pub(super) fn accept(&mut self) -> anyhow::Result<()> {
        while let Some(accepting) = &self.accepting {
            let Some(index) = self.connections.iter().position(Option::is_none) else {
                return Ok(());
            };
            let accepted = self.shared.dialer.accept(accepting, index);
            let Some(wire) = accepted.context("cannot accept")? else {
                return Ok(());
            };
            self.connections[index] = Some(Connection::accepted(wire, clock::now()));
            self.opener.opening += 1;
            self.active_connections += 1;
        }
        Ok(())
    }
}
