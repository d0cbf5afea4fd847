//! Engine.IO: packets over WebSocket and over long-polling, Engine.IO protocol, version 4.
//!
//! Over WebSocket a message is a packet: a text message any packet, a binary
//! message the data of a message packet ([`Packet::encode`], [`PacketDecoder`]).
//! Over long-polling the body of a request or response is a payload of packets
//! ([`encode_payload`], [`PacketDecoder::decode_payload`]). Both begin with the
//! query of an [`Address`] and a packet that holds a [`Session`].

use std::error::Error;
use std::fmt;

mod address;
mod packet;
mod payload;
mod session;

pub use address::{Address, Transport};
pub use packet::{Packet, PacketDecoder};
pub use payload::encode_payload;
pub use session::Session;

/// What ends the other endpoint's part of a payload: "Packet encoding", HTTP long-polling.
const SEPARATOR: u8 = 0x1e;
/// What stands before binary data where only text can be sent.
const BASE64_MARK: u8 = b'b';

/// What the other endpoint did wrong. The session cannot go on.
#[derive(Debug)]
#[non_exhaustive]
pub enum PacketError {
    /// A packet without its type, or nothing after a separator.
    Empty,
    UnknownType(u8),
    /// Binary data that is not valid base64.
    Base64(base64::DecodeSliceError),
    /// An open packet that does not describe a session.
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
