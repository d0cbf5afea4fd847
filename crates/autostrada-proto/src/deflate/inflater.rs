//! Decompression of the messages that an endpoint receives: RFC 7692, section 7.2.2.

use flate2::{Decompress, FlushDecompress, Status};

use super::{CompressedTraffic, DeflateParameters, TAIL};
use crate::close::ProtocolError;
use crate::role::Role;

/// Minimum capacity reserved for a message.
const MIN_CAPACITY_BYTES: usize = 256;

/// Decompresses messages, frame by frame, for a [`MessageDecoder`](crate::message::MessageDecoder).
#[derive(Debug)]
pub struct Inflater {
    takes_over_context: bool,
    /// Allocated with the first compressed message.
    stream: Option<Decompress>,
    /// Whether the input so far ends with a block that has the BFINAL bit set.
    has_ended: bool,
    traffic: CompressedTraffic,
}

impl Inflater {
    /// Creates an inflater for the messages that an endpoint of the given role receives.
    pub fn new(parameters: DeflateParameters, role: Role) -> Self {
        let sender = match role {
            Role::Client => Role::Server,
            Role::Server => Role::Client,
        };
        Self {
            takes_over_context: parameters.takes_over_context(sender),
            stream: None,
            has_ended: false,
            traffic: CompressedTraffic::default(),
        }
    }

    /// Counts of the messages decompressed so far.
    pub fn traffic(&self) -> CompressedTraffic {
        self.traffic
    }

    /// Decompresses the payload of the next frame and appends the result to `message`.
    ///
    /// The message never exceeds the limit by more than one byte, whatever the
    /// compression ratio of the payload is.
    pub(crate) fn inflate(
        &mut self,
        payload: &[u8],
        is_last: bool,
        message: &mut Vec<u8>,
        max_message_bytes: usize,
    ) -> Result<(), ProtocolError> {
        let raw_bytes_before = message.len();
        self.inflate_bytes(payload, message, max_message_bytes)?;
        if is_last {
            self.end_message()?;
            self.traffic.messages += 1;
        }
        self.traffic.raw_bytes += (message.len() - raw_bytes_before) as u64;
        self.traffic.compressed_bytes += payload.len() as u64;
        Ok(())
    }

    fn inflate_bytes(
        &mut self,
        mut input: &[u8],
        message: &mut Vec<u8>,
        max_message_bytes: usize,
    ) -> Result<(), ProtocolError> {
        let stream = self.stream.get_or_insert_with(|| Decompress::new(false));
        let limit_bytes = max_message_bytes + 1;
        if message.capacity() == 0 && !input.is_empty() {
            let capacity_bytes = input.len().saturating_mul(4).max(MIN_CAPACITY_BYTES);
            message.reserve_exact(capacity_bytes.min(limit_bytes));
        }
        // If the output is full, the stream may hold more bytes.
        while !input.is_empty() || message.len() == message.capacity() {
            if message.len() == message.capacity() {
                let capacity_bytes = message.capacity().max(MIN_CAPACITY_BYTES);
                message.reserve_exact(capacity_bytes.min(limit_bytes - message.len()));
            }
            let (consumed_before, length_before) = (stream.total_in(), message.len());
            let Ok(status) = stream.decompress_vec(input, message, FlushDecompress::Sync) else {
                return Err(ProtocolError::InvalidDeflate);
            };
            let consumed = stream.total_in() - consumed_before;
            let consumed = usize::try_from(consumed).expect("a part of a slice fits");
            if message.len() > max_message_bytes {
                return Err(ProtocolError::MessageTooLong);
            }
            self.has_ended = match status {
                Status::StreamEnd => {
                    stream.reset(false);
                    true
                }
                _ => self.has_ended && consumed == 0,
            };
            input = &input[consumed..];
            if consumed == 0 && message.len() == length_before {
                break;
            }
        }
        if input.is_empty() {
            Ok(())
        } else {
            Err(ProtocolError::InvalidDeflate)
        }
    }

    /// Inflates the tail that the sender removed. It must complete the message and yield no bytes.
    ///
    /// A block may have the BFINAL bit set: section 7.2.3.4. The backend then
    /// discards its window, so a later message cannot refer to earlier ones. No
    /// endpoint is known that sets the bit and then refers to earlier messages.
    fn end_message(&mut self) -> Result<(), ProtocolError> {
        let Some(stream) = &mut self.stream else {
            return Ok(());
        };
        if !self.has_ended {
            let consumed_before = stream.total_in();
            let status = stream.decompress(&TAIL, &mut [], FlushDecompress::Sync);
            let consumed = stream.total_in() - consumed_before;
            if status.is_err() || consumed != TAIL.len() as u64 {
                return Err(ProtocolError::InvalidDeflate);
            }
            // The removed empty block may itself be the final one.
            self.has_ended = matches!(status, Ok(Status::StreamEnd));
        }
        // A stream that has ended accepts no further message.
        if self.has_ended || !self.takes_over_context {
            stream.reset(false);
        }
        self.has_ended = false;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deflate::Deflater;

    #[test]
    fn a_decompression_bomb_allocates_no_more_than_the_limit() {
        let parameters = DeflateParameters::default();
        let mut deflater = Deflater::new(parameters, Role::Server, 6);
        let bomb = deflater.compress(&vec![0; 3_000_000]);
        for max_message_bytes in [0, 1, 255, 256, 257, 1_000, 100_000, 2_999_999] {
            let mut inflater = Inflater::new(parameters, Role::Client);
            let mut message = Vec::new();
            let result = inflater.inflate(bomb, true, &mut message, max_message_bytes);
            assert_eq!(result, Err(ProtocolError::MessageTooLong));
            assert!(message.capacity() <= max_message_bytes + 1);
        }
    }

    #[test]
    fn nothing_is_allocated_before_the_first_compressed_message() {
        let parameters = DeflateParameters::default();
        assert!(Inflater::new(parameters, Role::Client).stream.is_none());
    }
}
