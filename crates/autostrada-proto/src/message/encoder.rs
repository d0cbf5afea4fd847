//! The message encoder of a connection: RFC 6455, sections 5.4 and 5.6.

use std::num::NonZeroUsize;

use crate::deflate::Deflater;
use crate::frame::{FrameHeader, Opcode, RSV1, push_payload};

/// Encodes the messages that an endpoint sends, optionally compressed or fragmented.
///
/// Control frames, and messages of one uncompressed frame, can be written
/// without an encoder by [`encode_frame`](crate::frame::encode_frame).
#[derive(Debug)]
pub struct MessageEncoder {
    max_frame_payload_bytes: NonZeroUsize,
    deflater: Option<Box<Deflater>>,
    /// Shorter messages are not compressed.
    min_compressed_bytes: usize,
}

impl Default for MessageEncoder {
    fn default() -> Self {
        Self {
            max_frame_payload_bytes: NonZeroUsize::MAX,
            deflater: None,
            min_compressed_bytes: 0,
        }
    }
}

impl MessageEncoder {
    /// Creates an encoder that writes each message as one uncompressed frame.
    pub fn new() -> Self {
        Self::default()
    }

    /// Splits messages longer than `payload_bytes` into fragments of that length.
    pub fn with_fragments_of(mut self, payload_bytes: NonZeroUsize) -> Self {
        self.max_frame_payload_bytes = payload_bytes;
        self
    }

    /// Compresses messages of at least `min_compressed_bytes` bytes.
    pub fn with_deflater(mut self, deflater: Deflater, min_compressed_bytes: usize) -> Self {
        self.deflater = Some(Box::new(deflater));
        self.min_compressed_bytes = min_compressed_bytes;
        self
    }

    /// The deflater, for example to read its counts.
    pub fn deflater(&self) -> Option<&Deflater> {
        self.deflater.as_deref()
    }

    /// Appends the frames of a text or binary message to `out`.
    ///
    /// `masking_key` is called once for each frame. For a client it must return
    /// unpredictable keys, for a server `None`.
    /// Panics if `opcode` is not `Text` or `Binary`.
    pub fn encode(
        &mut self,
        opcode: Opcode,
        payload: &[u8],
        mut masking_key: impl FnMut() -> Option<[u8; 4]>,
        out: &mut Vec<u8>,
    ) {
        assert!(opcode.begins_message(), "{opcode:?} is not a message");
        let (mut rest, mut rsv) = match &mut self.deflater {
            Some(deflater) if payload.len() >= self.min_compressed_bytes => {
                (deflater.compress(payload), RSV1)
            }
            _ => (payload, 0),
        };
        let mut opcode = opcode;
        loop {
            let frame_bytes = rest.len().min(self.max_frame_payload_bytes.get());
            let (fragment, after) = rest.split_at(frame_bytes);
            let header = FrameHeader {
                fin: after.is_empty(),
                rsv,
                opcode,
                masking_key: masking_key(),
                payload_length: fragment.len() as u64,
            };
            header.encode(out);
            push_payload(header.masking_key, fragment, out);
            if after.is_empty() {
                return;
            }
            (rest, rsv, opcode) = (after, 0, Opcode::Continuation);
        }
    }
}
