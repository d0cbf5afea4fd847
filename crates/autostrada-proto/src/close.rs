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
#[path = "tests/close.rs"]
mod tests;
