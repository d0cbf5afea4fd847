//! Engine.IO: packets over WebSocket (protocol versions 3 and 4) and over long-polling (version 4).
//!
//! Over WebSocket each message is one packet ([`Packet::encode`],
//! [`PacketDecoder`]): a binary message is a message packet with binary data,
//! all other packets are text messages. Over long-polling the body of a request
//! or response is a payload of several packets ([`encode_payload`],
//! [`split_payload`]). Requests of both transports have the query of an
//! [`Address`], and the first packet from the server contains a [`Session`].

use std::error::Error;
use std::fmt;

mod address;
mod packet;
mod payload;
mod session;

pub use address::{Address, Transport};
pub use packet::{Packet, PacketDecoder};
pub use payload::{encode_payload, split_payload};
pub use session::Session;

/// The version of the protocol. Both have the same packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// The version of Socket.IO 1 and 2. The client sends the pings, and a binary message begins
    /// with the type of its packet.
    V3,
    /// The version of Socket.IO 3 and later. The server sends the pings.
    V4,
}

/// First byte of a packet of binary data that is encoded as base64 text.
const BASE64_MARK: u8 = b'b';
/// Type of a message packet in a text.
const MESSAGE: u8 = b'4';
/// Type of a message packet in a binary message of version 3.
const BINARY_MESSAGE: u8 = 4;

/// A violation of the protocol by the other endpoint. The session has failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum PacketError {
    /// A packet has no type.
    Empty,
    UnknownType(u8),
    /// Binary data is not valid base64.
    Base64(base64::DecodeSliceError),
    /// The data of an open packet is not a valid session.
    Session(serde_json::Error),
}

impl fmt::Display for PacketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("packet without a type"),
            Self::UnknownType(byte) => write!(f, "packet of unknown type {byte:#04x}"),
            Self::Base64(_) => f.write_str("binary packet that is not valid base64"),
            Self::Session(_) => f.write_str("open packet that does not describe a session"),
        }
    }
}

impl Error for PacketError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Base64(cause) => Some(cause),
            Self::Session(cause) => Some(cause),
            Self::Empty | Self::UnknownType(_) => None,
        }
    }
}
