//! The message decoder of a connection: RFC 6455, sections 5.4 to 5.6.

use super::{Decoded, Event, Role};
use crate::buffer::extend_within;
use crate::close::{Close, ProtocolError};
use crate::deflate::Inflater;
use crate::frame::{FIN, FrameHeader, MAX_CONTROL_PAYLOAD_BYTES, Opcode, RSV1};
use crate::mask::apply_mask;
use crate::utf8::{Utf8Check, is_utf8};

const WHOLE_TEXT: u8 = FIN | Opcode::Text as u8;
const WHOLE_BINARY: u8 = FIN | Opcode::Binary as u8;

/// Size of the buffer in which parts of an incomplete masked text are unmasked for validation.
const UNMASKED_BYTES: usize = 1024;

/// Decodes the frames that an endpoint receives into messages and control frames.
///
/// After an error the connection has failed and the decoder must not be used.
#[derive(Debug)]
pub struct MessageDecoder {
    role: Role,
    max_message_bytes: usize,
    /// Decompresses messages; without an inflater compressed messages are errors.
    inflater: Option<Box<Inflater>>,
    /// Opcode of the fragmented message that is being received.
    unfinished: Option<Opcode>,
    /// Whether that message, or the last fragmented one, is compressed.
    is_compressed: bool,
    /// Decompressed fragments of that message, or of the last one returned.
    gathered: Vec<u8>,
    /// Validates texts that are received in parts.
    text: Utf8Check,
    /// Number of validated payload bytes of a text frame that is not complete.
    checked_bytes: usize,
    /// Whether no part of the next message has been processed.
    is_between_messages: bool,
}

impl MessageDecoder {
    /// Creates a decoder; `role` is that of the receiving endpoint, not of the sender.
    ///
    /// A message longer than `max_message_bytes`, after decompression, is an error.
    pub fn new(role: Role, max_message_bytes: usize) -> Self {
        assert!(
            isize::try_from(max_message_bytes).is_ok(),
            "no slice is that long"
        );
        Self {
            role,
            max_message_bytes,
            inflater: None,
            unfinished: None,
            is_compressed: false,
            gathered: Vec::new(),
            text: Utf8Check::default(),
            checked_bytes: 0,
            is_between_messages: true,
        }
    }

    /// Accepts compressed messages.
    pub fn with_inflater(mut self, inflater: Inflater) -> Self {
        self.inflater = Some(Box::new(inflater));
        self
    }

    /// The inflater, for example to read its counts.
    pub fn inflater(&self) -> Option<&Inflater> {
        self.inflater.as_deref()
    }

    /// Whether the next data frame begins a message and no part of it has been processed.
    #[inline]
    pub fn is_between_messages(&self) -> bool {
        self.is_between_messages
    }

    /// Decodes the frame at the front of `input`, unmasking it in place.
    ///
    /// Uncompressed messages of one frame are returned as slices of `input`.
    /// Fragments are copied and compressed messages are decompressed, up to the
    /// limit. An incomplete frame is not modified and must be at the front of the
    /// next `input`. If it is a text, its received part is validated, so that a
    /// text fails at its first invalid byte.
    #[inline]
    pub fn decode<'a>(&'a mut self, input: &'a mut [u8]) -> Result<Decoded<'a>, ProtocolError> {
        // Nearly every frame of a feed is a short message from a server, which
        // its first two bytes identify. All other frames are handled in a
        // function that is not inlined, to keep this one small.
        if let [first @ (WHOLE_TEXT | WHOLE_BINARY), length, ..] = *input
            && usize::from(length) <= self.max_message_bytes.min(MAX_CONTROL_PAYLOAD_BYTES)
            && self.role == Role::Client
            && self.is_between_messages
            && input.len() - 2 >= usize::from(length)
        {
            let consumed_bytes = 2 + usize::from(length);
            let payload = &input[2..consumed_bytes];
            let event = if first == WHOLE_BINARY {
                Event::Binary(payload)
            } else if is_utf8(payload) {
                Event::Text(payload)
            } else {
                return Err(ProtocolError::InvalidUtf8);
            };
            return Ok(Decoded::Event {
                consumed_bytes,
                event,
            });
        }
        self.decode_any(input)
    }

    #[inline(never)]
    fn decode_any<'a>(&'a mut self, input: &'a mut [u8]) -> Result<Decoded<'a>, ProtocolError> {
        let allowed_rsv = if self.inflater.is_some() { RSV1 } else { 0 };
        let Some((header, header_bytes)) = FrameHeader::decode_allowing(allowed_rsv, input)? else {
            let needed_bytes = FrameHeader::needed_bytes(input);
            return Ok(Decoded::Incomplete { needed_bytes });
        };
        let consumed_bytes = header_bytes + self.payload_bytes(&header)?;
        if input.len() < consumed_bytes {
            self.check_front(&header, &input[header_bytes..])?;
            return Ok(Decoded::Incomplete {
                needed_bytes: consumed_bytes,
            });
        }
        let payload = &mut input[header_bytes..consumed_bytes];
        if let Some(key) = header.masking_key {
            apply_mask(key, payload);
        }
        let checked_bytes = std::mem::take(&mut self.checked_bytes);
        self.is_between_messages = match header.opcode {
            Opcode::Text | Opcode::Binary | Opcode::Continuation => header.fin,
            Opcode::Ping | Opcode::Pong | Opcode::Close => self.unfinished.is_none(),
        };
        let event = match header.opcode {
            Opcode::Ping => Event::Ping(payload),
            Opcode::Pong => Event::Pong(payload),
            Opcode::Close => Event::Close(Close::decode(payload)?),
            Opcode::Text if header.fin && header.rsv == 0 => {
                if checked_bytes > 0 {
                    self.text.push(&payload[checked_bytes..])?;
                    self.text.end()?;
                } else if !is_utf8(payload) {
                    return Err(ProtocolError::InvalidUtf8);
                }
                Event::Text(payload)
            }
            Opcode::Binary if header.fin && header.rsv == 0 => Event::Binary(payload),
            Opcode::Text | Opcode::Binary | Opcode::Continuation => {
                self.take_fragment(&header, payload, checked_bytes)?
            }
        };
        Ok(Decoded::Event {
            consumed_bytes,
            event,
        })
    }

    /// Returns the payload length after checking the header against role, state and limit.
    fn payload_bytes(&self, header: &FrameHeader) -> Result<usize, ProtocolError> {
        match (self.role, header.masking_key) {
            (Role::Client, Some(_)) => return Err(ProtocolError::MaskedFrame),
            (Role::Server, None) => return Err(ProtocolError::UnmaskedFrame),
            (Role::Client, None) | (Role::Server, Some(_)) => {}
        }
        let max_payload_bytes = match (header.opcode, self.unfinished) {
            (Opcode::Close | Opcode::Ping | Opcode::Pong, _) => MAX_CONTROL_PAYLOAD_BYTES,
            (Opcode::Text | Opcode::Binary, None) if header.rsv != 0 => {
                max_compressed_bytes(self.max_message_bytes)
            }
            (Opcode::Text | Opcode::Binary, None) => self.max_message_bytes,
            (Opcode::Continuation, Some(_)) => {
                let left_bytes = self.max_message_bytes - self.gathered.len();
                if self.is_compressed {
                    max_compressed_bytes(left_bytes)
                } else {
                    left_bytes
                }
            }
            (Opcode::Text | Opcode::Binary, Some(_)) => {
                return Err(ProtocolError::UnfinishedMessage);
            }
            (Opcode::Continuation, None) => return Err(ProtocolError::NothingToContinue),
        };
        match usize::try_from(header.payload_length) {
            Ok(payload_bytes) if payload_bytes <= max_payload_bytes => Ok(payload_bytes),
            _ => Err(ProtocolError::MessageTooLong),
        }
    }

    /// Validates the received part of an incomplete text frame, unless it is compressed.
    fn check_front(&mut self, header: &FrameHeader, payload: &[u8]) -> Result<(), ProtocolError> {
        let is_text = match header.opcode {
            Opcode::Text => header.rsv == 0,
            Opcode::Continuation => self.unfinished == Some(Opcode::Text) && !self.is_compressed,
            _ => false,
        };
        if !is_text || payload.len() == self.checked_bytes {
            return Ok(());
        }
        let unchecked = &payload[self.checked_bytes..];
        if let Some(mut key) = header.masking_key {
            let offset = self.checked_bytes % key.len();
            key.rotate_left(offset);
            for masked in unchecked.chunks(UNMASKED_BYTES) {
                let mut part = [0; UNMASKED_BYTES];
                let part = &mut part[..masked.len()];
                part.copy_from_slice(masked);
                apply_mask(key, part);
                self.text.push(part)?;
            }
        } else {
            self.text.push(unchecked)?;
        }
        self.checked_bytes = payload.len();
        self.is_between_messages = false;
        Ok(())
    }

    /// Adds a fragment to its message; `checked_bytes` of its payload are already validated.
    ///
    /// Each fragment of a text is validated when it arrives, so that an invalid
    /// text fails immediately.
    fn take_fragment(
        &mut self,
        header: &FrameHeader,
        payload: &[u8],
        checked_bytes: usize,
    ) -> Result<Event<'_>, ProtocolError> {
        let kind = self.unfinished.unwrap_or_else(|| {
            self.gathered.clear();
            self.is_compressed = header.rsv != 0;
            header.opcode
        });
        // `checked_bytes` is 0 for a compressed payload.
        let unchecked_at = self.gathered.len() + checked_bytes;
        match &mut self.inflater {
            Some(inflater) if self.is_compressed => {
                let max_bytes = self.max_message_bytes;
                inflater.inflate(payload, header.fin, &mut self.gathered, max_bytes)?;
            }
            _ => extend_within(&mut self.gathered, payload, self.max_message_bytes),
        }
        if kind == Opcode::Text {
            self.text.push(&self.gathered[unchecked_at..])?;
            if header.fin {
                self.text.end()?;
            }
        }
        self.unfinished = (!header.fin).then_some(kind);
        Ok(match kind {
            _ if !header.fin => Event::Fragment,
            Opcode::Text => Event::Text(&self.gathered),
            _ => Event::Binary(&self.gathered),
        })
    }
}

/// Upper limit for the compressed length of a message of `message_bytes` bytes.
///
/// Fixed Huffman codes need at most nine bits for each byte, and stored blocks
/// five bytes each; no reasonable encoder produces more.
fn max_compressed_bytes(message_bytes: usize) -> usize {
    (message_bytes / 8 + 64).saturating_add(message_bytes)
}
