//! One connection of a client: TCP, TLS, opening handshake, messages, closing handshake.

mod dialer;
mod wire;

use autostrada_measure::{FailureKind, Nanos, Opening};
use autostrada_net::tls::Agreed;
use autostrada_net::{Transfer, Transport, clock};

use super::end::End;
use super::session::{Delivery, Outbox, Polling, Session, Taken, Terms};
use super::workload::Workload;
pub use dialer::{Dialer, Lane, Target};
use wire::Progress;
pub use wire::Wire;

/// What all connections of a thread share.
#[derive(Debug)]
pub struct Shared<'a> {
    /// What is asked for, and what was granted.
    pub terms: Terms<'a>,
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
    unfinished: Vec<u8>,
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
    /// The beginning of a frame, or of the response, whose end has not been read.
    unfinished: Vec<u8>,
    /// What is to be sent.
    pub outbox: Outbox,
    /// Until it is open.
    begun: Option<Box<Begun>>,
    polls: Option<Box<Polls>>,
    /// Whether what comes is left in the socket.
    is_slow: bool,
    has_ended_writing: bool,
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
            unfinished: Vec::new(),
            outbox: Outbox::default(),
            begun: Some(Box::new(begun)),
            polls: None,
            is_slow: false,
            has_ended_writing: false,
        }
    }

    /// Takes a second socket, for long-polling.
    #[must_use]
    pub fn with_polls(mut self, wire: Wire) -> Self {
        self.session = Session::Polling(Box::new(Polling::new()));
        self.polls = Some(Box::new(Polls {
            wire,
            unfinished: Vec::new(),
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

    /// How many bytes wait in the socket.
    pub fn unread_bytes(&self) -> u64 {
        let stream = self.wire.transport().stream();
        stream.unread_bytes().unwrap_or(0)
    }

    /// Has the peer see a reset when the connection is dropped.
    pub fn abort(&self) {
        // Where the socket is broken already, the peer has seen one.
        let _ = self.wire.transport().stream().abort_on_close();
    }

    /// Takes note that there is room to write.
    pub fn set_writable(&mut self, lane: Lane) {
        match (lane, &mut self.polls) {
            (Lane::Polls, Some(polls)) => polls.wire.set_writable(),
            _ => self.wire.set_writable(),
        }
    }

    /// Carries connecting on; returns whether the connection is open by that.
    pub fn advance(&mut self, shared: &mut Shared<'_>) -> Result<bool, End> {
        loop {
            match self.wire.advance()? {
                Progress::None => return Ok(false),
                Progress::Connected(at) => {
                    if let Some(begun) = &mut self.begun {
                        begun.connected = at;
                    }
                }
                Progress::Ready(at) => {
                    let Some(begun) = &mut self.begun else {
                        return Ok(false);
                    };
                    begun.secured = at;
                    return self.session.begin(&shared.terms, &mut self.outbox);
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
    pub fn flush(&mut self, shared: &mut Shared<'_>) -> Result<(), End> {
        if let Session::Polling(polling) = &mut self.session {
            polling.post_waiting(&shared.terms, &mut self.outbox)?;
            self.flush_polls(shared)?;
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
        if self.outbox.is_closing() && self.outbox.rest().is_empty() {
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
        polling.poll(&shared.terms, &mut polls.request)?;
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
        let kept = self.unfinished.len();
        shared.buffer[..kept].copy_from_slice(&self.unfinished);
        self.take_in(index, kept, clock::now(), workload, shared)
            .map(drop)
    }

    /// Reads what there is, up to `bytes_max`, and hands whole messages to the workload.
    ///
    /// A call that reads less than it could has read everything: the poller speaks again when
    /// there is more (`epoll(7)`), unless the peer has ended the stream.
    pub fn receive<W: Workload>(
        &mut self,
        index: usize,
        has_peer_ended: bool,
        bytes_max: usize,
        workload: &mut W,
        shared: &mut Shared<'_>,
    ) -> Result<Received, End> {
        let mut left_bytes = bytes_max;
        loop {
            let kept = self.unfinished.len();
            shared.buffer[..kept].copy_from_slice(&self.unfinished);
            let room = (shared.buffer.len() - kept).min(left_bytes).max(1);
            let moved = match self.wire.read(&mut shared.buffer[kept..kept + room])? {
                Transfer::Bytes(moved) => moved,
                Transfer::WouldBlock => return Ok(Received::All),
                Transfer::Ended => return self.peer_ended(index, shared),
            };
            let now = clock::now();
            shared.read_calls += 1;
            shared.read_bytes += moved as u64;
            if self.take_in(index, kept + moved, now, workload, shared)? {
                return Ok(Received::Opened(now));
            }
            left_bytes -= moved;
            if moved < room && !has_peer_ended && !self.wire.transport().is_encrypted() {
                return Ok(Received::All);
            }
            if left_bytes == 0 {
                return Ok(Received::More);
            }
        }
    }

    /// The peer sends nothing more on the main socket.
    fn peer_ended(&mut self, index: usize, shared: &Shared<'_>) -> Result<Received, End> {
        if self.outbox.is_closing() {
            return Err(End::Done);
        }
        if let Session::Polling(polling) = &self.session
            && !polling.is_answer_due()
            && self.begun.is_none()
        {
            self.wire = redial(index, Lane::Main, shared)?;
            return Ok(Received::All);
        }
        Err(ended(self.begun.is_some()))
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
        let mut delivery = Delivery {
            connection: index,
            now,
            workload,
            outbox: &mut self.outbox,
        };
        let input = &mut shared.buffer[..filled];
        let taken = self
            .session
            .take_in(input, &mut shared.terms, &mut delivery)?;
        keep(&mut self.unfinished, taken, filled, &mut shared.buffer);
        Ok(taken.has_opened)
    }

    /// Reads what has come by long-polling.
    pub fn receive_polls<W: Workload>(
        &mut self,
        index: usize,
        workload: &mut W,
        shared: &mut Shared<'_>,
    ) -> Result<Received, End> {
        let (Session::Polling(polling), Some(polls)) = (&mut self.session, &mut self.polls) else {
            return Ok(Received::All);
        };
        while polls.wire.advance()? != Progress::None {}
        while polls.wire.is_ready() {
            let kept = polls.unfinished.len();
            shared.buffer[..kept].copy_from_slice(&polls.unfinished);
            let moved = match polls.wire.read(&mut shared.buffer[kept..])? {
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
            let mut delivery = Delivery {
                connection: index,
                now,
                workload,
                outbox: &mut self.outbox,
            };
            let input = &shared.buffer[..kept + moved];
            let taken = polling.take_in_polls(input, &shared.terms, &mut delivery)?;
            keep(
                &mut polls.unfinished,
                taken,
                kept + moved,
                &mut shared.buffer,
            );
            if taken.has_opened {
                return Ok(Received::Opened(now));
            }
        }
        Ok(Received::All)
    }

    /// Counts what the connection, which is over, has compressed.
    pub fn settle(&mut self, terms: &mut Terms<'_>) {
        terms.settle(self.session.decoder(), self.outbox.encoding());
    }
}

/// Keeps what is not whole, and makes room for the whole.
fn keep(unfinished: &mut Vec<u8>, taken: Taken, filled: usize, buffer: &mut Vec<u8>) {
    unfinished.clear();
    unfinished.extend_from_slice(&buffer[taken.bytes..filled]);
    if taken.needed_bytes > buffer.len() {
        buffer.resize(taken.needed_bytes, 0);
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
