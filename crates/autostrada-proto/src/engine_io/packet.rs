//! Packets: Engine.IO protocol, version 4, "Protocol" and "Packet encoding".

use base64::engine::{Engine, general_purpose::STANDARD};

use super::{BASE64_MARK, PacketError, SEPARATOR};
use crate::frame::Opcode;

/// What one endpoint says to the other. Texts are as they came: UTF-8 if the transport checks it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packet<'a> {
    /// The server's first packet: the JSON of a [`Session`](super::Session).
    Open(&'a [u8]),
    /// Ends the session.
    Close,
    /// The server's question whether the client is there; from a client, with
    /// the data `probe`, the test of a WebSocket connection.
    Ping(&'a [u8]),
    /// The answer to a ping, with the same data.
    Pong(&'a [u8]),
    /// A text.
    Message(&'a [u8]),
    /// A message that is not a text.
    Binary(&'a [u8]),
    /// The session continues over WebSocket.
    Upgrade,
    /// Nothing: it ends a poll.
    Noop,
}

impl<'a> Packet<'a> {
    /// The kind of WebSocket message that carries this packet.
    #[must_use]
    pub fn opcode(&self) -> Opcode {
        match self {
            Self::Binary(_) => Opcode::Binary,
            _ => Opcode::Text,
        }
    }

    /// Appends to `out` the payload of the WebSocket message that is this packet.
    #[inline]
    pub fn encode(&self, out: &mut Vec<u8>) {
        let (kind, data): (u8, &[u8]) = match *self {
            Self::Open(data) => (b'0', data),
            Self::Close => (b'1', b""),
            Self::Ping(data) => (b'2', data),
            Self::Pong(data) => (b'3', data),
            Self::Message(data) => (b'4', data),
            Self::Upgrade => (b'5', b""),
            Self::Noop => (b'6', b""),
            Self::Binary(data) => {
                out.extend_from_slice(data);
                return;
            }
        };
        out.push(kind);
        out.extend_from_slice(data);
    }

    /// Reads a text that is a packet, unless its data is in base64.
    ///
    /// What follows the type of a packet without data is ignored, as other
    /// implementations do.
    #[inline]
    fn decode(text: &'a [u8]) -> Result<Self, PacketError> {
        let (&kind, data) = text.split_first().ok_or(PacketError::Empty)?;
        Ok(match kind {
            b'0' => Self::Open(data),
            b'1' => Self::Close,
            b'2' => Self::Ping(data),
            b'3' => Self::Pong(data),
            b'4' => Self::Message(data),
            b'5' => Self::Upgrade,
            b'6' => Self::Noop,
            unknown => return Err(PacketError::UnknownType(unknown)),
        })
    }
}

/// Decodes the packets of one endpoint, which are bounded by the bound of their transport.
#[derive(Debug, Default)]
pub struct PacketDecoder {
    /// The last data that came in base64.
    binary: Vec<u8>,
}

impl PacketDecoder {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a text message of WebSocket; a binary one is a [`Packet::Binary`] as it is.
    ///
    /// # Errors
    ///
    /// When the text is no packet.
    #[inline]
    pub fn decode_text<'a>(&'a mut self, text: &'a [u8]) -> Result<Packet<'a>, PacketError> {
        match text.split_first() {
            Some((&BASE64_MARK, base64)) => {
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

    /// Reads the packet at the front of a payload, and says how many bytes to drop for it.
    ///
    /// A payload is the body of a request or response; it is at its end when
    /// nothing is left of it.
    ///
    /// # Errors
    ///
    /// When there is no packet, not even an empty payload being one.
    pub fn decode_payload<'a>(
        &'a mut self,
        payload: &'a [u8],
    ) -> Result<(usize, Packet<'a>), PacketError> {
        let end = payload.iter().position(|&byte| byte == SEPARATOR);
        let consumed_bytes = match end {
            // A packet must follow: a separator is between two of them.
            Some(end) if end + 1 == payload.len() => return Err(PacketError::Empty),
            Some(end) => end + 1,
            None => payload.len(),
        };
        let packet = self.decode_text(&payload[..end.unwrap_or(payload.len())])?;
        Ok((consumed_bytes, packet))
    }
}
