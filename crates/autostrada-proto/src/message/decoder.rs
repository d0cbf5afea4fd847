//! The decoder of a connection, from frames to messages: RFC 6455, sections 5.4 to 5.6.

use super::{Decoded, Event, Role};
use crate::buffer::extend_within;
use crate::close::{Close, ProtocolError};
use crate::deflate::Inflater;
use crate::frame::{FIN, FrameHeader, MAX_CONTROL_PAYLOAD_BYTES, Opcode, RSV1};
use crate::mask::apply_mask;
use crate::utf8::{Utf8Check, is_utf8};

const WHOLE_TEXT: u8 = FIN | Opcode::Text as u8;
const WHOLE_BINARY: u8 = FIN | Opcode::Binary as u8;

/// So much of a masked text is looked at at once, before its frame is whole.
const UNMASKED_BYTES: usize = 1024;

/// Decodes what one endpoint receives.
///
/// After an error the connection has failed, and the decoder with it.
#[derive(Debug)]
pub struct MessageDecoder {
    role: Role,
    max_message_bytes: usize,
    /// Takes compressed messages; without it they are errors.
    inflater: Option<Box<Inflater>>,
    /// The kind of the fragmented message whose last frame is not here yet.
    unfinished: Option<Opcode>,
    /// Whether that message, or the last one gathered, came compressed.
    is_compressed: bool,
    /// The fragments of that message, or of the last one delivered, decompressed.
    gathered: Vec<u8>,
    /// Checks a text that does not come at once.
    text: Utf8Check,
    /// Of a text's frame that is not whole yet, so many bytes of its payload are checked.
    checked_bytes: usize,
    /// Whether nothing is known of the next message.
    is_between_messages: bool,
}

impl MessageDecoder {
    /// Makes a decoder for an endpoint of the given role: ours, not that of the other side.
    #[must_use]
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

    /// Takes compressed messages too, as was negotiated.
    #[must_use]
    pub fn with_inflater(mut self, inflater: Inflater) -> Self {
        self.inflater = Some(Box::new(inflater));
        self
    }

    /// The inflater given, for what it has counted.
    #[must_use]
    pub fn inflater(&self) -> Option<&Inflater> {
        self.inflater.as_deref()
    }

    /// Whether the next data frame begins a message, of which nothing was looked at.
    #[must_use]
    #[inline]
    pub fn is_between_messages(&self) -> bool {
        self.is_between_messages
    }

    /// Takes the frame at the front of `input`, unmasking it in place.
    ///
    /// Messages of one frame are slices of `input`; fragments are copied, and
    /// compressed messages decompressed, up to the bound. Bytes of an incomplete
    /// frame are left as they are, and stand at the front of the next `input`; a text
    /// among them is checked, to fail at its first wrong byte.
    ///
    /// # Errors
    ///
    /// When the other endpoint breaks the protocol or exceeds the bound.
    #[inline]
    pub fn decode<'a>(&'a mut self, input: &'a mut [u8]) -> Result<Decoded<'a>, ProtocolError> {
        // Nearly every frame of a feed is a short message of a server. It is
        // recognised by its first two bytes; the rest of the protocol is in a
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

    /// Checks a header against role, state and bound, before its payload is there.
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

    /// Looks at what has come of a text's frame. A compressed text is looked at when it is whole.
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
            let turned = self.checked_bytes % key.len();
            key.rotate_left(turned);
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

    /// Takes a fragment, of whose payload so many bytes are checked.
    ///
    /// Each fragment of a text is checked when it comes, so that a text that went wrong
    /// fails at once.
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
        // Of a compressed payload nothing was checked.
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

/// The most bytes that a message of so many bytes takes when it is compressed.
///
/// Fixed Huffman codes take nine bits for a byte, and stored blocks five bytes
/// each: no sensible encoder produces more.
fn max_compressed_bytes(message_bytes: usize) -> usize {
    (message_bytes / 8 + 64).saturating_add(message_bytes)
}
