//! Reading of slow connections: a limited number of bytes per second, or none.

use autostrada_measure::Nanos;

use super::Worker;
use crate::client::connection::Connection;
use crate::client::end::End;
use crate::client::workload::Workload;

impl<W: Workload> Worker<'_, W> {
    /// Reads from slow connections what is due; returns the instant of the next read, or `None` if
    /// they read nothing.
    pub(super) fn read_slowly(&mut self, now: Nanos) -> Option<Nanos> {
        let slow = self.workload.slow_readers()?;
        if let Some(bytes) = slow.take_due(now) {
            for at in 0..slow.connections().len() {
                let index = self.workload.slow_readers()?.connections()[at];
                let read = self.read_portion(index, bytes);
                self.conclude(index, read);
            }
        }
        self.workload.slow_readers()?.next_at()
    }

    /// Reads up to `bytes` from a slow connection and sends pending answers.
    fn read_portion(&mut self, index: usize, bytes: usize) -> Result<(), End> {
        let is_open = |connection: &&mut Connection| connection.is_open();
        let Some(connection) = self.connections[index].as_mut().filter(is_open) else {
            return Ok(());
        };
        connection.outbox.borrow_buffer(&mut self.shared.spares);
        self.receive(index, bytes)?;
        match &mut self.connections[index] {
            Some(connection) => connection.flush(index, &mut self.shared),
            None => Ok(()),
        }
    }
}
