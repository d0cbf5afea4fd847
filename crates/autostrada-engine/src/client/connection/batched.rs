//! Reading and writing together with other connections, by one system call.

use autostrada_net::{Batch, Done, Transfer};

use super::{Connection, Shared, wire};
use crate::client::end::End;
use crate::client::workload::Workload;
use crate::send_buffer::SpareBuffers;

impl Connection {
    /// Adds a read of the socket to a batch, if what it reads can be processed as it is.
    #[inline]
    pub fn read_in(&self, index: usize, batch: &mut Batch) {
        let is_plain = self.opening.is_none() && self.polling.is_none() && !self.is_slow;
        if is_plain
            && !self.is_paused
            && self.unfinished.is_empty()
            && let Some(stream) = self.wire.batched_stream()
        {
            batch.read(index, stream);
        }
    }

    /// Processes what a batch has read; returns whether that was all.
    pub fn receive_done<W: Workload>(
        &mut self,
        done: Done<'_>,
        workload: &mut W,
        shared: &mut Shared<'_>,
    ) -> Result<bool, End> {
        let moved = match done.moved.map_err(|error| wire::read_failure(&error))? {
            None => return Ok(false),
            Some(Transfer::WouldBlock) => return Ok(true),
            Some(Transfer::Ended) => return self.peer_ended().map(|_| true),
            Some(Transfer::Bytes(moved)) => moved,
        };
        shared.buffer[..moved].copy_from_slice(&done.bytes[..moved]);
        self.process_read(done.key, 0, moved, workload, shared)?;
        Ok(moved < done.bytes.len() && self.wire.has_read_all() && !self.is_paused)
    }

    /// Hands what is to be sent over to a batch; returns whether nothing is left to do.
    #[inline]
    pub fn write_in(&mut self, index: usize, batch: &mut Batch, spares: &mut SpareBuffers) -> bool {
        if self.polling.is_some() || self.outbox.is_closing() || !self.wire.can_write() {
            return false;
        }
        let Some(stream) = self.wire.batched_stream() else {
            return false;
        };
        let rest = self.outbox.rest();
        if !rest.is_empty() {
            if !batch.write(index, stream, rest) {
                return false;
            }
            self.outbox.advance(rest.len());
        }
        self.outbox.return_buffer(spares);
        true
    }

    /// Takes back what a batch has not written.
    pub fn take_back(&mut self, done: Done<'_>, shared: &mut Shared<'_>) -> Result<(), End> {
        let moved = match done.moved.transpose() {
            Some(written) => self.wire.note_written(written, shared)?,
            None => 0,
        };
        self.outbox.borrow_buffer(&mut shared.spares);
        self.outbox.bytes().extend_from_slice(&done.bytes[moved..]);
        Ok(())
    }
}
