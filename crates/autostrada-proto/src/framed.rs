//! Framed TCP: each message is a big-endian length of four bytes, followed by the payload.

use crate::close::ProtocolError;
use crate::message::{Decoded, Event};

const LENGTH_BYTES: usize = 4;

/// Decodes the messages that an endpoint receives; every message is binary.
///
/// It has the interface of a [`MessageDecoder`](crate::message::MessageDecoder),
/// so that the engine can use either. After an error the connection has failed.
#[derive(Debug)]
pub struct FramedDecoder {
    max_message_bytes: usize,
}

impl FramedDecoder {
    /// Creates a decoder, for either role, that accepts payloads of at most `max_message_bytes`.
    pub fn new(max_message_bytes: usize) -> Self {
        Self { max_message_bytes }
    }

    /// Decodes the message at the front of `input`.
    /// Returns an error if the message is longer than the limit, as soon as its length is complete.
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
/// Panics if the length of the payload does not fit into four bytes.
#[inline]
pub fn encode_framed(payload: &[u8], out: &mut Vec<u8>) {
    let length = u32::try_from(payload.len()).expect("a framed message is shorter than 4 GiB");
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(payload);
}
