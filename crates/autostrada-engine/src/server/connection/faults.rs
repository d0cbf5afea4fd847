//! Fault injection on one connection: messages are lost, delayed or changed as planned.

use std::collections::VecDeque;

use autostrada_net::clock;
use autostrada_proto::close;

use super::{Connection, End, Progress, Service, Stage};
use crate::server::fault::{Departure, Ending, Faults, Message, Recipient};
use crate::server::feed::Batch;
use crate::server::protocol::Route;
use crate::server::resources::Resources;

impl Connection {
    /// Sets up the faults of this connection, if the plan has faults and they apply to `route`.
    ///
    /// Also starts the intervals of `stall` when the first connection of the server opens.
    pub(super) fn set_up_faults(&mut self, route: Route, resources: &mut Resources) {
        let Some(faults) = &mut resources.faults else {
            return;
        };
        if let Some(stalls) = &mut faults.stalls {
            stalls.note_opened(clock::now());
        }
        let is_faulty = matches!(route, Route::Echo | Route::Feed);
        if is_faulty && let Some(encoding) = self.protocol.encoding() {
            encoding.hold();
            self.faults = Some(Box::new(faults.for_connection(Recipient {
                index: resources.index,
                serial: self.serial,
            })));
        }
    }

    /// Applies the faults to the echoes of this turn.
    pub(super) fn inject_faults(&mut self, resources: &mut Resources) {
        if let Some(encoding) = self.protocol.encoding() {
            let held = encoding.take_held();
            self.inject(held.into_iter(), resources);
        }
    }

    /// Applies the faults to messages of a feed.
    pub(super) fn deliver_faulty(&mut self, batch: &Batch, resources: &mut Resources) {
        let (opcode, payloads) = batch.messages();
        let messages = payloads.map(|payload| Message {
            opcode,
            payload: payload.to_vec(),
        });
        self.inject(messages, resources);
    }

    fn inject(&mut self, messages: impl Iterator<Item = Message>, resources: &mut Resources) {
        let mut out = VecDeque::new();
        let now = clock::now();
        for message in messages {
            if let (Some(own), Some(faults)) = (&mut self.faults, &mut resources.faults) {
                own.inject(message, now, faults, &mut out);
            }
            self.emit_all(&mut out, resources);
        }
    }

    fn emit_all(&mut self, messages: &mut VecDeque<Message>, resources: &mut Resources) {
        for message in messages.drain(..) {
            self.emit(&message, resources);
        }
    }

    /// Appends a message to the outbox, and ends the connection after the last planned message
    /// (`close_after`, `abort_after`).
    fn emit(&mut self, message: &Message, resources: &mut Resources) {
        if self.stage != Stage::Serving {
            return;
        }
        let out = self.outbox.bytes();
        if let Some(encoding) = self.protocol.encoding() {
            encoding.encode_held(message, &mut resources.encoders, out);
        }
        if let Service::Encoded(deliveries) = &mut self.service {
            let payload_bytes = message.payload.len() as u64;
            let appended_total = self.outbox.appended_total();
            deliveries.accounting.note(appended_total, payload_bytes);
        }
        match self.faults.as_mut().and_then(|own| own.count_sent()) {
            None => {}
            Some(Ending::Close) => {
                self.close(close::NORMAL);
                self.end_faults(resources);
            }
            Some(Ending::Abort) => {
                self.stage = Stage::Aborting;
                self.end_faults(resources);
            }
        }
    }

    /// Sends a message or an end that has left the queue.
    pub fn send_departure(&mut self, departure: Departure, resources: &mut Resources) {
        if let Some(own) = &mut self.faults {
            own.note_departure(&departure);
        }
        match departure {
            Departure::Message(message) => self.emit(&message, resources),
            Departure::End => {
                self.close_after_outbox();
                self.end_faults(resources);
            }
        }
    }

    /// Writes the outbox outside the connection's turn.
    pub fn flush(&mut self, resources: &mut Resources) -> Progress {
        match self.send(resources) {
            Ok(Progress::Waiting) if self.has_unread && !self.is_reading_paused(resources) => {
                Progress::Runnable
            }
            Ok(progress) => progress,
            Err(error) => self.end(End::Broken(error), resources),
        }
    }

    /// Ends a feed after all delayed messages.
    ///
    /// Returns false, without effect, if the connection has no faults.
    pub fn finish_feed(&mut self, resources: &mut Resources) -> bool {
        let (Some(own), Some(faults)) = (&mut self.faults, &mut resources.faults) else {
            return false;
        };
        let mut out = VecDeque::new();
        let ends_at_once = own.finish(clock::now(), faults, &mut out);
        self.emit_all(&mut out, resources);
        if ends_at_once {
            self.close_after_outbox();
            self.end_faults(resources);
        }
        true
    }

    /// Drops delayed messages, and adds the connection to `Faults::closing`, so that its thread
    /// starts the time limit for the client's close.
    fn end_faults(&mut self, resources: &mut Resources) {
        if let (Some(own), Some(faults)) = (&mut self.faults, &mut resources.faults) {
            own.drop_delayed(faults);
            faults.closing.push(own.recipient);
        }
    }

    /// Drops the delayed messages if the connection is no longer served.
    pub fn drop_delayed_if_closing(&mut self, faults: &mut Faults) {
        if self.stage != Stage::Serving
            && let Some(own) = &mut self.faults
        {
            own.drop_delayed(faults);
        }
    }

    /// Returns whether to reset the connection: its stage is `Aborting`, and all bytes are sent.
    pub fn is_to_be_reset(&mut self) -> bool {
        let is_sent = self.stage == Stage::Aborting && self.outbox.rest().is_empty();
        is_sent && self.transport.flush().unwrap_or(true)
    }

    /// Makes the kernel send a reset when the connection is dropped.
    pub fn reset_when_closed(&self) {
        if let Err(error) = self.transport.stream().abort_on_close() {
            crate::log(&format!("cannot reset a connection: {error}"));
        }
    }
}
