//! Engine.IO: packets over WebSocket (protocol versions 3 and 4) and over long-polling (version 4).
//!
//! Over WebSocket each message is one packet ([`Packet::encode`],
//! [`PacketDecoder`]): a binary message is a message packet with binary data,
//! all other packets are text messages. Over long-polling the body of a request
//! or response is a payload of several packets ([`encode_payload`],
//! [`split_payload`]). Requests of both transports have the query of an
//! [`Address`], and the first packet from the server contains a [`Session`].

use thiserror::Error;

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
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PacketError {
    #[error("packet without a type")]
    Empty,
    #[error("packet of unknown type {0:#04x}")]
    UnknownType(u8),
    #[error("binary packet that is not valid base64")]
    Base64(#[source] base64::DecodeSliceError),
    #[error("open packet that does not describe a session")]
    Session(#[source] serde_json::Error),
}
