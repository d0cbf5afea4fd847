//! Frames and their headers: RFC 6455, section 5.2.

use crate::close::ProtocolError;
use crate::mask::apply_mask;

/// Maximum payload of a control frame, and of a frame with a 7-bit length.
pub const MAX_CONTROL_PAYLOAD_BYTES: usize = 125;

pub(crate) const FIN: u8 = 0x80;
/// The first reserved bit, in [`FrameHeader::rsv`]: the message is compressed, RFC 7692.
pub(crate) const RSV1: u8 = 0b100;
const MASKED: u8 = 0x80;
const LENGTH_OF_16_BITS: u8 = 126;
const LENGTH_OF_64_BITS: u8 = 127;

/// The type of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Opcode {
    Continuation = 0x0,
    Text = 0x1,
    Binary = 0x2,
    Close = 0x8,
    Ping = 0x9,
    Pong = 0xa,
}

impl Opcode {
    /// Whether this is a control frame, which may occur between the fragments of a message.
    pub fn is_control(self) -> bool {
        matches!(self, Self::Close | Self::Ping | Self::Pong)
    }

    /// Whether a frame of this type is the first one of a message.
    pub(crate) fn begins_message(self) -> bool {
        matches!(self, Self::Text | Self::Binary)
    }

    fn decode(bits: u8) -> Result<Self, ProtocolError> {
        Ok(match bits {
            0x0 => Self::Continuation,
            0x1 => Self::Text,
            0x2 => Self::Binary,
            0x8 => Self::Close,
            0x9 => Self::Ping,
            0xa => Self::Pong,
            unknown => return Err(ProtocolError::UnknownOpcode(unknown)),
        })
    }
}

/// The header of a frame: everything except the payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameHeader {
    /// Whether this is the last frame of its message.
    pub fin: bool,
    /// The three reserved bits; RSV1 is the most significant one.
    pub rsv: u8,
    pub opcode: Opcode,
    /// Present in frames from a client, `None` in frames from a server.
    pub masking_key: Option<[u8; 4]>,
    /// Length of the payload in bytes.
    pub payload_length: u64,
}

impl FrameHeader {
    /// Decodes the header at the front of `input`; returns the header and its length in bytes.
    ///
    /// Returns `None` if `input` ends inside the header. The caller checks whether
    /// the frame must be masked, which depends on the role.
    #[inline]
    pub fn decode(input: &[u8]) -> Result<Option<(Self, usize)>, ProtocolError> {
        Self::decode_allowing(0, input)
    }

    /// Decodes a header, allowing the bits of `allowed_rsv` in the first frame of a message.
    #[inline]
    pub(crate) fn decode_allowing(
        allowed_rsv: u8,
        input: &[u8],
    ) -> Result<Option<(Self, usize)>, ProtocolError> {
        let Some((&[first, second], rest)) = input.split_first_chunk() else {
            return Ok(None);
        };
        let fin = first & FIN != 0;
        let rsv = first >> 4 & 0b111;
        let short_length = second & !MASKED;
        if rsv & !allowed_rsv != 0 {
            return Err(ProtocolError::ReservedBits);
        }
        let opcode = Opcode::decode(first & 0x0f)?;
        if rsv != 0 && !opcode.begins_message() {
            return Err(ProtocolError::ReservedBits);
        }
        if opcode.is_control() {
            if !fin {
                return Err(ProtocolError::FragmentedControlFrame);
            }
            if usize::from(short_length) > MAX_CONTROL_PAYLOAD_BYTES {
                return Err(ProtocolError::ControlFrameTooLong);
            }
        }
        let Some((payload_length, rest)) = split_payload_length(short_length, rest)? else {
            return Ok(None);
        };
        let (masking_key, rest) = if second & MASKED == 0 {
            (None, rest)
        } else if let Some((&key, rest)) = rest.split_first_chunk() {
            (Some(key), rest)
        } else {
            return Ok(None);
        };
        let header = Self {
            fin,
            rsv,
            opcode,
            masking_key,
            payload_length,
        };
        Ok(Some((header, input.len() - rest.len())))
    }

    /// Lower bound for the length of the header, from the bytes of it in `input`.
    pub(crate) fn needed_bytes(input: &[u8]) -> usize {
        let Some(&second) = input.get(1) else {
            return 2;
        };
        let length_bytes = match second & !MASKED {
            LENGTH_OF_16_BITS => 2,
            LENGTH_OF_64_BITS => 8,
            _ => 0,
        };
        let key_bytes = if second & MASKED == 0 { 0 } else { 4 };
        2 + length_bytes + key_bytes
    }

    /// Appends this header to `out`; the payload, masked with the key, must follow.
    /// Panics if `rsv` has more than three bits, the payload length is 2^63 or more, or a control
    /// frame is fragmented or longer than 125 bytes.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "without inlining, short frames are a third slower"
    )]
    pub fn encode(&self, out: &mut Vec<u8>) {
        assert!(self.rsv <= 0b111, "there are three reserved bits");
        let first = u8::from(self.fin) << 7 | self.rsv << 4 | self.opcode as u8;
        let masked = if self.masking_key.is_some() {
            MASKED
        } else {
            0
        };
        let long = self.payload_length > MAX_CONTROL_PAYLOAD_BYTES as u64;
        assert!(
            !self.opcode.is_control() || (self.fin && !long),
            "control frames are short and not fragmented"
        );
        if !long {
            out.extend_from_slice(&[first, masked | self.payload_length.to_be_bytes()[7]]);
        } else if let Ok(length) = u16::try_from(self.payload_length) {
            let [high, low] = length.to_be_bytes();
            out.extend_from_slice(&[first, masked | LENGTH_OF_16_BITS, high, low]);
        } else {
            assert!(
                self.payload_length < 1 << 63,
                "payload length of 2^63 or more"
            );
            out.extend_from_slice(&[first, masked | LENGTH_OF_64_BITS]);
            out.extend_from_slice(&self.payload_length.to_be_bytes());
        }
        if let Some(key) = self.masking_key {
            out.extend_from_slice(&key);
        }
    }
}

/// Splits the payload length off `rest`, the bytes after the first two of a frame.
#[inline]
fn split_payload_length(
    short_length: u8,
    rest: &[u8],
) -> Result<Option<(u64, &[u8])>, ProtocolError> {
    let (length, shorter_max, rest) = match short_length {
        LENGTH_OF_16_BITS => match rest.split_first_chunk() {
            Some((&length, rest)) => (u16::from_be_bytes(length).into(), 125, rest),
            None => return Ok(None),
        },
        LENGTH_OF_64_BITS => match rest.split_first_chunk() {
            Some((&length, rest)) => (u64::from_be_bytes(length), u64::from(u16::MAX), rest),
            None => return Ok(None),
        },
        length => return Ok(Some((length.into(), rest))),
    };
    if length <= shorter_max {
        return Err(ProtocolError::LengthNotMinimal);
    }
    if length >= 1 << 63 {
        return Err(ProtocolError::LengthOutOfRange);
    }
    Ok(Some((length, rest)))
}

/// Appends an unfragmented frame to `out`: a whole message or a control frame.
///
/// For a client the masking key must be unpredictable and different for each
/// frame; for a server it must be `None`.
#[inline]
pub fn encode_frame(
    opcode: Opcode,
    masking_key: Option<[u8; 4]>,
    payload: &[u8],
    out: &mut Vec<u8>,
) {
    let payload_length = payload.len() as u64;
    FrameHeader {
        fin: true,
        rsv: 0,
        opcode,
        masking_key,
        payload_length,
    }
    .encode(out);
    push_payload(masking_key, payload, out);
}

/// Appends the payload of a frame to `out`, masked if there is a key.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "without inlining, short frames are a third slower"
)]
pub(crate) fn push_payload(masking_key: Option<[u8; 4]>, payload: &[u8], out: &mut Vec<u8>) {
    let payload_start = out.len();
    out.extend_from_slice(payload);
    if let Some(key) = masking_key {
        apply_mask(key, &mut out[payload_start..]);
    }
}
