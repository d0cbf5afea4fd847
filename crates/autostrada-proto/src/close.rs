//! Close codes, close payloads and protocol errors: RFC 6455, section 7.4.

use std::error::Error;
use std::fmt;

/// The purpose of the connection has been fulfilled.
pub const NORMAL: u16 = 1000;
/// The other endpoint violated the protocol.
pub const PROTOCOL_ERROR: u16 = 1002;
/// A text is not UTF-8, or a compressed message is not DEFLATE.
pub const INVALID_PAYLOAD: u16 = 1007;
/// A message is longer than this endpoint accepts.
pub const MESSAGE_TOO_BIG: u16 = 1009;

/// The payload of a close frame.
///
/// A close frame without a payload is represented by `None` in an `Option<Close>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Close<'a> {
    pub code: u16,
    pub reason: &'a str,
}

impl<'a> Close<'a> {
    /// Decodes the payload of a close frame; returns `None` if it is empty.
    /// Returns an error if the payload is a single byte, its code must not be sent, or its reason
    /// is not UTF-8.
    pub fn decode(payload: &'a [u8]) -> Result<Option<Self>, ProtocolError> {
        let Some((&code, reason)) = payload.split_first_chunk() else {
            return match payload {
                [] => Ok(None),
                _ => Err(ProtocolError::TruncatedCloseCode),
            };
        };
        let code = u16::from_be_bytes(code);
        if !is_sendable(code) {
            return Err(ProtocolError::InvalidCloseCode(code));
        }
        match std::str::from_utf8(reason) {
            Ok(reason) => Ok(Some(Self { code, reason })),
            Err(_) => Err(ProtocolError::InvalidUtf8),
        }
    }

    /// Appends the payload of a close frame to `out`.
    /// Panics if the code must not be sent or the reason is longer than 123 bytes.
    pub fn encode(&self, out: &mut Vec<u8>) {
        assert!(
            is_sendable(self.code),
            "close code {} may not be sent",
            self.code
        );
        assert!(
            self.reason.len() <= 123,
            "reason does not fit into a control frame"
        );
        out.extend_from_slice(&self.code.to_be_bytes());
        out.extend_from_slice(self.reason.as_bytes());
    }
}

/// Whether an endpoint may put `code` into a close frame.
///
/// 1004, 1005, 1006 and 1015 are reserved and must not be sent; 1012 to 1014 are
/// in the IANA registry that the RFC establishes; the other codes below 3000 are
/// unassigned, and those from 5000 are undefined.
pub fn is_sendable(code: u16) -> bool {
    matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999)
}

/// A violation of the protocol by the other endpoint. The connection has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProtocolError {
    /// A reserved bit is set that no negotiated extension defines.
    ReservedBits,
    UnknownOpcode(u8),
    FragmentedControlFrame,
    ControlFrameTooLong,
    /// The length has a shorter encoding.
    LengthNotMinimal,
    /// The most significant bit of a 64-bit length is set.
    LengthOutOfRange,
    /// A client sent a frame without a masking key.
    UnmaskedFrame,
    /// A server sent a frame with a masking key.
    MaskedFrame,
    /// A continuation frame without a message to continue.
    NothingToContinue,
    /// A message begins before the previous, fragmented message ends.
    UnfinishedMessage,
    /// A message is longer than the limit of the decoder.
    MessageTooLong,
    /// A text message or the reason of a close frame is not UTF-8.
    InvalidUtf8,
    /// A compressed message is not valid DEFLATE.
    InvalidDeflate,
    /// The payload of a close frame is a single byte.
    TruncatedCloseCode,
    InvalidCloseCode(u16),
}

impl ProtocolError {
    /// The code to close the connection with.
    pub fn close_code(self) -> u16 {
        match self {
            Self::MessageTooLong => MESSAGE_TOO_BIG,
            Self::InvalidUtf8 | Self::InvalidDeflate => INVALID_PAYLOAD,
            _ => PROTOCOL_ERROR,
        }
    }
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ReservedBits => "reserved bit set without an extension that defines it",
            Self::UnknownOpcode(opcode) => return write!(f, "unknown opcode {opcode:#x}"),
            Self::FragmentedControlFrame => "fragmented control frame",
            Self::ControlFrameTooLong => "control frame longer than 125 bytes",
            Self::LengthNotMinimal => "payload length not in its shortest encoding",
            Self::LengthOutOfRange => "payload length of 2^63 or more",
            Self::UnmaskedFrame => "unmasked frame from a client",
            Self::MaskedFrame => "masked frame from a server",
            Self::NothingToContinue => "continuation frame without a message to continue",
            Self::UnfinishedMessage => "message begun inside a fragmented message",
            Self::MessageTooLong => "message longer than the limit of this endpoint",
            Self::InvalidUtf8 => "text that is not valid utf-8",
            Self::InvalidDeflate => "compressed message that is not valid deflate",
            Self::TruncatedCloseCode => "close frame with half a close code",
            Self::InvalidCloseCode(code) => {
                return write!(f, "close code {code} may not be sent");
            }
        })
    }
}

impl Error for ProtocolError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_payload_has_no_code() {
        assert_eq!(Close::decode(b""), Ok(None));
    }

    #[test]
    fn a_payload_is_decoded_as_it_was_encoded() {
        for reason in ["", "going away", "grüezi", &"x".repeat(123)] {
            let close = Close {
                code: NORMAL,
                reason,
            };
            let mut payload = Vec::new();
            close.encode(&mut payload);
            assert_eq!(Close::decode(&payload), Ok(Some(close)));
        }
    }

    #[test]
    fn one_byte_is_no_code() {
        assert_eq!(
            Close::decode(b"\x03"),
            Err(ProtocolError::TruncatedCloseCode)
        );
    }

    #[test]
    fn only_assigned_and_private_codes_may_be_sent() {
        for code in [
            1000, 1001, 1002, 1003, 1007, 1011, 1014, 3000, 3999, 4000, 4999,
        ] {
            let payload = u16::to_be_bytes(code);
            assert_eq!(
                Close::decode(&payload),
                Ok(Some(Close { code, reason: "" }))
            );
        }
        for code in [
            0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535,
        ] {
            let error = ProtocolError::InvalidCloseCode(code);
            assert_eq!(Close::decode(&u16::to_be_bytes(code)), Err(error));
            assert_eq!(error.close_code(), 1002);
        }
    }

    #[test]
    fn a_reason_must_be_utf8() {
        let error = Close::decode(b"\x03\xe8\xff").unwrap_err();
        assert_eq!(error, ProtocolError::InvalidUtf8);
        assert_eq!(error.close_code(), 1007);
    }

    #[test]
    #[should_panic(expected = "may not be sent")]
    fn a_reserved_code_is_not_encoded() {
        Close {
            code: 1006,
            reason: "",
        }
        .encode(&mut Vec::new());
    }

    #[test]
    #[should_panic(expected = "does not fit")]
    fn a_reason_that_does_not_fit_is_not_encoded() {
        Close {
            code: NORMAL,
            reason: &"x".repeat(124),
        }
        .encode(&mut Vec::new());
    }

    #[test]
    fn error_messages_name_the_offending_value() {
        assert_eq!(
            ProtocolError::UnknownOpcode(0xb).to_string(),
            "unknown opcode 0xb"
        );
        assert_eq!(
            ProtocolError::InvalidCloseCode(1005).to_string(),
            "close code 1005 may not be sent"
        );
    }
}
