//! One connection of a client: TCP, TLS, opening handshake, messages, closing handshake.

mod dialer;
mod unfinished;
mod wire;

use autostrada_measure::{FailureKind, Nanos, Opening};
use autostrada_net::tls::Agreed;
use autostrada_net::{Transfer, Transport, clock};

use super::end::End;
use super::sending::Outbox;
use super::session::{Delivery, Polling, Session, SessionConfig};
use super::workload::Workload;
pub use dialer::{Dialer, Lane, Target};
use unfinished::Unfinished;
use wire::Progress;
pub use wire::Wire;

/// What all connections of a thread share.
#[derive(Debug)]
pub struct Shared<'a> {
    /// What is asked for, and what was granted.
    pub session_config: SessionConfig<'a>,
    /// What begins connections.
    pub dialer: Dialer<'a>,
    /// Whether each frame goes out by a system call of its own.
    pub writes_single_frames: bool,
    /// Bytes are read into it, and decoded there.
    pub buffer: Vec<u8>,
    /// What an outbox borrows.
    pub spare: Vec<u8>,
    /// Bytes read.
    pub read_bytes: u64,
    /// In so many calls.
    pub read_calls: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// In so many calls.
    pub write_calls: u64,
}

/// While a connection is being opened.
#[derive(Debug)]
struct Begun {
    due: Nanos,
    begun: Nanos,
    connected: Nanos,
    secured: Nanos,
}

/// The second socket of long-polling.
#[derive(Debug)]
struct Polls {
    wire: Wire,
    unfinished: Unfinished,
    request: Vec<u8>,
    sent: usize,
}

/// What reading has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Received {
    /// All that had come was taken in.
    All,
    /// The turn was over before.
    More,
    /// The connection is open; more may have come.
    Opened(Nanos),
}

/// One connection.
#[derive(Debug)]
pub struct Connection {
    wire: Wire,
    session: Session,
    unfinished: Unfinished,
    /// What is to be sent.
    pub outbox: Outbox,
    /// Until it is open.
    begun: Option<Box<Begun>>,
    polls: Option<Box<Polls>>,
    /// Whether what comes is left in the socket.
    is_slow: bool,
    has_ended_writing: bool,
    /// Whether what has come, and is whole, waits until more of the answers was read.
    is_paused: bool,
}

impl Connection {
    /// Begins with a socket that is being connected.
    pub fn new(wire: Wire, due: Nanos, begun: Nanos) -> Self {
        let begun = Begun {
            due,
            begun,
            connected: 0,
            secured: 0,
        };
        Self {
            wire,
            session: Session::Silent,
            unfinished: Unfinished::default(),
            outbox: Outbox::default(),
            begun: Some(Box::new(begun)),
            polls: None,
            is_slow: false,
            has_ended_writing: false,
            is_paused: false,
        }
    }

    /// Takes a second socket, for long-polling.
    #[must_use]
    pub fn with_polls(mut self, wire: Wire) -> Self {
        self.session = Session::Polling(Box::new(Polling::new()));
        self.polls = Some(Box::new(Polls {
            wire,
            unfinished: Unfinished::default(),
            request: Vec::new(),
            sent: 0,
        }));
        self
    }

    /// What was agreed upon in the TLS handshake, if there was one.
    pub fn agreed(&self) -> Option<Agreed> {
        match self.wire.transport() {
            Transport::Plain(_) => None,
            Transport::Tls(stream) => stream.agreed(),
        }
    }

    /// Whether messages may flow.
    pub fn is_open(&self) -> bool {
        self.begun.is_none() && !self.outbox.is_closing()
    }

    /// Whether it is on its way to being open.
    pub fn is_opening(&self) -> bool {
        self.begun.is_some()
    }

    /// Leaves what comes in the socket from here on, until it is asked for.
    pub fn slow_down(&mut self) {
        self.is_slow = true;
    }

    /// Whether what comes is left in the socket.
    pub fn is_slow(&self) -> bool {
        self.is_slow
    }

    /// The socket on which messages come.
    pub fn message_lane(&self) -> Lane {
        match self.polls {
            None => Lane::Main,
            Some(_) => Lane::Polls,
        }
    }

    /// How many bytes wait where messages come.
    pub fn unread_bytes(&self) -> u64 {
        let wire = self.polls.as_ref().map_or(&self.wire, |polls| &polls.wire);
        wire.transport().stream().unread_bytes().unwrap_or(0)
    }

    /// Has the peer see a reset when the connection is dropped.
    pub fn abort(&self) {
        // Where the socket is broken already, the peer has seen one.
        let _ = self.wire.transport().stream().abort_on_close();
    }

    /// One of its sockets.
    pub fn wire(&mut self, lane: Lane) -> &mut Wire {
        match (lane, &mut self.polls) {
            (Lane::Polls, Some(polls)) => &mut polls.wire,
            _ => &mut self.wire,
        }
    }

    /// Carries connecting on; returns whether the connection is open by that.
    pub fn advance(&mut self, shared: &mut Shared<'_>) -> Result<bool, End> {
        loop {
            match self.wire.advance()? {
                Progress::None => return Ok(false),
                Progress::Connected(at) => {
                    if let Some(begun) = self.begun.as_mut().filter(|one| one.connected == 0) {
                        begun.connected = at;
                    }
                }
                Progress::Ready(at) => {
                    // A socket that takes the place of another begins nothing.
                    let Some(begun) = self.begun.as_mut().filter(|one| one.secured == 0) else {
                        return Ok(false);
                    };
                    begun.secured = at;
                    return self.session.begin(&shared.session_config, &mut self.outbox);
                }
            }
        }
    }

    /// Whether something can be read.
    pub fn is_ready(&self) -> bool {
        self.wire.is_ready()
    }

    /// The instants of its opening, which is over.
    pub fn opened(&mut self, opened: Nanos) -> Opening {
        let begun = self.begun.take().expect("a connection is opened once");
        self.outbox.begin_frames();
        let is_encrypted = self.wire.transport().is_encrypted();
        Opening {
            due: begun.due,
            begun: begun.begun,
            connected: begun.connected,
            secured: is_encrypted.then_some(begun.secured),
            is_resumed: self.agreed().is_some_and(|agreed| agreed.is_resumed),
            opened: opened.max(begun.secured),
        }
    }

    /// Sends what there is room for.
    pub fn flush(&mut self, index: usize, shared: &mut Shared<'_>) -> Result<(), End> {
        if let Session::Polling(polling) = &mut self.session {
            polling.post_waiting(&shared.session_config, &mut self.outbox)?;
            self.flush_polls(shared)?;
            self.redial_to_send(index, shared)?;
        }
        while !self.outbox.rest().is_empty() {
            let bytes = if shared.writes_single_frames && self.begun.is_none() {
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
        self.outbox.return_buffer(&mut shared.spare);
        self.wire.flush()
    }

    /// Framed TCP has no other word for the end.
    fn end_writing(&mut self) -> Result<(), End> {
        if matches!(self.session, Session::Framed) && !self.has_ended_writing {
            self.has_ended_writing = true;
            self.wire.end()?;
        }
        Ok(())
    }

    fn flush_polls(&mut self, shared: &mut Shared<'_>) -> Result<(), End> {
        let (Session::Polling(polling), Some(polls)) = (&mut self.session, &mut self.polls) else {
            return Ok(());
        };
        if !polls.wire.is_ready() || self.outbox.is_closing() {
            return Ok(());
        }
        polling.poll(&shared.session_config, &mut polls.request)?;
        while polls.sent < polls.request.len() {
            let moved = polls.wire.write(&polls.request[polls.sent..], shared)?;
            if moved == 0 {
                return Ok(());
            }
            polls.sent += moved;
        }
        polls.request.clear();
        polls.sent = 0;
        polls.wire.flush()
    }

    /// Takes in what came together with the response to the opening handshake.
    pub fn receive_first<W: Workload>(
        &mut self,
        index: usize,
        workload: &mut W,
        shared: &mut Shared<'_>,
    ) -> Result<(), End> {
        let (kept, _) = self.unfinished.restore(&mut shared.buffer);
        self.take_in(index, kept, clock::now(), workload, shared)
            .map(drop)
    }

    /// Reads what there is, up to `bytes_max`, and hands whole messages to the workload.
    ///
    /// A call that reads less than it could has read everything: the poller speaks again when
    /// there is more (`epoll(7)`), unless the peer has ended the stream. It also speaks when a
    /// paused connection may write again.
    pub fn receive<W: Workload>(
        &mut self,
        index: usize,
        bytes_max: usize,
        workload: &mut W,
        shared: &mut Shared<'_>,
    ) -> Result<Received, End> {
        let mut left_bytes = bytes_max;
        loop {
            if self.is_paused {
                if self.is_choked(index, shared)? {
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
            let now = clock::now();
            shared.read_calls += 1;
            shared.read_bytes += moved as u64;
            if self.take_in(index, kept + moved, now, workload, shared)? {
                return Ok(Received::Opened(now));
            }
            left_bytes -= moved;
            if moved < room && self.wire.is_read_up() && !self.is_paused {
                return Ok(Received::All);
            }
        }
    }

    /// Whether much still waits to be read by the peer after what it has room for was sent.
    fn is_choked(&mut self, index: usize, shared: &mut Shared<'_>) -> Result<bool, End> {
        if self.outbox.is_choked() {
            self.flush(index, shared)?;
            self.outbox.borrow_buffer(&mut shared.spare);
        }
        Ok(self.outbox.is_choked())
    }

    /// The peer sends nothing more on the main socket.
    fn peer_ended(&mut self) -> Result<Received, End> {
        if self.outbox.is_closing() {
            return Err(End::Done);
        }
        match &self.session {
            Session::Polling(polling) if !polling.is_answer_due() => {
                self.wire.give_up();
                Ok(Received::All)
            }
            Session::Framed if self.unfinished.is_empty() => {
                Err(End::Ended("the peer ended the stream"))
            }
            _ => Err(ended(self.begun.is_some())),
        }
    }

    /// A server may end the socket of the POST requests while it is idle.
    fn redial_to_send(&mut self, index: usize, shared: &Shared<'_>) -> Result<(), End> {
        if self.wire.is_given_up() && !self.outbox.rest().is_empty() {
            self.wire = redial(index, Lane::Main, shared)?;
        }
        Ok(())
    }

    /// Decodes what is in the buffer, and keeps what is not whole; returns whether the connection
    /// is open by that.
    fn take_in<W: Workload>(
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
        let taken = self
            .session
            .take_in(input, &mut shared.session_config, &mut delivery)?;
        self.is_paused = delivery.is_choked();
        self.unfinished.keep(taken, input);
        Ok(taken.has_opened)
    }

    /// Reads what has come by long-polling, up to `bytes_max`.
    pub fn receive_polls<W: Workload>(
        &mut self,
        index: usize,
        bytes_max: usize,
        workload: &mut W,
        shared: &mut Shared<'_>,
    ) -> Result<Received, End> {
        let (Session::Polling(polling), Some(polls)) = (&mut self.session, &mut self.polls) else {
            return Ok(Received::All);
        };
        while polls.wire.advance()? != Progress::None {}
        let mut left_bytes = bytes_max;
        while polls.wire.is_ready() {
            if left_bytes == 0 {
                return Ok(Received::More);
            }
            let (kept, room) = polls.unfinished.restore(&mut shared.buffer);
            let room = room.min(left_bytes);
            let moved = match polls.wire.read(&mut shared.buffer[kept..kept + room])? {
                Transfer::Bytes(moved) => moved,
                Transfer::WouldBlock => break,
                Transfer::Ended if self.outbox.is_closing() => break,
                Transfer::Ended if polling.is_poll_due() => return Err(ended(false)),
                Transfer::Ended => {
                    polls.wire = redial(index, Lane::Polls, shared)?;
                    break;
                }
            };
            let now = clock::now();
            shared.read_calls += 1;
            shared.read_bytes += moved as u64;
            left_bytes -= moved;
            let long;
            let input = if polls.unfinished.is_long(shared.buffer.len()) {
                let Some(whole) = polls.unfinished.gather(&shared.buffer[..moved]) else {
                    continue;
                };
                long = whole;
                &long[..]
            } else {
                &shared.buffer[..kept + moved]
            };
            let mut delivery = Delivery {
                connection: index,
                now,
                workload,
                outbox: &mut self.outbox,
            };
            let taken = polling.take_in_polls(input, &shared.session_config, &mut delivery)?;
            polls.unfinished.keep(taken, input);
            if taken.has_opened {
                return Ok(Received::Opened(now));
            }
        }
        Ok(Received::All)
    }

    /// Whether the peer is told why it is over.
    pub fn has_closing_frames(&self) -> bool {
        self.session.decoder().is_some()
    }

    /// The socket on which the connection is closed, by the peer or by us.
    pub fn into_wire(self) -> Wire {
        self.wire
    }

    /// Counts what the connection, which is over, has compressed.
    pub fn settle(&mut self, session_config: &mut SessionConfig<'_>) {
        session_config.settle(self.session.decoder(), self.outbox.encoding());
    }
}

fn redial(index: usize, lane: Lane, shared: &Shared<'_>) -> Result<Wire, End> {
    shared
        .dialer
        .dial(index, lane, false)
        .map_err(|error| End::failed(FailureKind::Connect, &error))
}

fn ended(is_opening: bool) -> End {
    if is_opening {
        let text = "ended during the opening handshake".to_owned();
        return End::Failed(FailureKind::Handshake, text);
    }
    let text = "the peer ended the stream without a closing handshake".to_owned();
    End::Failed(FailureKind::Close, text)
}
