//! The protocols of the server: what the bytes of a client ask for, and how messages are written.

mod encoding;
mod framed;
mod handshake;
mod route;
mod web_socket;

use autostrada_proto::close::{self, ProtocolError};
use autostrada_proto::decoded;
use autostrada_proto::frame::{Opcode, encode_frame};
use autostrada_proto::framed::encode_framed;

use crate::plan::{GrantedCompression, ServePlan, ServeProtocolKind};
use framed::Framed;
use web_socket::WebSocket;

pub use encoding::{Encoding, SharedEncoders};
pub use route::Route;

/// The longest message that is accepted.
const MESSAGE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// What a server speaks and grants.
#[derive(Debug)]
pub struct HandshakeConfig {
    protocol: ServeProtocolKind,
    has_feed: bool,
    subprotocols: Vec<String>,
    compression: Option<GrantedCompression>,
}

impl HandshakeConfig {
    /// The handshake of a plan.
    pub fn new(plan: &ServePlan) -> Self {
        Self {
            protocol: plan.protocol.kind,
            has_feed: plan.feed.is_some(),
            subprotocols: plan.subprotocols.clone(),
            compression: plan.compression.clone(),
        }
    }

    /// The frame of a message on a connection that writes it uncompressed.
    pub fn plain_frame(&self, opcode: Opcode, payload: &[u8]) -> Vec<u8> {
        let mut frame = Vec::new();
        match self.protocol {
            ServeProtocolKind::Websocket => encode_frame(opcode, None, payload, &mut frame),
            ServeProtocolKind::FramedTcp => encode_framed(payload, &mut frame),
        }
        frame
    }
}

/// What a client has said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeerEvent {
    /// Nothing that its connection must know; what was to be answered is answered.
    Nothing,
    /// It wants this route, and has it.
    Asked(Route),
    /// It wants what is not served: the answer says so, and is the last.
    Refused,
    /// It is going, with this close code.
    Leaving(Option<u16>),
}

/// What stands at the front of the bytes of a client.
pub type Decoded = decoded::Decoded<PeerEvent>;

/// How one connection speaks.
#[derive(Debug)]
pub enum Protocol {
    /// WebSocket, before the opening handshake.
    Handshake,
    /// WebSocket.
    WebSocket(WebSocket),
    /// Framed TCP.
    Framed(Framed),
}

impl Protocol {
    /// How a connection speaks that has just been accepted.
    pub fn new(handshake: &HandshakeConfig) -> Self {
        match handshake.protocol {
            ServeProtocolKind::FramedTcp => Self::Framed(Framed::new()),
            ServeProtocolKind::Websocket => Self::Handshake,
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
        encoders: &mut SharedEncoders,
        out: &mut Vec<u8>,
    ) -> Result<Decoded, ProtocolError> {
        match self {
            Self::WebSocket(web_socket) => web_socket.decode(input, is_echoing, encoders, out),
            Self::Framed(framed) => {
                framed.decode(input, is_echoing, encoders.handshake().has_feed, out)
            }
            Self::Handshake => {
                let (decoded, opened) = handshake::open(input, encoders.handshake(), out);
                if let Some(web_socket) = opened {
                    *self = Self::WebSocket(web_socket);
                }
                Ok(decoded)
            }
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
            Self::Handshake => unreachable!("it has not asked for anything"),
        }
    }

    /// Its encoding, of a WebSocket: with it messages can wait.
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
            Self::Handshake | Self::Framed(_) => {}
        }
    }

    /// Whether it writes messages as they are.
    pub fn is_plain(&self) -> bool {
        match self {
            Self::WebSocket(web_socket) => matches!(web_socket.encoding, Encoding::Plain),
            Self::Framed(_) => true,
            Self::Handshake => false,
        }
    }

    /// Whether it has a way to say that a connection is over, other than to end the stream.
    pub fn says_when_it_is_over(&self) -> bool {
        !matches!(self, Self::Framed(_))
    }

    /// Which connections have a message written as the same bytes; `None`: no other one.
    pub fn class(&self) -> Option<u8> {
        match self {
            Self::WebSocket(web_socket) => web_socket.encoding.class(),
            Self::Framed(_) | Self::Handshake => Some(0),
        }
    }
}

/// The code that answers a closing frame.
pub fn answer_to(code: Option<u16>) -> u16 {
    code.unwrap_or(close::NORMAL)
}
