//! A message that has come.

use autostrada_proto::frame::Opcode;

/// A whole message that has come.
#[derive(Debug, Clone, Copy)]
pub struct Message<'a> {
    /// Text or binary.
    pub opcode: Opcode,
    /// Its content; a text is valid UTF-8.
    pub payload: &'a [u8],
}

/// How much of a message is shown as an example.
const EXAMPLE_BYTES: usize = 60;

impl Message<'_> {
    /// Shows what came, for an example of what should not have come.
    #[must_use]
    pub fn describe(&self) -> String {
        let shown = &self.payload[..self.payload.len().min(EXAMPLE_BYTES)];
        let kind = if self.opcode == Opcode::Text {
            "text"
        } else {
            "binary"
        };
        format!(
            "{kind} of {} bytes, \"{}\"",
            self.payload.len(),
            shown.escape_ascii()
        )
    }
}
