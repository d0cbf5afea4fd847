//! Encoding of messages in each protocol.

use autostrada_net::random_bytes;
use autostrada_proto::close::Close;
use autostrada_proto::frame::{FrameHeader, Opcode, encode_frame};
use autostrada_proto::framed::encode_framed;

use super::frames::Frames;
use super::socket_io::SocketIoEncoding;

/// Size of the length that precedes each message of framed TCP.
const LENGTH_BYTES: usize = 4;

/// The encoding of a connection's messages.
#[derive(Debug)]
pub enum Encoding {
    /// WebSocket.
    Frames(Frames),
    /// Framed TCP.
    Framed,
    /// Socket.IO. Boxed to keep connections of other protocols small.
    SocketIo(Box<SocketIoEncoding>),
}

impl Default for Encoding {
    /// Returns unfragmented, uncompressed WebSocket frames.
    fn default() -> Self {
        Self::Frames(Frames::Whole)
    }
}

impl Encoding {
    /// Appends a message to the bytes to send.
    pub fn encode(&mut self, opcode: Opcode, payload: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Frames(frames) => frames.encode(opcode, payload, out),
            Self::Framed => encode_framed(payload, out),
            Self::SocketIo(socket_io) => socket_io.encode_message(opcode, payload, out),
        }
    }

    /// Whether a message is always encoded to the same bytes, and can be encoded in advance.
    pub fn is_repeatable(&self) -> bool {
        match self {
            Self::Frames(frames) => frames.is_repeatable(),
            Self::Framed => true,
            Self::SocketIo(socket_io) => socket_io.frames.is_repeatable() && !socket_io.acknowledge,
        }
    }

    /// Returns the masking key of a control frame; `None` if frames are not masked.
    pub fn masking_key(&self) -> Option<[u8; 4]> {
        (!matches!(self, Self::Frames(Frames::Unmasked))).then(random_bytes)
    }

    /// Appends the frame or packet that starts the closing handshake; framed TCP has none.
    pub fn encode_close(&mut self, code: u16, out: &mut Vec<u8>) {
        if let Self::SocketIo(socket_io) = self {
            socket_io.encode_disconnect(out);
        }
        if !matches!(self, Self::Framed) {
            let mut payload = Vec::new();
            Close { code, reason: "" }.encode(&mut payload);
            encode_frame(Opcode::Close, self.masking_key(), &payload, out);
        }
    }

    /// Returns the length of the frame at the front of the bytes to send, or the length of all
    /// bytes if they have no frames.
    pub fn frame_bytes(&self, bytes: &[u8]) -> usize {
        let length = match self {
            Self::Framed => bytes.first_chunk::<LENGTH_BYTES>().map(|&length| {
                u64::from(u32::from_be_bytes(length)).saturating_add(LENGTH_BYTES as u64)
            }),
            _ => FrameHeader::decode(bytes)
                .ok()
                .flatten()
                .map(|(header, header_bytes)| header.payload_length + header_bytes as u64),
        };
        let length = length.and_then(|length| usize::try_from(length).ok());
        length.unwrap_or(bytes.len()).min(bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use autostrada_proto::message::MessageEncoder;
    use std::num::NonZeroUsize;

    #[test]
    fn a_frame_is_found_at_the_front_of_what_is_to_be_sent() {
        for mut encoding in [Encoding::Frames(Frames::Whole), Encoding::Framed] {
            let mut bytes = Vec::new();
            encoding.encode(Opcode::Binary, &[7; 300], &mut bytes);
            let first = bytes.len();
            encoding.encode(Opcode::Binary, b"second", &mut bytes);
            assert_eq!(encoding.frame_bytes(&bytes), first);
            assert_eq!(encoding.frame_bytes(&bytes[first..]), bytes.len() - first);
        }
    }

    #[test]
    fn a_fragmented_message_is_repeatable_and_has_several_frames() {
        let encoder = MessageEncoder::new().with_fragments_of(NonZeroUsize::new(4).unwrap());
        let mut encoding = Encoding::Frames(Frames::encoded_by(encoder));
        assert!(encoding.is_repeatable());
        let mut bytes = Vec::new();
        encoding.encode(Opcode::Text, b"abcdefgh", &mut bytes);
        assert_eq!((bytes.len(), encoding.frame_bytes(&bytes)), (20, 10));
    }
}
