//! One connection of the push server: handshake, messages, closing handshake.

use std::collections::BTreeMap;
use std::io;

use autostrada_measure::Nanos;
use autostrada_net::{Event as Readiness, Transfer, Transport, clock};
use autostrada_observe::Reading;
use autostrada_proto::close::{self, Close, ProtocolError};
use autostrada_proto::frame::{Opcode, encode_frame};
use autostrada_proto::message::{Decoded, Event, MessageDecoder, Role};

use super::Feed;
use super::observed::{Observed, between};
use super::sender::{Sender, Sent};
use super::upgrade::{Route, Upgrade, answer_request};
use crate::line::{Ended, ServeResult};

/// The longest message that is echoed.
const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;

/// How many reads one connection does before the others have their turn.
const READS_PER_TURN: u32 = 16;

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
    /// The request is not whole, or not answered.
    Handshake,
    /// Messages are being sent, or all are and the peer is to close.
    Pushing,
    /// Every message is sent back.
    Echoing,
    /// The measurement is over: what is left is sent, then the stream is ended.
    Closing,
    /// Our side of the stream is ended; the peer's is to follow.
    Ending,
}

/// What is known at the first byte.
#[derive(Debug)]
struct Start {
    readings: BTreeMap<String, Reading>,
    first_sent_ns: Nanos,
    thread_cpu_ns: Nanos,
    /// Control bytes sent before: the handshake's response.
    control_bytes: u64,
    payload_bytes: u64,
    frame_bytes: u64,
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
    stage: Stage,
    decoder: MessageDecoder,
    input: Vec<u8>,
    sender: Sender,
    start: Option<Start>,
    was_opened: bool,
    /// The last turn was over before everything was read.
    has_unread: bool,
    /// The poller has seen the end of the peer's stream.
    has_peer_ended: bool,
}

impl Connection {
    /// Begins with the opening handshake.
    pub fn new(transport: Transport) -> Self {
        Self {
            transport,
            stage: Stage::Handshake,
            decoder: MessageDecoder::new(Role::Server, MAX_MESSAGE_BYTES),
            input: Vec::new(),
            sender: Sender::default(),
            start: None,
            was_opened: false,
            has_unread: false,
            has_peer_ended: false,
        }
    }

    /// Takes note of what the poller says.
    pub fn notice(&mut self, readiness: &Readiness, now: Nanos) {
        if readiness.is_writable() {
            self.sender.unblock(now);
        }
        self.has_peer_ended |= readiness.is_read_closed() || readiness.is_error();
    }

    /// Whether its opening handshake was completed.
    pub fn was_opened(&self) -> bool {
        self.was_opened
    }

    /// Returns how many messages were handed to the kernel since the last call.
    pub fn take_messages(&mut self) -> u64 {
        self.sender.take_messages()
    }

    /// Does one turn: reads what has come, sends what the kernel takes.
    pub fn advance(&mut self, feed: &Feed, observed: &Observed, buffer: &mut [u8]) -> Progress {
        let end = match self.read(feed, observed, buffer) {
            Ok(None) => match self.send(feed) {
                Ok(Progress::Waiting) if self.has_unread => return Progress::Runnable,
                Ok(progress) => return progress,
                Err(error) => End::Broken(error),
            },
            Ok(Some(end)) => end,
            Err(error) => End::Broken(error),
        };
        self.end(end, feed, observed)
    }

    fn send(&mut self, feed: &Feed) -> io::Result<Progress> {
        Ok(match self.sender.send(&mut self.transport, feed)? {
            Sent::Some => Progress::Runnable,
            Sent::All if self.stage == Stage::Closing => {
                self.transport.shutdown_write()?;
                self.stage = Stage::Ending;
                Progress::Waiting
            }
            Sent::Blocked | Sent::All => Progress::Waiting,
        })
    }

    /// Reads what there is, for one turn; returns why the connection is over, if it is.
    ///
    /// A call that reads less than it could has read everything: the poller speaks again when
    /// there is more (`epoll(7)`), unless the peer has ended the stream.
    fn read(
        &mut self,
        feed: &Feed,
        observed: &Observed,
        buffer: &mut [u8],
    ) -> io::Result<Option<End>> {
        self.has_unread = true;
        for _ in 0..READS_PER_TURN {
            let transfer = self.transport.read(buffer)?;
            if let Transfer::Bytes(moved) = transfer {
                self.input.extend_from_slice(&buffer[..moved]);
            }
            let end = match self.stage {
                Stage::Handshake => {
                    self.open(feed, observed);
                    None
                }
                Stage::Pushing | Stage::Echoing => self
                    .decode()
                    .unwrap_or_else(|error| Some(End::Violation(error))),
                Stage::Closing | Stage::Ending => {
                    self.input.clear();
                    None
                }
            };
            match transfer {
                _ if end.is_some() => return Ok(end),
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

    /// Answers the opening handshake, once it is whole and it is known what to observe.
    fn open(&mut self, feed: &Feed, observed: &Observed) {
        if !observed.is_announced() {
            return;
        }
        match answer_request(&self.input, self.sender.control()) {
            Upgrade::Incomplete => {}
            Upgrade::Accepted {
                consumed_bytes,
                route,
            } => {
                self.input.drain(..consumed_bytes);
                self.was_opened = true;
                let Route::Push(messages) = route else {
                    self.stage = Stage::Echoing;
                    return;
                };
                self.stage = Stage::Pushing;
                self.start = Some(Start {
                    readings: observed.read(),
                    first_sent_ns: clock::now(),
                    thread_cpu_ns: clock::thread_cpu(),
                    control_bytes: self.sender.control().len() as u64,
                    payload_bytes: feed.payload_bytes,
                    frame_bytes: feed.frame_bytes as u64,
                });
                self.sender.plan_messages(messages, feed);
            }
            Upgrade::Refused => self.stage = Stage::Closing,
        }
    }

    /// Takes in what the client has said.
    fn decode(&mut self) -> Result<Option<End>, ProtocolError> {
        let mut taken = 0;
        let mut end = None;
        while let Decoded::Event {
            consumed_bytes,
            event,
        } = self.decoder.decode(&mut self.input[taken..])?
        {
            taken += consumed_bytes;
            match event {
                Event::Ping(payload) => {
                    encode_frame(Opcode::Pong, None, payload, self.sender.control());
                }
                Event::Close(close) => {
                    end = Some(End::Close(close.map(|close| close.code)));
                    break;
                }
                Event::Text(payload) if self.stage == Stage::Echoing => {
                    encode_frame(Opcode::Text, None, payload, self.sender.control());
                }
                Event::Binary(payload) if self.stage == Stage::Echoing => {
                    encode_frame(Opcode::Binary, None, payload, self.sender.control());
                }
                Event::Text(_) | Event::Binary(_) | Event::Pong(_) | Event::Fragment => {}
            }
        }
        self.input.drain(..taken);
        Ok(end)
    }

    /// Ends the measurement, if there is one, and begins to close.
    fn end(&mut self, end: End, feed: &Feed, observed: &Observed) -> Progress {
        let closed_ns = clock::now();
        if !matches!(self.stage, Stage::Pushing | Stage::Echoing) {
            return Progress::Gone;
        }
        self.sender.unblock(closed_ns);
        let start = self.start.take();
        let result = start.map(|start| self.result(&start, &end, closed_ns, observed));
        self.sender.cancel_messages(feed);
        match end {
            End::Close(code) => self.close(code.unwrap_or(close::NORMAL)),
            End::Violation(error) => {
                crate::log(&format!("a client broke the protocol: {error}"));
                self.close(error.close_code());
            }
            End::Broken(error) => {
                crate::log(&format!("a connection broke: {error}"));
                self.stage = Stage::Ending;
            }
            End::Eof => self.stage = Stage::Ending,
        }
        match result {
            Some(result) => Progress::Measured(Box::new(result)),
            None => Progress::Runnable,
        }
    }

    fn acknowledged_bytes(&self, start: &Start) -> Option<u64> {
        if self.transport.is_encrypted() {
            return None;
        }
        match self.transport.stream().bytes_acknowledged() {
            Ok(bytes) => Some(bytes.saturating_sub(start.control_bytes)),
            Err(error) => {
                crate::log(&format!("cannot ask what was acknowledged: {error}"));
                None
            }
        }
    }

    fn close(&mut self, code: u16) {
        self.stage = Stage::Closing;
        let mut payload = Vec::new();
        Close { code, reason: "" }.encode(&mut payload);
        encode_frame(Opcode::Close, None, &payload, self.sender.control());
    }

    fn result(
        &self,
        start: &Start,
        end: &End,
        closed_ns: Nanos,
        observed: &Observed,
    ) -> ServeResult {
        let sent_all = self.sender.has_sent_all();
        let messages = self.sender.sent_bytes() / start.frame_bytes;
        ServeResult {
            messages,
            bytes: messages * start.payload_bytes,
            acknowledged_bytes: self.acknowledged_bytes(start),
            wire_bytes: self.sender.sent_bytes() + self.sender.control_bytes - start.control_bytes,
            write_calls: self.sender.write_calls,
            first_sent_ns: start.first_sent_ns,
            last_sent_ns: self.sender.last_sent_ns,
            closed_ns,
            busy_ns: clock::thread_cpu() - start.thread_cpu_ns,
            blocked_ns: self.sender.blocked_ns(),
            close_code: if let End::Close(code) = end {
                *code
            } else {
                None
            },
            ended: match end {
                End::Close(_) | End::Eof if sent_all => Ended::Complete,
                End::Close(_) | End::Eof => Ended::Closed,
                End::Broken(_) => Ended::Reset,
                End::Violation(_) => Ended::Violation,
            },
            congestion_control: self
                .transport
                .stream()
                .congestion_control()
                .unwrap_or_default(),
            processes: between(&start.readings, &observed.read()),
        }
    }
}
