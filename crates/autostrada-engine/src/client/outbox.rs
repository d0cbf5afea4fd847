//! What a connection has still to send.

use autostrada_proto::close::Close;
use autostrada_proto::frame::{Opcode, encode_frame};

/// Bytes in order, and how many of them the kernel has.
#[derive(Debug, Default)]
pub struct Outbox {
    bytes: Vec<u8>,
    sent: usize,
    is_closing: bool,
}

impl Outbox {
    /// Appends a message or control frame. After a closing frame nothing more is sent.
    pub fn send(&mut self, opcode: Opcode, masking_key: [u8; 4], payload: &[u8]) {
        if !self.is_closing {
            encode_frame(opcode, Some(masking_key), payload, &mut self.bytes);
        }
    }

    /// Appends bytes that are whole frames, or the request for an upgrade.
    pub fn send_prepared(&mut self, frames: &[u8]) {
        if !self.is_closing {
            self.bytes.extend_from_slice(frames);
        }
    }

    /// Appends a closing frame.
    pub fn close(&mut self, code: u16, masking_key: [u8; 4]) {
        let mut payload = Vec::new();
        Close { code, reason: "" }.encode(&mut payload);
        self.send(Opcode::Close, masking_key, &payload);
        self.is_closing = true;
    }

    /// Whether a closing frame is among what was sent or is to be sent.
    pub fn is_closing(&self) -> bool {
        self.is_closing
    }

    /// What is left to send.
    pub fn rest(&self) -> &[u8] {
        &self.bytes[self.sent..]
    }

    /// Takes note of what the kernel has taken. An empty outbox keeps little memory.
    pub fn advance(&mut self, sent: usize) {
        self.sent += sent;
        if self.sent == self.bytes.len() {
            self.sent = 0;
            self.bytes.clear();
            self.bytes.shrink_to(KEPT_BYTES);
        }
    }
}

/// What an empty outbox keeps, for the next message.
const KEPT_BYTES: usize = 4 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_was_not_sent() {
        let mut outbox = Outbox::default();
        outbox.send_prepared(b"abcdef");
        outbox.advance(2);
        outbox.send_prepared(b"gh");
        assert_eq!(outbox.rest(), b"cdefgh");
        outbox.advance(6);
        assert!(outbox.rest().is_empty());
    }

    #[test]
    fn nothing_follows_a_closing_frame() {
        let mut outbox = Outbox::default();
        outbox.close(1000, [0; 4]);
        outbox.send(Opcode::Text, [0; 4], b"late");
        assert_eq!(outbox.rest(), [0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8]);
        assert!(outbox.is_closing());
    }
}
