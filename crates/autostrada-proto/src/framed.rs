//! Framed TCP, the plainest of protocols: a big-endian length of four bytes, then the payload.

use crate::close::ProtocolError;
use crate::message::{Decoded, Event};

const LENGTH_BYTES: usize = 4;

/// Decodes what one endpoint receives; every message is binary.
///
/// It is called as a [`MessageDecoder`](crate::message::MessageDecoder) is, so
/// that an engine can treat both alike. After an error the connection has failed.
#[derive(Debug)]
pub struct FramedDecoder {
    max_message_bytes: usize,
}

impl FramedDecoder {
    /// Makes a decoder, the same for both roles.
    #[must_use]
    pub fn new(max_message_bytes: usize) -> Self {
        Self { max_message_bytes }
    }

    /// Takes the message at the front of `input`.
    ///
    /// # Errors
    ///
    /// When a message exceeds the bound, as soon as its length is there.
    #[inline]
    pub fn decode<'a>(&self, input: &'a [u8]) -> Result<Decoded<'a>, ProtocolError> {
        let Some((&length, rest)) = input.split_first_chunk::<LENGTH_BYTES>() else {
            return Ok(Decoded::Incomplete {
                needed_bytes: LENGTH_BYTES,
            });
        };
        let payload_bytes = match usize::try_from(u32::from_be_bytes(length)) {
            Ok(payload_bytes) if payload_bytes <= self.max_message_bytes => payload_bytes,
            _ => return Err(ProtocolError::MessageTooLong),
        };
        Ok(match rest.get(..payload_bytes) {
            Some(payload) => Decoded::Event {
                consumed_bytes: LENGTH_BYTES + payload_bytes,
                event: Event::Binary(payload),
            },
            None => Decoded::Incomplete {
                needed_bytes: payload_bytes.saturating_add(LENGTH_BYTES),
            },
        })
    }
}

/// Appends a message to `out`.
///
/// # Panics
///
/// When the length of the payload does not fit into four bytes.
#[inline]
pub fn encode_framed(payload: &[u8], out: &mut Vec<u8>) {
    let length = u32::try_from(payload.len()).expect("a framed message is shorter than 4 GiB");
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(payload);
}
