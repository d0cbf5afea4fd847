//! The protocols: from the bytes of a socket to messages for a workload.

mod config;
mod polling;
mod socket_io;
mod websocket;

use autostrada_measure::{FailureKind, Nanos};
use autostrada_net::random_bytes;
use autostrada_proto::frame::Opcode;
use autostrada_proto::framed::FramedDecoder;
use autostrada_proto::message::{Decoded, Event, MessageDecoder};

use super::end::End;
use super::sending::{Encoding, Outbox, SocketIoEncoding};
use super::workload::{Message, Workload};
use crate::plan::{ProtocolPlan, SocketIoTransport};
pub use config::{Compressed, Granted, RequestTemplate, SessionConfig};
pub use polling::Polling;
use socket_io::SocketIo;

/// The longest message of framed TCP that is taken.
const MAX_MESSAGE_BYTES: usize = 64 * 1024 * 1024;

/// Where the messages of a connection go.
pub struct Delivery<'a, W> {
    /// The number of the connection within its thread.
    pub connection: usize,
    /// When the bytes were read.
    pub now: Nanos,
    /// Takes the messages.
    pub workload: &'a mut W,
    /// Takes the answers.
    pub outbox: &'a mut Outbox,
}

impl<W: Workload> Delivery<'_, W> {
    /// Whether what follows must wait until more of the answers was read.
    #[inline]
    pub fn is_choked(&self) -> bool {
        W::ANSWERS && self.outbox.is_choked()
    }

    /// Hands over a message.
    #[inline]
    pub fn deliver(&mut self, opcode: Opcode, payload: &[u8]) -> Result<(), End> {
        let message = Message { opcode, payload };
        self.workload
            .received(self.connection, message, self.outbox, self.now)
            .map_err(End::Unrecorded)
    }
}

/// What a session has made of the bytes that were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken {
    /// So many are done with.
    pub bytes: usize,
    /// So many there must be to go on, where that is known.
    pub needed_bytes: usize,
    /// The session has just opened: the bytes that follow are its first messages.
    pub has_opened: bool,
}

impl Taken {
    /// So many bytes are done with; the rest is taken in later, whole or not.
    fn up_to(bytes: usize) -> Self {
        Self {
            bytes,
            needed_bytes: 0,
            has_opened: false,
        }
    }
}

/// What a connection speaks, and how far it has come.
#[derive(Debug)]
pub enum Session {
    /// Nothing yet.
    Silent,
    /// WebSocket's opening request was sent, with this key.
    Opening([u8; 16]),
    /// Messages flow.
    WebSocket(MessageDecoder),
    /// Messages flow.
    Framed,
    /// Socket.IO by WebSocket. Boxed, as plain connections are to stay small.
    SocketIo(Box<(MessageDecoder, SocketIo)>),
    /// Socket.IO by long-polling.
    Polling(Box<Polling>),
}

impl Session {
    /// Says what is to be said first; returns whether the session is open by that.
    pub fn begin(
        &mut self,
        session_config: &SessionConfig<'_>,
        outbox: &mut Outbox,
    ) -> Result<bool, End> {
        match session_config.protocol {
            ProtocolPlan::FramedTcp {} => {
                outbox.set_encoding(Encoding::Framed);
                if session_config.path != "/" {
                    outbox.send(Opcode::Binary, session_config.path.as_bytes(), None);
                }
                *self = Self::Framed;
                return Ok(true);
            }
            ProtocolPlan::SocketIo(plan) if plan.transport == SocketIoTransport::Polling => {
                let encoding = SocketIoEncoding::by_requests(plan);
                outbox.set_encoding(Encoding::SocketIo(Box::new(encoding)));
                if let Self::Polling(polling) = self {
                    polling.begin(session_config, outbox)?;
                }
            }
            ProtocolPlan::WebSocket {} | ProtocolPlan::SocketIo(_) => {
                let key = random_bytes();
                session_config.handshake.encode_request(key, outbox.bytes());
                *self = Self::Opening(key);
            }
        }
        Ok(false)
    }

    /// Takes in what has been read, unmasking in place.
    ///
    /// # Errors
    ///
    /// When the connection is over.
    pub fn take_in<W: Workload>(
        &mut self,
        input: &mut [u8],
        session_config: &mut SessionConfig<'_>,
        to: &mut Delivery<'_, W>,
    ) -> Result<Taken, End> {
        match self {
            Self::Silent => unreachable!("nothing is read before something was said"),
            Self::WebSocket(decoder) => websocket::take_in(decoder, input, session_config, to),
            Self::Framed => take_in_framed(input, to),
            Self::SocketIo(session) => {
                let (decoder, socket_io) = &mut **session;
                socket_io.take_in_frames(decoder, input, session_config, to)
            }
            Self::Polling(polling) => polling.take_in_answers(input, session_config, to),
            Self::Opening(key) => {
                let Some(response) = websocket::read_response(*key, input, session_config)? else {
                    return Ok(Taken::up_to(0));
                };
                let (decoder, encoding) = session_config.negotiate(&response)?;
                to.outbox.set_encoding(encoding);
                let is_socket_io = matches!(session_config.protocol, ProtocolPlan::SocketIo(_));
                *self = if is_socket_io {
                    Self::SocketIo(Box::new((decoder, SocketIo::new())))
                } else {
                    Self::WebSocket(decoder)
                };
                if is_socket_io {
                    let rest =
                        self.take_in(&mut input[response.consumed_bytes..], session_config, to)?;
                    return Ok(Taken {
                        bytes: response.consumed_bytes + rest.bytes,
                        ..rest
                    });
                }
                Ok(Taken {
                    bytes: response.consumed_bytes,
                    needed_bytes: 0,
                    has_opened: true,
                })
            }
        }
    }

    /// Looks at the beginning of a frame that is too long for the thread's buffer: a text is to
    /// fail at its first wrong byte.
    ///
    /// # Errors
    ///
    /// When it cannot become right.
    pub fn check_front(&mut self, front: &mut [u8], outbox: &mut Outbox) -> Result<(), End> {
        let decoder = match self {
            Self::WebSocket(decoder) => decoder,
            Self::SocketIo(session) => &mut session.0,
            Self::Silent | Self::Opening(_) | Self::Framed | Self::Polling(_) => return Ok(()),
        };
        match decoder.decode(front) {
            Ok(_) => Ok(()),
            Err(error) => Err(websocket::refuse(error, outbox)),
        }
    }

    /// The decoder of frames, for what it has counted.
    pub fn decoder(&self) -> Option<&MessageDecoder> {
        match self {
            Self::WebSocket(decoder) => Some(decoder),
            Self::SocketIo(session) => Some(&session.0),
            Self::Silent | Self::Opening(_) | Self::Framed | Self::Polling(_) => None,
        }
    }
}

fn take_in_framed<W: Workload>(input: &[u8], to: &mut Delivery<'_, W>) -> Result<Taken, End> {
    let decoder = FramedDecoder::new(MAX_MESSAGE_BYTES);
    let mut bytes = 0;
    loop {
        match decoder.decode(&input[bytes..]) {
            Ok(Decoded::Event {
                consumed_bytes,
                event: Event::Binary(payload),
            }) => {
                bytes += consumed_bytes;
                to.deliver(Opcode::Binary, payload)?;
                if to.is_choked() {
                    return Ok(Taken::up_to(bytes));
                }
            }
            Ok(Decoded::Event { .. }) => unreachable!("framed TCP has binary messages only"),
            Ok(Decoded::Incomplete { needed_bytes }) => {
                return Ok(Taken {
                    bytes,
                    needed_bytes,
                    has_opened: false,
                });
            }
            Err(error) => return Err(End::violation(&error)),
        }
    }
}

/// A server's word that the connection does not come about.
fn refused(text: impl Into<String>) -> End {
    End::Failed(FailureKind::Handshake, text.into())
}
