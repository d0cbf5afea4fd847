//! Reading from, and writing to, several connections by one system call.

use autostrada_net::Event;

use super::Worker;
use super::turn::{EVENTS_AHEAD, TURN_BYTES};
use crate::client::connection::connection_of;
use crate::client::end::End;
use crate::client::workload::Workload;

impl<W: Workload> Worker<'_, W> {
    /// Reads from the sockets that have received something by one system call.
    pub(super) fn read_batch<'e>(&mut self, events: impl Iterator<Item = &'e Event> + Clone) {
        let mut ahead = events.clone().skip(EVENTS_AHEAD);
        for event in events {
            if let Some(event) = ahead.next() {
                self.prefetch(event.token());
            }
            let index = connection_of(event.token());
            if event.is_readable()
                && let Some(Some(connection)) = self.connections.get(index)
            {
                connection.read_in(index, &mut self.batch);
            }
        }
        self.batch.execute();
    }

    /// Processes what the batch has read from one socket, and reads the rest.
    pub(super) fn receive_done(&mut self, index: usize, position: usize) -> Result<(), End> {
        let (Some(connection), Some(done)) =
            (&mut self.connections[index], self.batch.done(position))
        else {
            return Ok(());
        };
        connection.outbox.borrow_buffer(&mut self.shared.spares);
        if connection.receive_done(done, &mut self.workload, &mut self.shared)? {
            return Ok(());
        }
        self.receive(index, TURN_BYTES)
    }

    /// Sends on the connections that were read from by one system call; leaves those in the list
    /// that have more to do.
    pub(super) fn write_batch(&mut self) {
        let (connections, batch) = (&mut self.connections, &mut self.batch);
        let spares = &mut self.shared.spares;
        batch.clear();
        self.unflushed
            .retain(|&index| match &mut connections[index] {
                Some(connection) => !connection.write_in(index, batch, spares),
                None => false,
            });
        batch.execute();
        let mut ended = Vec::new();
        for done in (0..).map_while(|position| batch.done(position)) {
            let index = done.key;
            if done.is_complete() {
                self.shared.traffic.written_bytes += done.bytes.len() as u64;
                self.shared.traffic.write_calls += 1;
            } else if let Some(connection) = &mut connections[index] {
                match connection.take_back(done, &mut self.shared) {
                    Ok(()) => self.unflushed.push(index),
                    Err(end) => ended.push((index, end)),
                }
            }
        }
        for (index, end) in ended {
            self.conclude(index, Err(end));
        }
    }
}
