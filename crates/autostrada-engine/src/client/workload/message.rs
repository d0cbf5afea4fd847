//! A received message.

use autostrada_proto::frame::Opcode;

/// A complete received message.
#[derive(Debug, Clone, Copy)]
pub struct Message<'a> {
    /// Text or binary.
    pub opcode: Opcode,
    /// Content of the message; a text is valid UTF-8.
    pub payload: &'a [u8],
}

/// Maximum number of payload bytes shown in a description.
const EXAMPLE_BYTES: usize = 60;

impl Message<'_> {
    /// Describes the message in the example of a failure: type, length and first bytes.
    pub fn describe(&self) -> String {
        let excerpt = &self.payload[..self.payload.len().min(EXAMPLE_BYTES)];
        let kind = if self.opcode == Opcode::Text {
            "text"
        } else {
            "binary"
        };
        format!(
            "{kind} of {} bytes, \"{}\"",
            self.payload.len(),
            excerpt.escape_ascii()
        )
    }
}
