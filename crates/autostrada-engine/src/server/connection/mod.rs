//! One connection of the server: what it reads, and what it serves.

mod ending;
mod misbehaving;
mod sending;

use std::io;

use autostrada_net::{Event as Readiness, Transfer, Transport, clock};
use autostrada_proto::close::ProtocolError;

use super::fault::ConnectionFaults;
use super::measurement::Measurement;
use super::protocol::{Decoded, PeerEvent, Protocol, Route};
use super::resources::Resources;
use super::sending::{Count, Deliveries, Outbox, Push};
use crate::line::ServeResult;
use crate::send_buffer::return_buffer;

/// How many reads one connection does before the others have their turn.
const READS_PER_TURN: u32 = 16;

/// Who does not take what it asked for is not read from either beyond this.
const UNSENT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// What is kept of a client that is not answered before a command has come.
const HELD_BYTES_MAX: usize = 64 * 1024;

/// What a turn has come to.
pub enum Progress {
    /// There is more to do at once.
    Runnable,
    /// The socket must change first, or a command must come.
    Waiting,
    /// The measurement is over; the connection has still to be closed.
    Measured(Box<ServeResult>),
    /// The connection is over.
    Gone,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The client has not said what it wants, or is not answered.
    Handshake,
    /// It has what it wants.
    Serving,
    /// We have said that it is over; the peer is to say so too.
    Leaving,
    /// What is left is sent, then the connection is reset.
    Aborting,
    /// The peer has said that it is over: what is left is sent, then the stream is ended.
    Closing,
    /// Our side of the stream is ended; the peer's is to follow.
    Ending,
}

/// What a client gets.
#[derive(Debug)]
enum Service {
    /// Nothing yet.
    None,
    /// Every message back.
    Echo,
    /// The same frame many times.
    Push(Box<Push>),
    /// Messages that are made one by one.
    Made(Box<Deliveries>),
}

/// Why a connection is over.
enum End {
    Close(Option<u16>),
    Eof,
    Broken(io::Error),
    Violation(ProtocolError),
}

/// One connection.
#[derive(Debug)]
pub struct Connection {
    transport: Transport,
    protocol: Protocol,
    /// The bytes of an incomplete message.
    input: Vec<u8>,
    outbox: Outbox,
    service: Service,
    /// What goes wrong with its messages, where something is to.
    faults: Option<Box<ConnectionFaults>>,
    /// Its position among the subscribers of a feed.
    position: Option<u32>,
    /// Which connection of its thread it is, counted from 0.
    serial: u32,
    stage: Stage,
    was_opened: bool,
    /// The last turn was over before everything was read.
    has_unread: bool,
    /// The poller has seen the end of the peer's stream.
    has_peer_ended: bool,
}

impl Connection {
    /// Begins with the opening handshake.
    pub fn new(transport: Transport, protocol: Protocol, serial: u32) -> Self {
        Self {
            transport,
            protocol,
            input: Vec::new(),
            outbox: Outbox::default(),
            service: Service::None,
            faults: None,
            position: None,
            serial,
            stage: Stage::Handshake,
            was_opened: false,
            has_unread: false,
            has_peer_ended: false,
        }
    }

    /// Takes note of what the poller says.
    pub fn notice(&mut self, readiness: &Readiness) {
        if readiness.is_writable() {
            self.unblock();
        }
        self.has_peer_ended |= readiness.is_read_closed() || readiness.is_error();
    }

    fn unblock(&mut self) {
        match &mut self.service {
            Service::None | Service::Echo => {}
            Service::Push(push) => push.unblock(clock::now()),
            Service::Made(deliveries) => deliveries.unblock(clock::now()),
        }
    }

    /// Whether its opening handshake was completed.
    pub fn was_opened(&self) -> bool {
        self.was_opened
    }

    /// Whether it still gets what it asked for.
    pub fn is_served(&self) -> bool {
        self.stage == Stage::Serving
    }

    /// Which connection of its thread it is.
    pub fn serial(&self) -> u32 {
        self.serial
    }

    /// Whether it listens to a feed.
    pub fn is_subscriber(&self) -> bool {
        self.position.is_some()
    }

    /// Its position among the subscribers of a feed: to be set and to be taken.
    pub fn position(&mut self) -> &mut Option<u32> {
        &mut self.position
    }

    /// How many bytes it has not taken yet, or wait for their time.
    pub fn unsent_bytes(&self) -> usize {
        let waiting_bytes = self.faults.as_ref().map_or(0, |one| one.waiting_bytes());
        self.outbox.rest().len() + waiting_bytes
    }

    /// Returns what was handed to the kernel since the last call.
    pub fn take_new(&mut self) -> Count {
        match &mut self.service {
            Service::None | Service::Echo => Count::default(),
            Service::Push(push) => push.take_new(),
            Service::Made(deliveries) => deliveries.take_new(),
        }
    }

    /// Does one turn: reads what has come, sends what the kernel takes.
    pub fn advance(&mut self, resources: &mut Resources) -> Progress {
        self.outbox.borrow_buffer(&mut resources.spare_output);
        let read = self.read(resources);
        if self.faults.is_some() {
            self.take_up(resources);
        }
        let end = match read {
            Ok(None) => self.send(resources).map_err(End::Broken),
            Ok(Some(end)) => Err(end),
            Err(error) => Err(End::Broken(error)),
        };
        let progress = match end {
            Ok(Progress::Waiting) if self.has_unread && !self.is_choked(resources) => {
                Progress::Runnable
            }
            Ok(progress) => progress,
            Err(end) => self.end(end, resources),
        };
        self.outbox.return_buffer(&mut resources.spare_output);
        if self.input.is_empty() {
            return_buffer(&mut self.input, &mut resources.spare_input);
        }
        progress
    }

    /// Whether to read no more for the present.
    fn is_choked(&self, resources: &Resources) -> bool {
        let is_held = self.stage == Stage::Handshake && !resources.observed.is_announced();
        self.unsent_bytes() > UNSENT_BYTES_MAX || is_held && self.input.len() > HELD_BYTES_MAX
    }

    /// Reads what there is, for one turn; returns why the connection is over, if it is.
    fn read(&mut self, resources: &mut Resources) -> io::Result<Option<End>> {
        let mut buffer = std::mem::take(&mut resources.read_buffer);
        let result = self.read_into(&mut buffer, resources);
        resources.read_buffer = buffer;
        result
    }

    /// A call that reads less than it could has read everything: the poller speaks again when
    /// there is more (`epoll(7)`), unless the peer has ended the stream.
    fn read_into(
        &mut self,
        buffer: &mut [u8],
        resources: &mut Resources,
    ) -> io::Result<Option<End>> {
        self.has_unread = true;
        for _ in 0..READS_PER_TURN {
            if self.is_choked(resources) {
                return Ok(None);
            }
            let transfer = self.transport.read(buffer)?;
            let moved = match transfer {
                Transfer::Bytes(moved) => moved,
                Transfer::WouldBlock | Transfer::Ended => 0,
            };
            if let Some(end) = self.take_in(&mut buffer[..moved], resources) {
                return Ok(Some(end));
            }
            match transfer {
                Transfer::Bytes(moved)
                    if moved == buffer.len()
                        || self.has_peer_ended
                        || self.transport.is_encrypted() => {}
                Transfer::Bytes(_) | Transfer::WouldBlock => {
                    self.has_unread = false;
                    return Ok(None);
                }
                Transfer::Ended => return Ok(Some(End::Eof)),
            }
        }
        Ok(None)
    }

    /// Decodes bytes where they are, and keeps what is incomplete.
    fn take_in(&mut self, bytes: &mut [u8], resources: &mut Resources) -> Option<End> {
        if matches!(self.stage, Stage::Aborting | Stage::Closing | Stage::Ending) {
            self.input.clear();
            return None;
        }
        if self.input.is_empty() {
            let (taken, end) = self.decode(bytes, resources);
            if taken < bytes.len() {
                self.input = std::mem::take(&mut resources.spare_input);
                self.input.extend_from_slice(&bytes[taken..]);
            }
            return end;
        }
        let mut input = std::mem::take(&mut self.input);
        input.extend_from_slice(bytes);
        let (taken, end) = self.decode(&mut input, resources);
        input.drain(..taken);
        self.input = input;
        end
    }

    /// Takes in what the client has said; returns how many bytes that was.
    fn decode(&mut self, input: &mut [u8], resources: &mut Resources) -> (usize, Option<End>) {
        if self.stage == Stage::Handshake && !resources.observed.is_announced() {
            return (0, None);
        }
        let mut taken = 0;
        while taken < input.len() {
            let is_echoing = matches!(self.service, Service::Echo) && self.stage == Stage::Serving;
            let out = self.outbox.bytes();
            let rest = &mut input[taken..];
            match self
                .protocol
                .decode(rest, is_echoing, &mut resources.encoders, out)
            {
                Ok(Decoded::Incomplete { .. }) => break,
                Ok(Decoded::Event {
                    consumed_bytes,
                    event,
                }) => {
                    taken += consumed_bytes;
                    match event {
                        PeerEvent::Nothing => {}
                        PeerEvent::Asked(route) => self.serve(route, resources),
                        PeerEvent::Refused => {
                            self.stage = Stage::Closing;
                            return (input.len(), None);
                        }
                        PeerEvent::Leaving(code) => return (input.len(), Some(End::Close(code))),
                    }
                }
                Err(error) => return (input.len(), Some(End::Violation(error))),
            }
        }
        (taken, None)
    }

    /// Begins to give the client what it wants.
    fn serve(&mut self, route: Route, resources: &mut Resources) {
        self.was_opened = true;
        self.stage = Stage::Serving;
        let is_measured = match route {
            Route::Echo => false,
            Route::Push(_) => true,
            Route::Feed => resources.measures_listeners,
        };
        let appended_total = self.outbox.appended_total();
        let measurement =
            is_measured.then(|| Measurement::begin(&resources.observed, appended_total));
        self.begin_to_misbehave(route, resources);
        let prepared = &resources.message.prepared;
        self.service = match route {
            Route::Echo => Service::Echo,
            Route::Push(messages) if self.protocol.is_plain() => {
                Service::Push(Box::new(Push::new(prepared, messages, measurement)))
            }
            Route::Push(messages) => {
                let deliveries = Deliveries::new(&self.outbox, messages, measurement);
                Service::Made(Box::new(deliveries))
            }
            Route::Feed => {
                resources.has_joined = true;
                let mut deliveries = Deliveries::new(&self.outbox, 0, measurement);
                deliveries.is_feed_on = true;
                Service::Made(Box::new(deliveries))
            }
        };
    }
}
