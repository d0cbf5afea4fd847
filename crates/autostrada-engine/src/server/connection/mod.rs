//! One connection of the server: reading, and the service that the client asked for.

mod ending;
mod faults;
mod sending;
mod slices;

use std::io;

use autostrada_measure::Nanos;
use autostrada_net::{Event as Readiness, Transfer, Transport, clock};
use autostrada_proto::close::ProtocolError;

use super::fault::ConnectionFaults;
use super::protocol::{Decoded, PeerEvent, Protocol, Route};
use super::resources::{Message, Resources};
use super::sending::{Count, Deliveries, Measurement, Pings, Push};
use crate::line::ServeResult;
use crate::send_buffer::SendBuffer;

/// Maximum number of reads in one turn of a connection.
const READS_PER_TURN: u32 = 16;

/// Number of unsent bytes above which nothing more is read from the client.
const UNSENT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Maximum number of bytes that are read from a client while the server still waits for the
/// `observe` command.
const HELD_BYTES_MAX: usize = 64 * 1024;

/// The result of a turn.
pub enum Progress {
    /// The connection can continue at once.
    Runnable,
    /// The connection waits for its socket or for a command.
    Waiting,
    /// The measurement has ended; the connection is still to be closed.
    Measured(Box<ServeResult>),
    /// The connection has ended.
    Gone,
}

/// The stage of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The opening handshake is incomplete or unanswered.
    Handshake,
    /// The connection is open.
    Serving,
    /// The server has sent its closing frame, and waits for the peer's.
    AwaitingClose,
    /// The rest of the outbox is sent; then the connection is reset.
    Aborting,
    /// The peer has closed, was refused, or broke the protocol: the rest of the outbox is sent;
    /// then the server ends its side of the stream.
    Closing,
    /// The server has ended its side of the stream, or the connection is broken or at its end: the
    /// connection is dropped at the end of the peer's stream.
    Ending,
}

/// The service that a client asked for.
#[derive(Debug)]
enum Service {
    /// None yet.
    None,
    /// Every message is sent back.
    Echo,
    /// Prepared frames of one message are sent repeatedly.
    Push(Box<Push>),
    /// Messages are encoded one by one.
    Encoded(Box<Deliveries>),
}

/// The minimum of a push that the server ends.
#[derive(Debug)]
struct Minimum {
    messages: u64,
    until_ns: Nanos,
}

/// Why a connection ends.
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
    /// Bytes of an incomplete message.
    input: Vec<u8>,
    outbox: SendBuffer,
    service: Service,
    /// The pings of a push; `None` if the plan has none, and for other services.
    pings: Option<Box<Pings>>,
    /// The minimum of a push; `None` if the client ends it, and for other services.
    minimum: Option<Box<Minimum>>,
    /// Fault injection; `None` if this connection has no faults.
    faults: Option<Box<ConnectionFaults>>,
    /// Position in the list of subscribers of a feed, whose owner sets it; `None` if it is not in the
    /// list.
    pub position: Option<u32>,
    /// Serial number among the connections of its thread, to tell apart those with the same index.
    pub serial: u32,
    stage: Stage,
    /// Whether the opening handshake was completed.
    pub was_opened: bool,
    /// Whether the last turn ended before everything was read.
    has_unread: bool,
    /// Whether the poller has reported the end of the peer's stream, or an error.
    has_peer_ended: bool,
}

impl Connection {
    /// Creates a connection before its opening handshake.
    pub fn new(transport: Transport, protocol: Protocol, serial: u32) -> Self {
        Self {
            transport,
            protocol,
            input: Vec::new(),
            outbox: SendBuffer::default(),
            service: Service::None,
            pings: None,
            minimum: None,
            faults: None,
            position: None,
            serial,
            stage: Stage::Handshake,
            was_opened: false,
            has_unread: false,
            has_peer_ended: false,
        }
    }

    /// Records an event of the poller.
    pub fn handle_event(&mut self, readiness: &Readiness) {
        if readiness.is_writable() {
            self.unblock();
        }
        self.has_peer_ended |= readiness.is_read_closed() || readiness.is_error();
    }

    fn unblock(&mut self) {
        match &mut self.service {
            Service::None | Service::Echo => {}
            Service::Push(push) => push.unblock(clock::now()),
            Service::Encoded(deliveries) => deliveries.unblock(clock::now()),
        }
    }

    /// Returns whether the connection is open and neither side has begun to close it.
    pub fn is_served(&self) -> bool {
        self.stage == Stage::Serving
    }

    /// Returns the number of bytes that are still to be sent, delayed messages included.
    pub fn unsent_bytes(&self) -> usize {
        let waiting_bytes = self.faults.as_ref().map_or(0, |one| one.waiting_bytes);
        self.outbox.rest().len() + waiting_bytes
    }

    /// Returns the messages handed to the kernel since the last call.
    pub fn take_new(&mut self) -> Count {
        match &mut self.service {
            Service::None | Service::Echo => Count::default(),
            Service::Push(push) => push.take_new(),
            Service::Encoded(deliveries) => deliveries.take_new(),
        }
    }

    /// Does one turn: reads received bytes, and sends as much as the kernel takes.
    pub fn advance(&mut self, resources: &mut Resources) -> Progress {
        self.outbox.borrow_from(&mut resources.spare_outputs);
        let read = self.read(resources);
        if self.faults.is_some() {
            self.inject_faults(resources);
        }
        let end = match read {
            Ok(None) => self.send(resources).map_err(End::Broken),
            Ok(Some(end)) => Err(end),
            Err(error) => Err(End::Broken(error)),
        };
        let progress = match end {
            Ok(Progress::Waiting) if self.has_unread && !self.is_reading_paused(resources) => {
                Progress::Runnable
            }
            Ok(progress) => progress,
            Err(end) => self.end(end, resources),
        };
        self.outbox.return_to(&mut resources.spare_outputs);
        if self.input.is_empty() {
            resources.spare_inputs.put(std::mem::take(&mut self.input));
        }
        progress
    }

    /// Returns whether reading is suspended because too many bytes wait.
    fn is_reading_paused(&self, resources: &Resources) -> bool {
        let is_held = self.stage == Stage::Handshake && !resources.usage_reader.is_configured();
        self.unsent_bytes() > UNSENT_BYTES_MAX || is_held && self.input.len() > HELD_BYTES_MAX
    }

    /// Reads for one turn; returns why the connection ends, or `None` if it continues.
    fn read(&mut self, resources: &mut Resources) -> io::Result<Option<End>> {
        let mut buffer = std::mem::take(&mut resources.read_buffer);
        let result = self.read_into(&mut buffer, resources);
        resources.read_buffer = buffer;
        result
    }

    /// A read that does not fill the buffer has emptied the socket, so the next read waits for the
    /// poller (`epoll(7)`). Exceptions: the end of the peer's stream, which the poller reports only
    /// once, and TLS, which buffers bytes itself.
    fn read_into(
        &mut self,
        buffer: &mut [u8],
        resources: &mut Resources,
    ) -> io::Result<Option<End>> {
        self.has_unread = true;
        for _ in 0..READS_PER_TURN {
            if self.is_reading_paused(resources) {
                return Ok(None);
            }
            let transfer = self.transport.read(buffer)?;
            let moved = match transfer {
                Transfer::Bytes(moved) => moved,
                Transfer::WouldBlock | Transfer::Ended => 0,
            };
            if self.pings.is_some() && moved > 0 {
                self.transport.stream().acknowledge_at_once()?;
            }
            if let Some(end) = self.process(&mut buffer[..moved], resources) {
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

    /// Decodes bytes in place, and keeps the bytes of an incomplete message.
    fn process(&mut self, bytes: &mut [u8], resources: &mut Resources) -> Option<End> {
        if matches!(self.stage, Stage::Aborting | Stage::Closing | Stage::Ending) {
            self.input.clear();
            return None;
        }
        if self.input.is_empty() {
            let (consumed_bytes, end) = self.decode(bytes, resources);
            if consumed_bytes < bytes.len() {
                self.input = resources.spare_inputs.take();
                self.input.extend_from_slice(&bytes[consumed_bytes..]);
            }
            return end;
        }
        let mut input = std::mem::take(&mut self.input);
        input.extend_from_slice(bytes);
        let (consumed_bytes, end) = self.decode(&mut input, resources);
        input.drain(..consumed_bytes);
        self.input = input;
        end
    }

    /// Decodes and handles complete messages; returns the number of consumed bytes, and why the
    /// connection ends, if it does.
    fn decode(&mut self, input: &mut [u8], resources: &mut Resources) -> (usize, Option<End>) {
        if self.stage == Stage::Handshake && !resources.usage_reader.is_configured() {
            return (0, None);
        }
        let mut position = 0;
        while position < input.len() {
            let is_echoing = matches!(self.service, Service::Echo) && self.stage == Stage::Serving;
            let out = self.outbox.bytes();
            let rest = &mut input[position..];
            match self
                .protocol
                .decode(rest, is_echoing, &mut resources.encoders, out)
            {
                Ok(Decoded::Incomplete { .. }) => break,
                Ok(Decoded::Event {
                    consumed_bytes,
                    event,
                }) => {
                    position += consumed_bytes;
                    match event {
                        PeerEvent::Nothing => {}
                        PeerEvent::Pong(messages) => {
                            if let Some(pings) = &mut self.pings {
                                pings.answer(messages, clock::now());
                            }
                        }
                        PeerEvent::Requested(route) => self.serve(route, resources),
                        PeerEvent::Refused => {
                            self.stage = Stage::Closing;
                            return (input.len(), None);
                        }
                        PeerEvent::Closing(code) => return (input.len(), Some(End::Close(code))),
                    }
                }
                Err(error) => return (input.len(), Some(End::Violation(error))),
            }
        }
        (position, None)
    }

    /// Starts the service of a route.
    fn serve(&mut self, route: Route, resources: &mut Resources) {
        self.was_opened = true;
        self.stage = Stage::Serving;
        let is_measured = match route {
            Route::Echo => false,
            Route::Push(_) => true,
            Route::Feed => resources.measures_subscribers,
        };
        let appended_total = self.outbox.appended_total();
        let measurement =
            is_measured.then(|| Measurement::begin(&resources.usage_reader, appended_total));
        self.set_up_faults(route, resources);
        let has_slices = resources.message.has_slices;
        if let (Route::Push(_), Some(plan), false) = (route, &resources.message.pings, has_slices) {
            let frame_bytes = resources.message.prepared.frame_bytes;
            self.pings = Some(Box::new(Pings::new(plan, frame_bytes, clock::now())));
        }
        let prepared = &resources.message.prepared;
        let route = self.plan_push(route, &resources.message);
        self.service = match route {
            Route::Echo => Service::Echo,
            Route::Push(messages) if self.protocol.is_plain() => {
                Service::Push(Box::new(Push::new(prepared, messages, measurement)))
            }
            Route::Push(messages) => {
                let deliveries = Deliveries::new(&self.outbox, messages, measurement);
                Service::Encoded(Box::new(deliveries))
            }
            Route::Feed => {
                resources.has_joined = true;
                let mut deliveries = Deliveries::new(&self.outbox, 0, measurement);
                deliveries.is_feed_open = true;
                Service::Encoded(Box::new(deliveries))
            }
        };
    }

    /// Returns the route with the number of planned messages: as many as fit into the duration of a
    /// push that has one, and none at first in slices.
    fn plan_push(&mut self, route: Route, message: &Message) -> Route {
        if message.has_slices && matches!(route, Route::Push(_)) {
            return Route::Push(0);
        }
        let push_ns = message.push_ns;
        let (Route::Push(messages), Some(push_ns)) = (route, push_ns) else {
            return route;
        };
        self.minimum = Some(Box::new(Minimum {
            messages,
            until_ns: clock::now() + push_ns,
        }));
        Route::Push(u64::MAX)
    }
}
