//! Sending on one connection: the outbox, planned messages, and messages of a feed.

use std::io;

use autostrada_net::{Transfer, clock};
use autostrada_proto::close;

use super::{Connection, Progress, Service, Stage};
use crate::plan::FramesPerWrite;
use crate::server::feed::Batch;
use crate::server::resources::Resources;
use crate::server::sending::{Pings, Sent};

/// Maximum number of writes in one turn of a connection.
const WRITES_PER_TURN: u32 = 64;

/// Number of bytes up to which messages are encoded for one write.
const ENCODED_BYTES: usize = 64 * 1024;

impl Connection {
    pub(super) fn send(&mut self, resources: &mut Resources) -> io::Result<Progress> {
        self.close_after_push();
        let sent = match &mut self.service {
            Service::Push(push) => {
                let pings = self.pings.as_deref_mut().and_then(Pings::between);
                push.send(&mut self.transport, &mut self.outbox, pings)?
            }
            _ => self.send_outbox(resources)?,
        };
        Ok(match sent {
            Sent::TurnOver => Progress::Runnable,
            Sent::All if self.stage == Stage::Serving && self.minimum.is_some() => {
                Progress::Runnable
            }
            Sent::All if self.stage == Stage::Closing => {
                self.transport.shutdown_write()?;
                self.stage = Stage::Ending;
                Progress::Waiting
            }
            Sent::All
                if self.stage == Stage::AwaitingClose && !self.protocol.has_closing_handshake() =>
            {
                self.transport.shutdown_write()?;
                Progress::Waiting
            }
            Sent::Blocked | Sent::All => Progress::Waiting,
        })
    }

    /// Begins to close a push whose minimum duration and minimum number of messages are reached.
    fn close_after_push(&mut self) {
        let Some(minimum) = self.minimum.as_deref() else {
            return;
        };
        let now = clock::now();
        if self.stage != Stage::Serving || now < minimum.until_ns {
            return;
        }
        let sent_messages = match &mut self.service {
            Service::Push(push) => {
                push.limit(minimum.messages, now);
                push.has_sent_all().then(|| push.sent_messages())
            }
            Service::Encoded(deliveries) => {
                deliveries.limit(minimum.messages);
                (deliveries.left == 0).then_some(deliveries.encoded)
            }
            Service::None | Service::Echo => None,
        };
        if let Some(messages) = sent_messages {
            if let Some(pings) = &mut self.pings {
                pings.append(messages, self.outbox.bytes());
            }
            self.close(close::NORMAL);
        }
    }

    /// Sends the outbox, and encodes further planned messages.
    fn send_outbox(&mut self, resources: &mut Resources) -> io::Result<Sent> {
        for _ in 0..WRITES_PER_TURN {
            self.encode_planned(resources);
            if self.outbox.rest().is_empty() {
                let is_flushed = self.transport.flush()?;
                return Ok(if is_flushed { Sent::All } else { Sent::Blocked });
            }
            match self.transport.write(self.outbox.rest())? {
                Transfer::Bytes(moved) => {
                    self.outbox.advance(moved);
                    if let Service::Encoded(deliveries) = &mut self.service {
                        deliveries.note_write(&self.outbox);
                    }
                }
                Transfer::WouldBlock => {
                    if let Service::Encoded(deliveries) = &mut self.service {
                        deliveries.block();
                    }
                    return Ok(Sent::Blocked);
                }
                Transfer::Ended => return Err(io::ErrorKind::WriteZero.into()),
            }
        }
        Ok(Sent::TurnOver)
    }

    /// Encodes as many planned messages as one write takes.
    fn encode_planned(&mut self, resources: &mut Resources) {
        let Service::Encoded(deliveries) = &mut self.service else {
            return;
        };
        let bytes_max = match resources.message.frames_per_write {
            FramesPerWrite::Many => ENCODED_BYTES,
            FramesPerWrite::One => 1,
        };
        let mut pings = self.pings.as_deref_mut().and_then(Pings::between);
        while deliveries.left > 0 && self.outbox.rest().len() < bytes_max {
            deliveries.left -= 1;
            deliveries.encoded += 1;
            let message = &resources.message;
            let encoders = &mut resources.encoders;
            let out = self.outbox.bytes();
            self.protocol
                .encode_message(message.opcode, &message.payload, encoders, out);
            let payload_bytes = message.payload.len() as u64;
            let appended_total = self.outbox.appended_total();
            deliveries.accounting.note(appended_total, payload_bytes);
            if let Some(pings) = &mut pings {
                pings.append_due(deliveries.encoded, self.outbox.bytes());
            }
        }
    }

    /// Sends messages of a feed, and keeps in the outbox what the kernel does not take.
    ///
    /// Returns whether nothing is left to do; if false, the connection needs a turn.
    pub fn deliver(&mut self, batch: &mut Batch, resources: &mut Resources) -> io::Result<bool> {
        if self.faults.is_some() {
            self.deliver_faulty(batch, resources);
            return Ok(false);
        }
        let Service::Encoded(deliveries) = &mut self.service else {
            return Ok(true);
        };
        if self.stage != Stage::Serving {
            return Ok(true);
        }
        let frames = batch.frames(&mut self.protocol, &mut resources.encoders);
        let mut moved = 0;
        if self.outbox.rest().is_empty() {
            match self.transport.write(&frames.bytes)? {
                Transfer::Bytes(bytes) => {
                    moved = bytes;
                    self.outbox.bypass(moved);
                    deliveries.note_write(&self.outbox);
                }
                Transfer::WouldBlock => deliveries.block(),
                Transfer::Ended => return Err(io::ErrorKind::WriteZero.into()),
            }
        }
        if moved == frames.bytes.len() {
            let accounting = &mut deliveries.accounting;
            accounting.note_sent(self.outbox.appended_total(), frames.count);
            return Ok(true);
        }
        let before = self.outbox.appended_total() - moved as u64;
        let rest = &frames.bytes[moved..];
        self.outbox.bytes().extend_from_slice(rest);
        for end in &frames.ends {
            let appended_total = before + end.frames_bytes as u64;
            deliveries
                .accounting
                .note(appended_total, end.payload_bytes);
        }
        deliveries
            .accounting
            .count_complete(self.outbox.sent_total());
        Ok(false)
    }
}
