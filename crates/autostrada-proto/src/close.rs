//! Close codes, close payloads and protocol errors: RFC 6455, section 7.4.

use thiserror::Error;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProtocolError {
    #[error("reserved bit set without an extension that defines it")]
    ReservedBits,
    #[error("unknown opcode {0:#x}")]
    UnknownOpcode(u8),
    #[error("fragmented control frame")]
    FragmentedControlFrame,
    #[error("control frame longer than 125 bytes")]
    ControlFrameTooLong,
    #[error("payload length not in its shortest encoding")]
    LengthNotMinimal,
    #[error("payload length of 2^63 or more")]
    LengthOutOfRange,
    #[error("unmasked frame from a client")]
    UnmaskedFrame,
    #[error("masked frame from a server")]
    MaskedFrame,
    #[error("continuation frame without a message to continue")]
    NothingToContinue,
    #[error("message begun inside a fragmented message")]
    UnfinishedMessage,
    #[error("message longer than the limit of this endpoint")]
    MessageTooLong,
    /// A text message or the reason of a close frame.
    #[error("text that is not valid utf-8")]
    InvalidUtf8,
    #[error("compressed message that is not valid deflate")]
    InvalidDeflate,
    #[error("close frame with half a close code")]
    TruncatedCloseCode,
    #[error("close code {0} may not be sent")]
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

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(Close::decode(b""), Ok(None));
    }

    #[test]
    fn half_a_code_and_a_reason_that_is_not_utf8_are_errors() {
        for (payload, error, close_code) in [
            (b"\x03".as_slice(), ProtocolError::TruncatedCloseCode, 1002),
            (b"\x03\xe8\xff", ProtocolError::InvalidUtf8, 1007),
        ] {
            assert_eq!(Close::decode(payload), Err(error));
            assert_eq!(error.close_code(), close_code);
        }
    }

    #[test]
    fn only_assigned_and_private_codes_may_be_sent() {
        for code in [
            1000, 1001, 1002, 1003, 1007, 1011, 1014, 3000, 3999, 4000, 4999,
        ] {
            let close = Close { code, reason: "" };
            assert_eq!(Close::decode(&code.to_be_bytes()), Ok(Some(close)));
        }
        for code in [
            0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535,
        ] {
            let error = Close::decode(&u16::to_be_bytes(code)).unwrap_err();
            assert_eq!(error, ProtocolError::InvalidCloseCode(code));
            assert_eq!(error.close_code(), 1002);
            let text = format!("close code {code} may not be sent");
            assert_eq!(error.to_string(), text);
        }
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
}
