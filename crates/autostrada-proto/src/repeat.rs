//! Counting copies of one known frame at memory speed: RFC 6455, section 5.2.

use crate::frame::{Opcode, encode_frame};

/// Length of the pattern that input is compared with; it fits into the first-level cache.
const PATTERN_BYTES: usize = 16 * 1024;

/// A server's frame that is expected many times in a row.
///
/// Counting copies is equivalent to parsing them: every byte of header and
/// payload is compared with a frame that is known to be valid, and equal bytes
/// have an equal meaning. The count ends at the first difference: another
/// payload, a control frame, or the same message in another legal encoding,
/// such as fragments. The caller passes the remaining input to the
/// [`MessageDecoder`](crate::message::MessageDecoder).
#[derive(Debug, Clone)]
pub struct RepeatedFrame {
    frame_bytes: usize,
    /// Whole copies of the frame, at least one.
    pattern: Vec<u8>,
}

impl RepeatedFrame {
    /// Creates the unmasked frame of a whole message with this payload.
    /// Panics if `opcode` is not `Text` or `Binary`, or if a text is not UTF-8: copies of the frame
    /// are not validated again.
    pub fn new(opcode: Opcode, payload: &[u8]) -> Self {
        match opcode {
            Opcode::Text => {
                let is_utf8 = simdutf8::basic::from_utf8(payload).is_ok();
                assert!(is_utf8, "a text must be utf-8");
            }
            Opcode::Binary => {}
            _ => panic!("only whole messages are repeated, not {opcode:?} frames"),
        }
        let mut frame = Vec::new();
        encode_frame(opcode, None, payload, &mut frame);
        Self {
            frame_bytes: frame.len(),
            pattern: repeat_to_about(&frame, PATTERN_BYTES),
        }
    }

    /// The bytes of the frame: header and payload.
    pub fn frame(&self) -> &[u8] {
        &self.pattern[..self.frame_bytes]
    }

    /// Counts the whole copies of the frame at the front of `input`.
    ///
    /// Call this only while
    /// [`is_between_messages`](crate::message::MessageDecoder::is_between_messages)
    /// returns `true`: inside a fragmented message such a frame is an error.
    #[inline]
    pub fn count_at_front(&self, input: &[u8]) -> usize {
        // If the messages of a feed are not constant, the first frame already differs.
        if input.starts_with(self.frame()) {
            self.count_blocks(input)
        } else {
            0
        }
    }

    fn count_blocks(&self, mut input: &[u8]) -> usize {
        let pattern_frames = self.pattern.len() / self.frame_bytes;
        let mut count = 0;
        while let Some((block, rest)) = input.split_at_checked(self.pattern.len())
            && block == self.pattern
        {
            count += pattern_frames;
            input = rest;
        }
        count + self.count_in_last_block(input)
    }

    /// Counts the copies at the front of a block that is shorter than the pattern or differs.
    ///
    /// The whole block is compared first, because it usually is only shorter.
    /// A binary search follows, which reads the block at most twice in total.
    fn count_in_last_block(&self, input: &[u8]) -> usize {
        let block_bytes = input.len().min(self.pattern.len());
        let mut equal = 0;
        let mut possible = block_bytes / self.frame_bytes;
        let mut tried = possible;
        while equal < possible {
            let part = equal * self.frame_bytes..tried * self.frame_bytes;
            if input[part.clone()] == self.pattern[part] {
                equal = tried;
            } else {
                possible = tried - 1;
            }
            tried = equal + (possible - equal).div_ceil(2);
        }
        equal
    }
}

/// Returns as many whole copies of a frame as fit into `bytes`, but at least one.
fn repeat_to_about(frame: &[u8], bytes: usize) -> Vec<u8> {
    frame.repeat((bytes / frame.len()).max(1))
}

#[cfg(test)]
#[path = "tests/repeat.rs"]
mod tests;
