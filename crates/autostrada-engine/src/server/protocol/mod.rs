//! The protocols of the server: what the bytes of a client ask for, and how messages are written.

mod encoding;
mod framed;
mod handshake;
mod polling;
mod route;
mod socket_io;
mod web_socket;

use std::fmt;

use autostrada_proto::close::{self, ProtocolError};
use autostrada_proto::decoded;
use autostrada_proto::frame::{Opcode, encode_frame};
use autostrada_proto::framed::encode_framed;

use super::resources::Resources;
use crate::plan::{GrantedCompression, ServePlan, ServeProtocolKind};
use framed::Framed;
use polling::Carrier;
use socket_io::{Events, SocketIo};
use web_socket::WebSocket;

pub use encoding::{Encoding, SharedEncoders};
pub use polling::{Finished, Key, Pollings};
pub use route::Route;

/// The longest message, and body, that is taken.
const MESSAGE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// What a server speaks and grants.
#[derive(Debug)]
pub struct Terms {
    protocol: ServeProtocolKind,
    has_feed: bool,
    subprotocols: Vec<String>,
    compression: Option<GrantedCompression>,
    events: Events,
    ping_interval_ms: u64,
    allows_polling: bool,
}

impl Terms {
    /// The terms of a plan.
    pub fn new(plan: &ServePlan) -> Self {
        Self {
            protocol: plan.protocol.kind,
            has_feed: plan.feed.is_some(),
            subprotocols: plan.subprotocols.clone(),
            compression: plan.compression.clone(),
            events: Events {
                name: plan.protocol.event().to_owned(),
            },
            ping_interval_ms: plan.protocol.ping_interval_ms(),
            // The requests of a session come over several connections, which are of any thread.
            allows_polling: plan.threads == 1,
        }
    }

    /// How messages become events.
    pub fn events(&self) -> &Events {
        &self.events
    }

    /// How often a session's client is asked whether it is there.
    pub fn ping_interval_ms(&self) -> u64 {
        self.ping_interval_ms
    }

    /// Whether sessions by polling are served.
    pub fn allows_polling(&self) -> bool {
        self.allows_polling
    }

    /// The frame of a message on a connection that writes it as it is, if there are such.
    pub fn plain_frame(&self, opcode: Opcode, payload: &[u8]) -> Option<Vec<u8>> {
        let mut frame = Vec::new();
        match self.protocol {
            ServeProtocolKind::Websocket => encode_frame(opcode, None, payload, &mut frame),
            ServeProtocolKind::FramedTcp => encode_framed(payload, &mut frame),
            ServeProtocolKind::SocketIo => return None,
        }
        Some(frame)
    }
}

/// What a client has said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// Nothing that its connection must know; what was to be answered is answered.
    Nothing,
    /// It has opened a session, in which it will say what it wants.
    Opened,
    /// It wants this route, and has it.
    Asked(Route),
    /// It wants what is not served: the answer says so, and is the last.
    Refused,
    /// It is going, with this close code.
    Leaving(Option<u16>),
}

/// What stands at the front of the bytes of a client.
pub type Decoded = decoded::Decoded<Said>;

/// What a client did wrong.
#[derive(Debug)]
pub struct Fault {
    /// To close with, where the protocol has such a thing.
    pub close_code: u16,
    text: String,
}

impl Fault {
    fn new(close_code: u16, error: &dyn fmt::Display) -> Self {
        Self {
            close_code,
            text: error.to_string(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<ProtocolError> for Fault {
    fn from(error: ProtocolError) -> Self {
        Self::new(error.close_code(), &error)
    }
}

/// How one connection speaks.
#[derive(Debug)]
pub enum Protocol {
    /// WebSocket, before the opening handshake.
    Handshake,
    /// WebSocket.
    WebSocket(WebSocket),
    /// Framed TCP.
    Framed(Framed),
    /// HTTP: Socket.IO by polling, or before it is known how.
    Http(Box<Carrier>),
    /// Socket.IO by WebSocket.
    SocketIo(Box<SocketIo>),
}

impl Protocol {
    /// How a connection speaks that has just been accepted.
    pub fn new(terms: &Terms) -> Self {
        match terms.protocol {
            ServeProtocolKind::FramedTcp => Self::Framed(Framed::new()),
            ServeProtocolKind::Websocket => Self::Handshake,
            ServeProtocolKind::SocketIo => Self::Http(Box::new(Carrier::new())),
        }
    }

    /// Takes what is at the front of `input`, and answers to `out` what is to be answered.
    ///
    /// # Errors
    ///
    /// When the client breaks its protocol.
    #[inline]
    pub fn decode(
        &mut self,
        input: &mut [u8],
        is_echoing: bool,
        resources: &mut Resources,
        out: &mut Vec<u8>,
    ) -> Result<Decoded, Fault> {
        match self {
            Self::WebSocket(web_socket) => {
                let encoders = &mut resources.encoders;
                Ok(web_socket.decode(input, is_echoing, encoders, out)?)
            }
            Self::Framed(framed) => {
                Ok(framed.decode(input, is_echoing, resources.terms.has_feed, out)?)
            }
            Self::Handshake => {
                let (decoded, opened) = handshake::open(input, &resources.terms, out);
                if let Some(web_socket) = opened {
                    *self = Self::WebSocket(web_socket);
                }
                Ok(decoded)
            }
            Self::SocketIo(socket_io) => socket_io.decode(input, is_echoing, &resources.terms, out),
            Self::Http(carrier) => {
                if let Some(decoded) = carrier.decode(input, resources, out) {
                    return Ok(decoded);
                }
                let (decoded, opened) = handshake::open_socket_io(input, &resources.terms, out);
                if let Some(socket_io) = opened {
                    *self = Self::SocketIo(Box::new(socket_io));
                }
                Ok(decoded)
            }
        }
    }

    /// Says what has waited for the turn of this connection; returns whether that was the last
    /// that it says.
    #[inline]
    pub fn resume(&mut self, resources: &mut Resources, out: &mut Vec<u8>) -> bool {
        match self {
            Self::Http(carrier) => carrier.resume(resources, out),
            _ => false,
        }
    }

    /// Asks a session's client whether it is there; returns false where it has not answered.
    pub fn ping(&mut self, out: &mut Vec<u8>) -> bool {
        match self {
            Self::SocketIo(socket_io) => socket_io.ping(out),
            _ => true,
        }
    }

    /// Appends a message to `out`.
    pub fn encode_message(
        &mut self,
        opcode: Opcode,
        payload: &[u8],
        encoders: &mut SharedEncoders,
        out: &mut Vec<u8>,
    ) {
        match self {
            Self::WebSocket(web_socket) => {
                web_socket.encoding.encode(opcode, payload, encoders, out);
            }
            Self::Framed(_) => encode_framed(payload, out),
            Self::SocketIo(socket_io) => {
                socket_io.encode_message(opcode, payload, encoders.terms(), out);
            }
            Self::Handshake | Self::Http(_) => unreachable!("it has not asked for anything"),
        }
    }

    /// Its encoding, of a WebSocket: by it messages can be held back.
    pub fn encoding(&mut self) -> Option<&mut Encoding> {
        match self {
            Self::WebSocket(web_socket) => Some(&mut web_socket.encoding),
            _ => None,
        }
    }

    /// Appends what says that the connection is over, where the protocol has such a thing.
    pub fn encode_close(&self, code: u16, out: &mut Vec<u8>) {
        match self {
            Self::WebSocket(_) => web_socket::encode_close(code, out),
            Self::SocketIo(socket_io) => socket_io.encode_close(code, out),
            Self::Handshake | Self::Framed(_) | Self::Http(_) => {}
        }
    }

    /// Whether it writes messages as they are.
    pub fn is_plain(&self) -> bool {
        match self {
            Self::WebSocket(web_socket) => matches!(web_socket.encoding, Encoding::Plain),
            Self::Framed(_) => true,
            Self::Handshake | Self::Http(_) | Self::SocketIo(_) => false,
        }
    }

    /// Whether a session is open in which the client has still to say what it wants.
    pub fn is_open(&self) -> bool {
        matches!(self, Self::SocketIo(_))
    }

    /// Whether it has a way to say that a connection is over, other than to end the stream.
    pub fn says_when_it_is_over(&self) -> bool {
        !matches!(self, Self::Framed(_))
    }

    /// Which connections have a message written as the same bytes; `None`: no other one.
    pub fn class(&self) -> Option<u8> {
        match self {
            Self::WebSocket(web_socket) => web_socket.encoding.class(),
            Self::SocketIo(socket_io) => socket_io.class(),
            Self::Framed(_) | Self::Handshake | Self::Http(_) => Some(0),
        }
    }
}

/// The code that answers a closing frame.
pub fn answer_to(code: Option<u16>) -> u16 {
    code.unwrap_or(close::NORMAL)
}
