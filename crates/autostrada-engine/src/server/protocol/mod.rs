//! The protocols of the server: decoding of requests and messages, and encoding of messages.

mod encoding;
mod framed;
mod handshake;
mod route;
mod web_socket;

use autostrada_proto::close::ProtocolError;
use autostrada_proto::decoded;
use autostrada_proto::frame::{Opcode, encode_frame};
use autostrada_proto::framed::encode_framed;

use crate::plan::{GrantedCompression, ServePlan, ServeProtocolKind};
use framed::Framed;
use web_socket::WebSocket;

pub use encoding::{Encoding, SharedEncoders};
pub use route::Route;

/// Maximum length of a received message, in bytes.
const MESSAGE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The protocol of a server, and what its opening handshake grants.
#[derive(Debug)]
pub struct HandshakeConfig {
    protocol: ServeProtocolKind,
    has_feed: bool,
    subprotocols: Vec<String>,
    compression: Option<GrantedCompression>,
}

impl HandshakeConfig {
    /// Returns the configuration of a plan.
    pub fn new(plan: &ServePlan) -> Self {
        Self {
            protocol: plan.protocol.kind,
            has_feed: plan.feed.is_some(),
            subprotocols: plan.subprotocols.clone(),
            compression: plan.compression.clone(),
        }
    }

    /// Returns the frame of an uncompressed message.
    pub fn plain_frame(&self, opcode: Opcode, payload: &[u8]) -> Vec<u8> {
        let mut frame = Vec::new();
        match self.protocol {
            ServeProtocolKind::Websocket => encode_frame(opcode, None, payload, &mut frame),
            ServeProtocolKind::FramedTcp => encode_framed(payload, &mut frame),
        }
        frame
    }
}

/// A decoded event of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeerEvent {
    /// Nothing for the connection to do; an answer, if needed, is in the output.
    Nothing,
    /// A pong whose payload is this number, 8 bytes in network byte order.
    Pong(u64),
    /// The client asked for this route, and the request is granted.
    Requested(Route),
    /// The client's request is refused; the last answer is in the output.
    Refused,
    /// The client closes, with this close code if it sent one.
    Closing(Option<u16>),
}

/// The result of decoding the front of a client's bytes.
pub type Decoded = decoded::Decoded<PeerEvent>;

/// The protocol state of one connection.
#[derive(Debug)]
pub enum Protocol {
    /// WebSocket, before the opening handshake.
    Handshake,
    /// WebSocket, after the opening handshake.
    WebSocket(WebSocket),
    /// Framed TCP.
    Framed(Framed),
}

impl Protocol {
    /// Returns the state of an accepted connection.
    pub fn new(handshake: &HandshakeConfig) -> Self {
        match handshake.protocol {
            ServeProtocolKind::FramedTcp => Self::Framed(Framed::new()),
            ServeProtocolKind::Websocket => Self::Handshake,
        }
    }

    /// Decodes the front of `input`, and appends an answer, if needed, to `out`.
    ///
    /// `is_echoing`: whether messages are sent back.
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
                framed.decode(input, is_echoing, encoders.handshake.has_feed, out)
            }
            Self::Handshake => {
                let (decoded, opened) = handshake::open(input, &encoders.handshake, out);
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
            Self::Handshake => unreachable!("no message is sent before the opening handshake"),
        }
    }

    /// Returns the encoding of an open WebSocket connection; `None` for other protocols.
    pub fn encoding(&mut self) -> Option<&mut Encoding> {
        match self {
            Self::WebSocket(web_socket) => Some(&mut web_socket.encoding),
            _ => None,
        }
    }

    /// Appends a closing frame to `out`, if the protocol has one.
    pub fn encode_close(&self, code: u16, out: &mut Vec<u8>) {
        match self {
            Self::WebSocket(_) => web_socket::encode_close(code, out),
            Self::Handshake | Self::Framed(_) => {}
        }
    }

    /// Returns whether messages are written uncompressed and at once.
    pub fn is_plain(&self) -> bool {
        match self {
            Self::WebSocket(web_socket) => matches!(web_socket.encoding, Encoding::Plain),
            Self::Framed(_) => true,
            Self::Handshake => false,
        }
    }

    /// Returns whether the protocol has a closing handshake; framed TCP only ends the stream.
    pub fn has_closing_handshake(&self) -> bool {
        !matches!(self, Self::Framed(_))
    }

    /// Returns the class of connections that get the same bytes for a message; `None` if no other
    /// connection shares the bytes.
    pub fn class(&self) -> Option<u8> {
        match self {
            Self::WebSocket(web_socket) => web_socket.encoding.class(),
            Self::Framed(_) | Self::Handshake => Some(0),
        }
    }
}
