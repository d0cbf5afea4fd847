//! One session by polling: what waits for the next poll.

use autostrada_net::clock;
use autostrada_proto::engine_io::{Packet, PacketDecoder};
use autostrada_proto::frame::Opcode;

use super::pending::Pending;
use crate::server::measurement::{Measurement, Traffic};
use crate::server::protocol::socket_io::{Heard, PacketSink, Session, open_packet};
use crate::server::protocol::{Fault, Route, Terms};
use crate::server::resources::Message;
use crate::server::sending::Count;

/// One session.
#[derive(Debug)]
pub struct Polled {
    session: Session,
    packets: PacketDecoder,
    route: Option<Route>,
    /// Messages that are still to be made.
    left: u64,
    /// What waits for the next poll.
    pending: Pending,
    /// The connection whose poll waits for something to be said.
    waiting: Option<usize>,
    /// We have said that it is over.
    is_leaving: bool,
    /// Where it stands in the audience of a feed.
    pub seat: Option<u32>,
    measured: Option<Measurement>,
    traffic: Traffic,
}

/// What is left of a session that is over.
#[derive(Debug)]
pub struct Finished {
    /// Whether it ever used a namespace.
    pub was_opened: bool,
    /// What was measured, if it is to be told.
    pub measured: Option<(Measurement, Traffic)>,
    /// The connection whose poll is to be answered.
    pub waiting: Option<usize>,
}

impl Polled {
    /// Opens a session of this name.
    pub fn open(sid: String, terms: &Terms) -> Self {
        let mut pending = Pending::default();
        pending.send(&Packet::Open(&open_packet(sid, terms)));
        Self {
            session: Session::new(),
            packets: PacketDecoder::new(),
            route: None,
            left: 0,
            pending,
            waiting: None,
            is_leaving: false,
            seat: None,
            measured: None,
            traffic: Traffic::default(),
        }
    }

    /// Takes the body of a request; returns what the last packet that said anything has said.
    ///
    /// # Errors
    ///
    /// When the client breaks a protocol.
    pub fn take(&mut self, mut body: &[u8], terms: &Terms) -> Result<Heard, Fault> {
        let mut heard = Heard::Nothing;
        let mut packets = std::mem::take(&mut self.packets);
        while !body.is_empty() && heard != Heard::Leaving {
            let (taken, packet) = packets
                .decode_payload(body)
                .map_err(|error| Fault::new(autostrada_proto::close::PROTOCOL_ERROR, &error))?;
            body = &body[taken..];
            let is_echoing = self.route == Some(Route::Echo);
            let sink = &mut self.pending;
            match self.session.take_packet(&packet, terms, is_echoing, sink)? {
                Heard::Nothing => {}
                Heard::Asked(route) => {
                    self.route = Some(route);
                    heard = Heard::Asked(route);
                }
                Heard::Leaving => heard = Heard::Leaving,
            }
        }
        self.packets = packets;
        Ok(heard)
    }

    /// Plans what a route gives, and begins to measure it where that is wanted.
    pub fn serve(&mut self, route: Route, measurement: Option<Measurement>) {
        if let Route::Push(messages) = route {
            self.left = messages;
        }
        self.measured = measurement;
    }

    /// Adds a message of a feed.
    pub fn deliver(&mut self, opcode: Opcode, payload: &[u8], terms: &Terms) {
        if !self.is_leaving {
            self.add(opcode, payload, terms);
        }
    }

    fn add(&mut self, opcode: Opcode, payload: &[u8], terms: &Terms) {
        let namespace = self.session.namespace().unwrap_or_default();
        let sink = &mut self.pending;
        terms.events().send(namespace, opcode, payload, sink);
        self.pending.end_message(payload.len());
    }

    /// How many bytes wait for the next poll.
    pub fn pending_bytes(&self) -> usize {
        self.pending.bytes()
    }

    /// Says that it is over; what has not been said yet is still said.
    pub fn leave(&mut self) {
        if !std::mem::replace(&mut self.is_leaving, true) {
            self.session.leave(&mut self.pending);
        }
    }

    /// Says that it is over, instead of what waits.
    pub fn leave_at_once(&mut self) {
        self.pending = Pending::default();
        self.leave();
    }

    /// Asks whether the client is there; returns false where it has not answered before.
    pub fn ping(&mut self) -> bool {
        self.session.ping(&mut self.pending)
    }

    /// Whose poll waits, if there is something to say to it.
    pub fn to_be_answered(&self) -> Option<usize> {
        self.waiting
            .filter(|_| !self.pending.is_empty() || self.left > 0)
    }

    /// Lets a connection wait for something to be said.
    pub fn wait(&mut self, connection: usize) -> Option<usize> {
        self.waiting.replace(connection)
    }

    /// The body of a response to a connection that waits, if there is anything to say; and
    /// whether it is the last one.
    pub fn answer(
        &mut self,
        connection: usize,
        terms: &Terms,
        message: &Message,
    ) -> Option<(Vec<u8>, Count, bool)> {
        if self.waiting != Some(connection) {
            let mut noop = Pending::default();
            noop.send(&Packet::Noop);
            let (body, count) = noop.take();
            return Some((body, count, false));
        }
        while self.left > 0 && !self.pending.is_full() && !self.is_leaving {
            self.left -= 1;
            self.add(message.opcode, &message.payload, terms);
        }
        if self.pending.is_empty() {
            return None;
        }
        self.waiting = None;
        let (body, count) = self.pending.take();
        if self.measured.is_some() && count.messages > 0 {
            self.traffic.count += count;
            self.traffic.wire_bytes += body.len() as u64;
            self.traffic.write_calls += 1;
            self.traffic.last_sent_ns = clock::now();
        }
        let is_last = self.is_leaving && self.pending.is_empty();
        Some((body, count, is_last))
    }

    /// Ends it.
    pub fn finish(mut self) -> Finished {
        let is_feed_on = self.route == Some(Route::Feed) && !self.is_leaving;
        self.traffic.has_all = self.left == 0 && !is_feed_on && !self.pending.has_message();
        Finished {
            was_opened: self.route.is_some(),
            measured: self.measured.map(|measurement| (measurement, self.traffic)),
            waiting: self.waiting,
        }
    }
}
