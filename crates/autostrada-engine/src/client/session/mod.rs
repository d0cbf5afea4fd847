//! The protocols: decoding the bytes of a socket into messages for a workload.

mod config;
mod greeting;
mod heartbeat;
mod request;
mod socket_io;
mod websocket;

use autostrada_measure::{FailureKind, Nanos};
use autostrada_net::random_bytes;
use autostrada_proto::frame::Opcode;
use autostrada_proto::framed::FramedDecoder;
use autostrada_proto::message::{Decoded, Event, MessageDecoder, Role};

use super::end::End;
use super::plan::EndPlan;
use super::sending::{Encoding, Outbox};
use super::workload::{Message, Workload};
use crate::plan::ProtocolPlan;
pub use config::{CompressionRow, Granted, SessionConfig};
pub use request::RequestTemplate;
use socket_io::SocketIo;

/// The destination of the messages that a connection receives.
pub struct Delivery<'a, W> {
    /// Index of the connection within its thread.
    pub connection: usize,
    /// Instant at which the bytes were read.
    pub now: Nanos,
    /// Receives the messages.
    pub workload: &'a mut W,
    /// Receives the answers.
    pub outbox: &'a mut Outbox,
}

impl<W: Workload> Delivery<'_, W> {
    /// Whether further messages must wait until the peer has read more of the answers.
    #[inline]
    pub fn has_backpressure(&self) -> bool {
        W::ANSWERS && self.outbox.has_backpressure()
    }

    /// Passes a message to the workload.
    #[inline]
    pub fn deliver(&mut self, opcode: Opcode, payload: &[u8]) -> Result<(), End> {
        let message = Message { opcode, payload };
        self.workload
            .received(self.connection, message, self.outbox, self.now)
            .map_err(End::Unrecorded)
    }
}

/// The outcome of decoding the bytes that were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Consumed {
    /// Number of bytes consumed.
    pub bytes: usize,
    /// Number of bytes needed to continue after the consumed ones; 0 if unknown.
    pub needed_bytes: usize,
    /// Whether the session has just opened: the bytes that follow are its first messages.
    pub has_opened: bool,
}

impl Consumed {
    /// Consumes this many bytes and leaves the rest, complete or not, for a later call.
    fn up_to(bytes: usize) -> Self {
        Self::incomplete(bytes, 0)
    }

    /// Consumes this many bytes, after which so many are needed to continue.
    fn incomplete(bytes: usize, needed_bytes: usize) -> Self {
        Self {
            bytes,
            needed_bytes,
            has_opened: false,
        }
    }

    /// Consumes the bytes after which the session has just opened.
    fn opening(bytes: usize) -> Self {
        Self {
            has_opened: true,
            ..Self::up_to(bytes)
        }
    }
}

/// The protocol of a connection, and its state.
#[derive(Debug)]
pub enum Session {
    /// Nothing was sent.
    New,
    /// The WebSocket opening request was sent, with this key.
    Opening([u8; 16]),
    /// The WebSocket opening request of the peer is awaited.
    Awaiting,
    /// An open WebSocket connection.
    WebSocket(MessageDecoder),
    /// An open framed TCP connection.
    Framed,
    /// Socket.IO in WebSocket frames. Boxed to keep connections of other protocols small.
    SocketIo(Box<(MessageDecoder, SocketIo)>),
}

impl Session {
    /// Appends the opening request of the connection with this index within the thread; returns
    /// whether the session is open without an answer.
    pub fn begin(
        &mut self,
        connection: usize,
        session_config: &SessionConfig<'_>,
        outbox: &mut Outbox,
    ) -> bool {
        match session_config.protocol {
            ProtocolPlan::FramedTcp {} => {
                outbox.set_encoding(Encoding::Framed);
                let path = session_config.path_of(connection);
                if path != "/" {
                    outbox.send(Opcode::Binary, path.as_bytes(), None);
                }
                *self = Self::Framed;
                return true;
            }
            protocol if protocol.is_polling() => {
                outbox.set_encoding(session_config.plain_encoding());
                *self = Self::socket_io(config::decoder(Role::Client), session_config, connection);
            }
            ProtocolPlan::WebSocket {} if session_config.end == EndPlan::Server => {
                *self = Self::Awaiting;
            }
            ProtocolPlan::WebSocket {} | ProtocolPlan::SocketIo(_) => {
                let key = random_bytes();
                session_config.encode_request(connection, key, outbox.bytes());
                *self = Self::Opening(key);
            }
        }
        false
    }

    /// Decodes bytes that were read, in place, and passes complete messages to the workload.
    pub fn process<W: Workload>(
        &mut self,
        input: &mut [u8],
        session_config: &mut SessionConfig<'_>,
        to: &mut Delivery<'_, W>,
    ) -> Result<Consumed, End> {
        match self {
            Self::New => unreachable!("nothing is read before the opening request is sent"),
            Self::WebSocket(decoder) => Ok(websocket::process(decoder, input, session_config, to)?),
            Self::Framed => process_framed(input, to),
            Self::SocketIo(session) => {
                let (decoder, socket_io) = &mut **session;
                socket_io.process_frames(decoder, input, session_config, to)
            }
            Self::Awaiting => {
                let path = session_config.path_of(to.connection);
                let request = websocket::answer_request(input, path, to.outbox)?;
                let Some(bytes) = request else {
                    return Ok(Consumed::up_to(0));
                };
                to.outbox.set_encoding(session_config.plain_encoding());
                *self = Self::WebSocket(config::decoder(Role::Server));
                Ok(Consumed::opening(bytes))
            }
            Self::Opening(key) => {
                let Some(response) = websocket::read_response(*key, input, session_config)? else {
                    return Ok(Consumed::up_to(0));
                };
                let (decoder, encoding) = session_config.negotiate(&response)?;
                to.outbox.set_encoding(encoding);
                if matches!(session_config.protocol, ProtocolPlan::SocketIo(_)) {
                    *self = Self::socket_io(decoder, session_config, to.connection);
                    let rest =
                        self.process(&mut input[response.consumed_bytes..], session_config, to)?;
                    return Ok(Consumed {
                        bytes: response.consumed_bytes + rest.bytes,
                        ..rest
                    });
                }
                *self = Self::WebSocket(decoder);
                Ok(Consumed::opening(response.consumed_bytes))
            }
        }
    }

    /// Returns a Socket.IO session that has not received any packet.
    fn socket_io(
        decoder: MessageDecoder,
        session_config: &SessionConfig<'_>,
        connection: usize,
    ) -> Self {
        let version = session_config.engine_io_version();
        let auth = session_config.auth(connection);
        Self::SocketIo(Box::new((decoder, SocketIo::new(version, auth))))
    }

    /// Checks the beginning of a frame that is longer than the thread's buffer, so that a text
    /// fails at its first invalid byte.
    /// Returns a failure if no further bytes can make the frame valid.
    pub fn check_front(&mut self, front: &mut [u8], outbox: &mut Outbox) -> Result<(), End> {
        let decoder = match self {
            Self::WebSocket(decoder) => decoder,
            Self::SocketIo(session) => &mut session.0,
            Self::New | Self::Opening(_) | Self::Awaiting | Self::Framed => return Ok(()),
        };
        match decoder.decode(front) {
            Ok(_) => Ok(()),
            Err(error) => Err(websocket::close_with_violation(error, outbox)),
        }
    }

    /// Returns when to call `beat` next, or `None` if this side sends no heartbeat.
    pub fn beat_due(&self) -> Option<Nanos> {
        match self {
            Self::SocketIo(session) => session.1.beat_due(),
            _ => None,
        }
    }

    /// Appends the ping that is due at `now`, if any.
    /// Returns a failure if the server has not sent anything in time.
    pub fn beat(&mut self, now: Nanos, outbox: &mut Outbox) -> Result<(), End> {
        match self {
            Self::SocketIo(session) => session.1.beat(now, outbox),
            _ => Ok(()),
        }
    }

    /// Returns the decoder of frames, which has the statistics of decompression, or `None` if the
    /// protocol has no frames or the session is not open.
    pub fn decoder(&self) -> Option<&MessageDecoder> {
        match self {
            Self::WebSocket(decoder) => Some(decoder),
            Self::SocketIo(session) => Some(&session.0),
            Self::New | Self::Opening(_) | Self::Awaiting | Self::Framed => None,
        }
    }
}

fn process_framed<W: Workload>(input: &[u8], to: &mut Delivery<'_, W>) -> Result<Consumed, End> {
    let decoder = FramedDecoder::new(config::MAX_MESSAGE_BYTES);
    let mut bytes = 0;
    loop {
        match decoder.decode(&input[bytes..]) {
            Ok(Decoded::Event {
                consumed_bytes,
                event: Event::Binary(payload),
            }) => {
                bytes += consumed_bytes;
                to.deliver(Opcode::Binary, payload)?;
                if to.has_backpressure() {
                    return Ok(Consumed::up_to(bytes));
                }
            }
            Ok(Decoded::Event { .. }) => unreachable!("framed TCP has binary messages only"),
            Ok(Decoded::Incomplete { needed_bytes }) => {
                return Ok(Consumed::incomplete(bytes, needed_bytes));
            }
            Err(error) => return Err(End::violation(&error)),
        }
    }
}

/// Returns a failure of kind `handshake`.
pub fn handshake_failure(text: impl Into<String>) -> End {
    End::Failed(FailureKind::Handshake, text.into())
}
