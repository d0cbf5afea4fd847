//! One connection of a client: TCP, TLS, opening handshake, messages, closing handshake.

use std::io;

use autostrada_measure::{FailureKind, Nanos, Opening, RecordError};
use autostrada_net::tls::Agreed;
use autostrada_net::{Transfer, Transport, clock, random_bytes};
use autostrada_proto::close::{self, ProtocolError};
use autostrada_proto::frame::Opcode;
use autostrada_proto::handshake::client::{ClientHandshake, HandshakeError};
use autostrada_proto::message::{Decoded, Event, MessageDecoder, Role};

use super::outbox::Outbox;
use super::workload::{Message, Workload};

/// The longest message that is taken: larger than any that the contract allows.
const MAX_MESSAGE_BYTES: usize = 64 * 1024 * 1024;

/// How a connection went wrong, or that it is over.
#[derive(Debug)]
pub enum End {
    /// Both sides have closed, or the peer has after we did.
    Done,
    /// It failed.
    Failed(FailureKind, String),
    /// A duration could not be recorded: the trial is over.
    Unrecorded(RecordError),
}

/// What all connections of a thread share.
#[derive(Debug)]
pub struct Shared<'a> {
    /// What is asked for in the opening handshake.
    pub handshake: ClientHandshake<'a>,
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
    key: [u8; 16],
    due: Nanos,
    begun: Nanos,
    connected: Option<Nanos>,
    secured: Option<Nanos>,
}

#[derive(Debug)]
enum Stage {
    Opening(Box<Begun>),
    Open,
}

/// One connection.
#[derive(Debug)]
pub struct Connection {
    transport: Transport,
    stage: Stage,
    decoder: MessageDecoder,
    /// The beginning of a frame, or of the response, whose end has not been read.
    unfinished: Vec<u8>,
    /// What is to be sent.
    pub outbox: Outbox,
    is_writable: bool,
}

impl Connection {
    /// Begins with a transport that is being connected.
    pub fn new(transport: Transport, due: Nanos, begun: Nanos) -> Self {
        let begun = Begun {
            key: random_bytes(),
            due,
            begun,
            connected: None,
            secured: None,
        };
        Self {
            transport,
            stage: Stage::Opening(Box::new(begun)),
            decoder: MessageDecoder::new(Role::Client, MAX_MESSAGE_BYTES),
            unfinished: Vec::new(),
            outbox: Outbox::default(),
            is_writable: false,
        }
    }

    /// What was agreed upon in the TLS handshake, if there was one.
    pub fn agreed(&self) -> Option<Agreed> {
        match &self.transport {
            Transport::Plain(_) => None,
            Transport::Tls(stream) => stream.agreed(),
        }
    }

    /// Whether messages may flow.
    pub fn is_open(&self) -> bool {
        matches!(self.stage, Stage::Open) && !self.outbox.is_closing()
    }

    /// Takes note that there is room to write.
    pub fn set_writable(&mut self) {
        self.is_writable = true;
    }

    /// Carries the opening on; returns its instants when it has just come to its end.
    pub fn open(&mut self, shared: &mut Shared<'_>, now: Nanos) -> Result<Option<Opening>, End> {
        let Stage::Opening(begun) = &mut self.stage else {
            return Ok(None);
        };
        if begun.connected.is_none() {
            if !self.is_writable {
                return Ok(None);
            }
            match self.transport.stream().connect_error() {
                Ok(None) => {}
                Ok(Some(error)) | Err(error) => return Err(failed(FailureKind::Connect, &error)),
            }
            begun.connected = Some(now);
        }
        if begun.secured.is_none() {
            match self.transport.handshake() {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(error) => return Err(failed(FailureKind::Tls, &error)),
            }
            begun.secured = Some(clock::now());
            let mut request = Vec::new();
            shared.handshake.encode_request(begun.key, &mut request);
            self.outbox.send_prepared(&request);
            self.flush(shared)?;
        }
        self.read_response(shared)
    }

    fn read_response(&mut self, shared: &mut Shared<'_>) -> Result<Option<Opening>, End> {
        let Stage::Opening(begun) = &self.stage else {
            return Ok(None);
        };
        let key = begun.key;
        loop {
            let transfer = self.transport.read(&mut shared.buffer);
            match transfer.map_err(|error| failed(FailureKind::Handshake, &error))? {
                Transfer::Bytes(bytes) => {
                    shared.read_calls += 1;
                    shared.read_bytes += bytes as u64;
                    self.unfinished.extend_from_slice(&shared.buffer[..bytes]);
                }
                Transfer::WouldBlock => return Ok(None),
                Transfer::Ended => {
                    let text = "ended during the opening handshake".to_owned();
                    return Err(End::Failed(FailureKind::Handshake, text));
                }
            }
            let response = shared
                .handshake
                .decode_response(key, &self.unfinished)
                .map_err(|error: HandshakeError| {
                    End::Failed(FailureKind::Handshake, error.to_string())
                })?;
            if let Some(response) = response {
                self.unfinished.drain(..response.consumed_bytes);
                return Ok(Some(self.opened(clock::now())));
            }
        }
    }

    fn opened(&mut self, opened: Nanos) -> Opening {
        let Stage::Opening(begun) = std::mem::replace(&mut self.stage, Stage::Open) else {
            unreachable!("a connection is opened once");
        };
        let connected = begun.connected.expect("it came before");
        let is_encrypted = self.transport.is_encrypted();
        Opening {
            due: begun.due,
            begun: begun.begun,
            connected,
            secured: begun.secured.filter(|_| is_encrypted),
            opened,
        }
    }

    /// Sends what there is room for.
    pub fn flush(&mut self, shared: &mut Shared<'_>) -> Result<(), End> {
        while self.is_writable && !self.outbox.rest().is_empty() {
            let transfer = self.transport.write(self.outbox.rest());
            match transfer.map_err(|error| failed(FailureKind::Write, &error))? {
                Transfer::Bytes(bytes) => {
                    self.outbox.advance(bytes);
                    shared.written_bytes += bytes as u64;
                    shared.write_calls += 1;
                }
                Transfer::WouldBlock | Transfer::Ended => self.is_writable = false,
            }
        }
        self.outbox.return_buffer(&mut shared.spare);
        if self.is_writable {
            let flushed = self.transport.flush();
            self.is_writable = flushed.map_err(|error| failed(FailureKind::Write, &error))?;
        }
        Ok(())
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
        self.decode(index, kept, clock::now(), workload, shared)
    }

    /// Reads what there is, and hands whole messages to the workload.
    ///
    /// A call that reads less than it could has read everything: the poller speaks again when
    /// there is more (`epoll(7)`), unless the peer has ended the stream.
    pub fn receive<W: Workload>(
        &mut self,
        index: usize,
        has_peer_ended: bool,
        workload: &mut W,
        shared: &mut Shared<'_>,
    ) -> Result<(), End> {
        loop {
            let kept = self.unfinished.len();
            shared.buffer[..kept].copy_from_slice(&self.unfinished);
            let room = shared.buffer.len() - kept;
            let transfer = self.transport.read(&mut shared.buffer[kept..]);
            let moved = match transfer.map_err(|error| failed(FailureKind::Read, &error))? {
                Transfer::Bytes(moved) => moved,
                Transfer::WouldBlock => return Ok(()),
                Transfer::Ended if self.outbox.is_closing() => return Err(End::Done),
                Transfer::Ended => {
                    let text = "the peer ended the stream without a closing handshake".to_owned();
                    return Err(End::Failed(FailureKind::Close, text));
                }
            };
            let now = clock::now();
            shared.read_calls += 1;
            shared.read_bytes += moved as u64;
            self.decode(index, kept + moved, now, workload, shared)?;
            if moved < room && !has_peer_ended && !self.transport.is_encrypted() {
                return Ok(());
            }
        }
    }

    /// Decodes what is in the buffer, and keeps the frame at its end that is not whole.
    fn decode<W: Workload>(
        &mut self,
        index: usize,
        filled: usize,
        now: Nanos,
        workload: &mut W,
        shared: &mut Shared<'_>,
    ) -> Result<(), End> {
        let mut taken = 0;
        let knows_frames = workload.knows_frames();
        let needed_bytes = loop {
            if knows_frames && self.decoder.is_between_messages() {
                let input = &shared.buffer[taken..filled];
                taken += workload.take_known(index, input, &mut self.outbox, now);
            }
            match self.decode_frame(index, &mut shared.buffer[taken..filled], now, workload)? {
                Step::Incomplete { needed_bytes } => break needed_bytes,
                Step::Frame { bytes } => taken += bytes,
            }
        };
        self.unfinished.clear();
        self.unfinished
            .extend_from_slice(&shared.buffer[taken..filled]);
        if needed_bytes > shared.buffer.len() {
            shared.buffer.resize(needed_bytes, 0);
        }
        Ok(())
    }

    #[expect(clippy::inline_always, reason = "it is the body of the loop above")]
    #[inline(always)]
    fn decode_frame<W: Workload>(
        &mut self,
        index: usize,
        input: &mut [u8],
        now: Nanos,
        workload: &mut W,
    ) -> Result<Step, End> {
        let decoded = self.decoder.decode(input);
        let (consumed_bytes, event) = match decoded {
            Ok(Decoded::Incomplete { needed_bytes }) => {
                return Ok(Step::Incomplete { needed_bytes });
            }
            Ok(Decoded::Event {
                consumed_bytes,
                event,
            }) => (consumed_bytes, event),
            Err(error) => return Err(violation(error, &mut self.outbox)),
        };
        let message = match event {
            Event::Text(payload) => Message {
                opcode: Opcode::Text,
                payload,
            },
            Event::Binary(payload) => Message {
                opcode: Opcode::Binary,
                payload,
            },
            Event::Ping(payload) => {
                self.outbox.send(Opcode::Pong, random_bytes(), payload);
                return Ok(Step::Frame {
                    bytes: consumed_bytes,
                });
            }
            Event::Close(_) if self.outbox.is_closing() => return Err(End::Done),
            Event::Close(close) => {
                let code = close.map_or(close::NORMAL, |close| close.code);
                self.outbox.close(code, random_bytes());
                let text = format!("the peer closed the connection with code {code}");
                return Err(End::Failed(FailureKind::Close, text));
            }
            Event::Pong(_) | Event::Fragment => {
                return Ok(Step::Frame {
                    bytes: consumed_bytes,
                });
            }
        };
        workload
            .received(index, message, &mut self.outbox, now)
            .map_err(End::Unrecorded)?;
        Ok(Step::Frame {
            bytes: consumed_bytes,
        })
    }
}

enum Step {
    Incomplete { needed_bytes: usize },
    Frame { bytes: usize },
}

fn failed(kind: FailureKind, error: &io::Error) -> End {
    End::Failed(kind, error.to_string())
}

fn violation(error: ProtocolError, outbox: &mut Outbox) -> End {
    outbox.close(error.close_code(), random_bytes());
    End::Failed(FailureKind::Protocol, error.to_string())
}
