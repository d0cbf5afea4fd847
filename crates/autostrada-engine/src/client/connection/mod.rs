//! One connection of a client: TCP, TLS, opening handshake, messages, closing handshake.

mod batched;
mod dialer;
mod heartbeat;
mod opening;
mod polling;
mod tunnel;
mod unfinished;
mod wire;

use autostrada_measure::{FailureKind, Nanos, Opening};
use autostrada_net::tls::Negotiated;
use autostrada_net::{Event, Transfer, Transport, clock};

use super::connection_stats::SocketTraffic;
use super::end::End;
use super::sending::Outbox;
use super::session::{Delivery, Session, SessionConfig};
use super::workload::Workload;
use crate::send_buffer::SpareBuffers;
pub use dialer::{Accepting, Dialer, Target, connection_of};
use opening::OpeningInstants;
use polling::Polling;
use unfinished::Unfinished;
use wire::Progress;
pub use wire::Wire;

/// The state that all connections of a thread share.
#[derive(Debug)]
pub struct Shared<'a> {
    /// Session settings, and what servers granted.
    pub session_config: SessionConfig<'a>,
    /// Opens sockets to the server.
    pub dialer: Dialer<'a>,
    /// Whether each frame is written with its own system call.
    pub writes_single_frames: bool,
    /// Buffer into which bytes are read, and in which they are decoded.
    pub buffer: Vec<u8>,
    /// Send buffers that outboxes borrow while they have bytes to send.
    pub spares: SpareBuffers,
    /// Traffic of the sockets.
    pub traffic: SocketTraffic,
}

/// The outcome of reading from a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Received {
    /// All received bytes were processed, or reading is paused.
    All,
    /// The limit of this turn was reached; there may be more to read.
    More,
    /// The connection opened at this instant; there may be more to read.
    Opened(Nanos),
}

/// One connection of a client.
#[derive(Debug)]
pub struct Connection {
    wire: Wire,
    session: Session,
    unfinished: Unfinished,
    /// Messages and frames to send.
    pub outbox: Outbox,
    /// Instants of the opening; `None` once the connection is open.
    opening: Option<Box<OpeningInstants>>,
    /// The transport of a Socket.IO session over long-polling; `None` with any other.
    polling: Option<Box<Polling>>,
    /// Whether received bytes are left in the socket until they are read explicitly.
    pub is_slow: bool,
    has_ended_writing: bool,
    /// Whether complete messages wait until the peer has read more of the answers.
    is_paused: bool,
}

impl Connection {
    /// Creates a connection on a socket that is being connected.
    pub fn new(wire: Wire, due: Nanos, begun: Nanos) -> Self {
        Self {
            wire,
            session: Session::New,
            unfinished: Unfinished::default(),
            outbox: Outbox::default(),
            opening: Some(Box::new(OpeningInstants::new(due, begun))),
            polling: None,
            is_slow: false,
            has_ended_writing: false,
            is_paused: false,
        }
    }

    /// Creates a connection on a socket that was accepted at this instant.
    pub fn accepted(wire: Wire, at: Nanos) -> Self {
        let mut connection = Self::new(wire, at, at);
        connection
            .opening
            .as_mut()
            .expect("it is not open")
            .connected = at;
        connection
    }

    /// Returns the negotiated TLS parameters, or `None` without TLS.
    pub fn negotiated(&self) -> Option<Negotiated> {
        match self.wire.transport() {
            Transport::Plain(_) => None,
            Transport::Tls(stream) => stream.negotiated(),
        }
    }

    /// Whether messages can be sent.
    pub fn is_open(&self) -> bool {
        self.opening.is_none() && !self.outbox.is_closing()
    }

    /// Whether the connection is being opened.
    pub fn is_opening(&self) -> bool {
        self.opening.is_some()
    }

    /// Returns when the opening was begun, and the step of it that is not complete; `None` once the
    /// connection is open.
    pub fn unfinished_opening(&self) -> Option<(Nanos, &'static str)> {
        let opening = self.opening.as_ref()?;
        Some((opening.begun, opening.unfinished_step()))
    }

    /// Returns the number of unread bytes in the socket.
    pub fn unread_bytes(&self) -> u64 {
        let stream = self.wire.transport().stream();
        stream.unread_bytes().unwrap_or(0)
    }

    /// Makes the kernel reset the TCP connection when this value is dropped.
    pub fn abort(&self) {
        // This fails only if the socket is broken already, and then the peer has seen a reset.
        let _ = self.wire.transport().stream().abort_on_close();
    }

    /// Returns the socket on which messages are received.
    pub fn wire(&mut self) -> &mut Wire {
        &mut self.wire
    }

    /// Records the readiness that the poller reports.
    #[inline]
    pub fn note(&mut self, event: &Event) {
        let has_peer_ended = event.is_read_closed() || event.is_error();
        match &mut self.polling {
            Some(polling) if dialer::is_second(event.token()) => {
                polling.note(event.is_writable(), has_peer_ended);
            }
            _ => self.wire.note(event.is_writable(), has_peer_ended),
        }
    }

    /// Continues connecting; returns whether the connection is open after that.
    pub fn advance(&mut self, index: usize, shared: &mut Shared<'_>) -> Result<bool, End> {
        loop {
            match self.wire.advance()? {
                Progress::None => return Ok(false),
                Progress::Connected(at) => {
                    if let Some(opening) = self.opening.as_mut().filter(|one| one.connected == 0) {
                        opening.connected = at;
                    }
                }
                Progress::Ready(at) => {
                    // A replacement socket does not start a session.
                    let Some(opening) = self.opening.as_mut().filter(|one| one.secured == 0) else {
                        return Ok(false);
                    };
                    opening.secured = at;
                    let session_config = &shared.session_config;
                    if session_config.protocol.is_polling() {
                        self.polling = Some(Box::new(Polling::new()));
                    }
                    return Ok(self.session.begin(index, session_config, &mut self.outbox));
                }
            }
        }
    }

    /// Whether the socket can be read from and written to.
    pub fn is_ready(&self) -> bool {
        self.wire.is_ready()
    }

    /// Marks the connection as open; returns the instants of its opening.
    pub fn opened(&mut self, opened: Nanos) -> Opening {
        let opening = self.opening.take().expect("a connection is opened once");
        self.outbox.begin_frames();
        let is_encrypted = self.wire.transport().is_encrypted();
        opening.complete(opened, is_encrypted, self.negotiated())
    }

    /// Sends as many bytes as the socket accepts.
    pub fn flush(&mut self, index: usize, shared: &mut Shared<'_>) -> Result<(), End> {
        if self.polling.is_some() {
            return self.flush_polling(index, shared);
        }
        while !self.outbox.rest().is_empty() {
            let bytes = if shared.writes_single_frames && self.opening.is_none() {
                self.outbox.rest_of_frame()
            } else {
                self.outbox.rest()
            };
            let moved = self.wire.write(bytes, shared)?;
            if moved == 0 {
                break;
            }
            self.outbox.advance(moved);
        }
        if !self.outbox.rest().is_empty() {
            self.outbox.check_room()?;
        } else if self.outbox.is_closing() {
            self.end_writing()?;
        }
        self.outbox.return_buffer(&mut shared.spares);
        self.wire.flush()
    }

    /// Shuts down the sending direction of a framed TCP connection, which has no closing frame.
    fn end_writing(&mut self) -> Result<(), End> {
        if matches!(self.session, Session::Framed) && !self.has_ended_writing {
            self.has_ended_writing = true;
            self.wire.shutdown_write()?;
        }
        Ok(())
    }

    /// Processes bytes that were received with the opening response, or before a pause.
    pub fn receive_first<W: Workload>(
        &mut self,
        index: usize,
        workload: &mut W,
        shared: &mut Shared<'_>,
    ) -> Result<(), End> {
        let (kept, _) = self.unfinished.restore(&mut shared.buffer);
        self.process(index, kept, clock::now(), workload, shared)
            .map(drop)
    }

    /// Reads up to `bytes_max` bytes and passes complete messages to the workload.
    ///
    /// A read that does not fill its buffer has read everything: the poller reports further bytes
    /// (`epoll(7)`), unless the peer has ended the stream. The poller also reports when a paused
    /// connection can write again.
    pub fn receive<W: Workload>(
        &mut self,
        index: usize,
        bytes_max: usize,
        workload: &mut W,
        shared: &mut Shared<'_>,
    ) -> Result<Received, End> {
        if self.polling.is_some() {
            return self.receive_polling(index, bytes_max, workload, shared);
        }
        let mut left_bytes = bytes_max;
        loop {
            if self.is_paused {
                if self.has_backpressure(index, shared)? {
                    return Ok(Received::All);
                }
                self.receive_first(index, workload, shared)?;
                continue;
            }
            if left_bytes == 0 {
                return Ok(Received::More);
            }
            let (kept, room) = self.unfinished.restore(&mut shared.buffer);
            let room = room.min(left_bytes);
            let moved = match self.wire.read(&mut shared.buffer[kept..kept + room])? {
                Transfer::Bytes(moved) => moved,
                Transfer::WouldBlock => return Ok(Received::All),
                Transfer::Ended => return self.peer_ended(),
            };
            if let Some(opened) = self.process_read(index, kept, moved, workload, shared)? {
                return Ok(Received::Opened(opened));
            }
            left_bytes -= moved;
            if moved < room && self.wire.has_read_all() && !self.is_paused {
                return Ok(Received::All);
            }
        }
    }

    /// Processes `moved` bytes that were read behind `kept` ones; returns the instant if the
    /// connection is open after that.
    #[inline]
    fn process_read<W: Workload>(
        &mut self,
        index: usize,
        kept: usize,
        moved: usize,
        workload: &mut W,
        shared: &mut Shared<'_>,
    ) -> Result<Option<Nanos>, End> {
        let now = clock::now();
        shared.traffic.read_calls += 1;
        shared.traffic.read_bytes += moved as u64;
        let has_opened = self.process(index, kept + moved, now, workload, shared)?;
        Ok(has_opened.then_some(now))
    }

    /// Sends what the socket accepts if answers wait; returns whether too many still wait.
    fn has_backpressure(&mut self, index: usize, shared: &mut Shared<'_>) -> Result<bool, End> {
        if self.outbox.has_backpressure() {
            self.flush(index, shared)?;
            self.outbox.borrow_buffer(&mut shared.spares);
        }
        Ok(self.outbox.has_backpressure())
    }

    /// Handles the end of the peer's stream.
    fn peer_ended(&mut self) -> Result<Received, End> {
        if self.outbox.is_closing() {
            return Err(End::Done);
        }
        match &self.session {
            Session::Framed if self.unfinished.is_empty() => {
                Err(End::Ended("the peer ended the stream"))
            }
            _ => Err(ended(self.opening.is_some())),
        }
    }

    /// Decodes the first `filled` bytes of the buffer and keeps an incomplete rest; returns whether
    /// the connection is open after that.
    fn process<W: Workload>(
        &mut self,
        index: usize,
        filled: usize,
        now: Nanos,
        workload: &mut W,
        shared: &mut Shared<'_>,
    ) -> Result<bool, End> {
        let mut long;
        let input = if self.unfinished.is_long(shared.buffer.len()) {
            let Some(whole) = self.unfinished.gather(&shared.buffer[..filled]) else {
                let front = self.unfinished.bytes();
                self.session.check_front(front, &mut self.outbox)?;
                return Ok(false);
            };
            long = whole;
            &mut long[..]
        } else {
            &mut shared.buffer[..filled]
        };
        let mut delivery = Delivery {
            connection: index,
            now,
            workload,
            outbox: &mut self.outbox,
        };
        let consumed = self
            .session
            .process(input, &mut shared.session_config, &mut delivery)?;
        self.is_paused = delivery.has_backpressure();
        self.unfinished.keep(consumed, input);
        Ok(consumed.has_opened)
    }

    /// Whether the protocol has closing frames.
    pub fn has_closing_frames(&self) -> bool {
        self.polling.is_none() && self.session.decoder().is_some()
    }

    /// Returns the socket, on which the connection is closed.
    pub fn into_wire(self) -> Wire {
        self.wire
    }

    /// Adds the compressed traffic of the connection, which has ended, to the totals of the thread.
    pub fn count_traffic(&mut self, session_config: &mut SessionConfig<'_>) {
        session_config.count_traffic(self.session.decoder(), self.outbox.encoding());
    }
}

fn ended(is_opening: bool) -> End {
    if is_opening {
        let text = "ended during the opening handshake".to_owned();
        return End::Failed(FailureKind::Handshake, text);
    }
    let text = "the peer ended the stream without a closing handshake".to_owned();
    End::Failed(FailureKind::Close, text)
}
