//! Packets: Engine.IO protocol, versions 3 and 4, "Protocol" and "Packet encoding".

use base64::engine::{Engine, general_purpose::STANDARD};

use super::{BASE64_MARK, BINARY_MESSAGE, MESSAGE, PacketError, Version};
use crate::frame::Opcode;

/// A packet. Texts are not validated: they are UTF-8 if the transport ensures it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packet<'a> {
    /// The server's first packet: the JSON of a [`Session`](super::Session).
    Open(&'a [u8]),
    /// Ends the session.
    Close,
    /// A heartbeat: from a server in version 4, from a client in version 3. From a client, with the
    /// data `probe`, a test of the WebSocket connection before an upgrade.
    Ping(&'a [u8]),
    /// The response to a ping, with the same data.
    Pong(&'a [u8]),
    /// A text message.
    Message(&'a [u8]),
    /// A binary message.
    Binary(&'a [u8]),
    /// From a client: the session continues over WebSocket.
    Upgrade,
    /// Has no meaning; completes a pending poll.
    Noop,
}

impl<'a> Packet<'a> {
    /// The opcode of the WebSocket message that carries this packet.
    pub fn opcode(&self) -> Opcode {
        match self {
            Self::Binary(_) => Opcode::Binary,
            _ => Opcode::Text,
        }
    }

    /// Appends the payload of the WebSocket message that carries this packet to `out`.
    #[inline]
    pub fn encode(&self, version: Version, out: &mut Vec<u8>) {
        let (kind, data): (u8, &[u8]) = match *self {
            Self::Open(data) => (b'0', data),
            Self::Close => (b'1', b""),
            Self::Ping(data) => (b'2', data),
            Self::Pong(data) => (b'3', data),
            Self::Message(data) => (MESSAGE, data),
            Self::Upgrade => (b'5', b""),
            Self::Noop => (b'6', b""),
            Self::Binary(data) => {
                if version == Version::V3 {
                    out.push(BINARY_MESSAGE);
                }
                out.extend_from_slice(data);
                return;
            }
        };
        out.push(kind);
        out.extend_from_slice(data);
    }

    /// Decodes a text that is a packet without base64 data.
    ///
    /// Bytes after the type of a packet without data are ignored, as in other
    /// implementations.
    #[inline]
    fn decode(text: &'a [u8]) -> Result<Self, PacketError> {
        let (&kind, data) = text.split_first().ok_or(PacketError::Empty)?;
        Ok(match kind {
            b'0' => Self::Open(data),
            b'1' => Self::Close,
            b'2' => Self::Ping(data),
            b'3' => Self::Pong(data),
            MESSAGE => Self::Message(data),
            b'5' => Self::Upgrade,
            b'6' => Self::Noop,
            unknown => return Err(PacketError::UnknownType(unknown)),
        })
    }
}

/// Decodes packets. Their length is limited only by the limit of the transport.
#[derive(Debug)]
pub struct PacketDecoder {
    version: Version,
    /// The last data decoded from base64.
    binary: Vec<u8>,
}

impl PacketDecoder {
    pub fn new(version: Version) -> Self {
        Self {
            version,
            binary: Vec::new(),
        }
    }

    /// Decodes a text message of WebSocket.
    #[inline]
    pub fn decode_text<'a>(&'a mut self, text: &'a [u8]) -> Result<Packet<'a>, PacketError> {
        match (self.version, text) {
            (Version::V3, [BASE64_MARK, MESSAGE, base64 @ ..])
            | (Version::V4, [BASE64_MARK, base64 @ ..]) => {
                self.binary
                    .resize(base64::decoded_len_estimate(base64.len()), 0);
                let decoded_bytes = STANDARD
                    .decode_slice(base64, &mut self.binary)
                    .map_err(PacketError::Base64)?;
                Ok(Packet::Binary(&self.binary[..decoded_bytes]))
            }
            _ => Packet::decode(text),
        }
    }

    /// Decodes a binary message of WebSocket, which is always a [`Packet::Binary`].
    #[inline]
    pub fn decode_binary<'a>(&self, message: &'a [u8]) -> Result<Packet<'a>, PacketError> {
        match (self.version, message) {
            (Version::V4, data) | (Version::V3, [BINARY_MESSAGE, data @ ..]) => {
                Ok(Packet::Binary(data))
            }
            (Version::V3, [kind, ..]) => Err(PacketError::UnknownType(*kind)),
            (Version::V3, []) => Err(PacketError::Empty),
        }
    }
}
