//! A connection whose messages are lost, late or otherwise wrong, by a known amount.

use std::collections::VecDeque;

use autostrada_net::clock;
use autostrada_proto::close;

use super::{Connection, End, Progress, Service, Stage};
use crate::server::fault::{Departure, Ending, Faults, Message, Recipient};
use crate::server::feed::Batch;
use crate::server::protocol::Route;
use crate::server::resources::Resources;

impl Connection {
    /// Takes faults up as the client is given what it wants, where something is to go wrong.
    pub(super) fn begin_to_misbehave(&mut self, route: Route, resources: &mut Resources) {
        let Some(faults) = &mut resources.faults else {
            return;
        };
        if let Some(stalls) = &mut faults.stalls {
            stalls.note_opened(clock::now());
        }
        let is_faulty = matches!(route, Route::Echo | Route::Feed);
        if is_faulty && let Some(encoding) = self.protocol.encoding() {
            encoding.hold();
            self.faults = Some(Box::new(faults.of_connection(Recipient {
                index: resources.index,
                serial: self.serial,
            })));
        }
    }

    /// Lets the echoes that a turn has brought go the way of all messages.
    pub(super) fn take_up(&mut self, resources: &mut Resources) {
        if let Some(encoding) = self.protocol.encoding() {
            let held = encoding.take_held();
            self.take(held.into_iter(), resources);
        }
    }

    /// Lets messages of a feed go the way of all messages.
    pub(super) fn deliver_faulty(&mut self, batch: &Batch, resources: &mut Resources) {
        let (opcode, payloads) = batch.messages();
        let messages = payloads.map(|payload| Message {
            opcode,
            payload: payload.to_vec(),
        });
        self.take(messages, resources);
    }

    fn take(&mut self, messages: impl Iterator<Item = Message>, resources: &mut Resources) {
        let mut out = VecDeque::new();
        let now = clock::now();
        for message in messages {
            if let (Some(own), Some(faults)) = (&mut self.faults, &mut resources.faults) {
                own.take(message, now, faults, &mut out);
            }
            self.emit_all(&mut out, resources);
        }
    }

    fn emit_all(&mut self, messages: &mut VecDeque<Message>, resources: &mut Resources) {
        for message in messages.drain(..) {
            self.emit(&message, resources);
        }
    }

    /// Sends a message, and ends the connection if it was the last.
    fn emit(&mut self, message: &Message, resources: &mut Resources) {
        if self.stage != Stage::Serving {
            return;
        }
        let out = self.outbox.bytes();
        if let Some(encoding) = self.protocol.encoding() {
            encoding.encode_held(message, &mut resources.encoders, out);
        }
        if let Service::Made(deliveries) = &mut self.service {
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

    /// Sends what has left the queue.
    pub fn depart(&mut self, departure: Departure, resources: &mut Resources) {
        if let Some(own) = &mut self.faults {
            own.note_departure(&departure);
        }
        match departure {
            Departure::Message(message) => self.emit(&message, resources),
            Departure::End => {
                self.leave();
                self.end_faults(resources);
            }
        }
    }

    /// Hands to the kernel what it takes, between two turns.
    pub fn flush(&mut self, resources: &mut Resources) -> Progress {
        match self.send(resources) {
            Ok(Progress::Waiting) if self.has_unread && !self.is_choked(resources) => {
                Progress::Runnable
            }
            Ok(progress) => progress,
            Err(error) => self.end(End::Broken(error), resources),
        }
    }

    /// Says that a feed is over, after all that waits; returns false where nothing can wait, and
    /// nothing was said.
    pub fn finish_feed(&mut self, resources: &mut Resources) -> bool {
        let (Some(own), Some(faults)) = (&mut self.faults, &mut resources.faults) else {
            return false;
        };
        let mut out = VecDeque::new();
        let ends_at_once = own.finish(clock::now(), faults, &mut out);
        self.emit_all(&mut out, resources);
        if ends_at_once {
            self.leave();
            self.end_faults(resources);
        }
        true
    }

    /// Has the client's time begin, to take what is left and to go.
    fn end_faults(&mut self, resources: &mut Resources) {
        if let (Some(own), Some(faults)) = (&mut self.faults, &mut resources.faults) {
            own.forget(faults);
            faults.left.push(own.recipient());
        }
    }

    /// Forgets what waits, if it is not served any more.
    pub fn forget_if_over(&mut self, faults: &mut Faults) {
        if self.stage != Stage::Serving
            && let Some(own) = &mut self.faults
        {
            own.forget(faults);
        }
    }

    /// Whether it is to be reset: what was to be sent before has been.
    pub fn is_to_be_reset(&mut self) -> bool {
        let is_sent = self.stage == Stage::Aborting && self.outbox.rest().is_empty();
        is_sent && self.transport.flush().unwrap_or(true)
    }

    /// Has the client see a reset when the connection is dropped.
    pub fn reset_when_closed(&self) {
        if let Err(error) = self.transport.stream().abort_on_close() {
            crate::log(&format!("cannot reset a connection: {error}"));
        }
    }
}
