//! What a connection has still to send.

use autostrada_proto::close::Close;
use autostrada_proto::frame::{Opcode, encode_frame};

/// Bytes in order, and how many of them the kernel has.
///
/// A connection with nothing to send has no buffer of its own: it borrows its thread's, which is
/// warm in the cache, and keeps it only while the kernel does not take everything.
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

    /// Takes note of what the kernel has taken.
    pub fn advance(&mut self, sent: usize) {
        self.sent += sent;
        if self.sent == self.bytes.len() {
            self.sent = 0;
            self.bytes.clear();
        }
    }

    /// Takes the thread's buffer, if it has none of its own.
    pub fn borrow_buffer(&mut self, spare: &mut Vec<u8>) {
        if self.bytes.capacity() == 0 {
            std::mem::swap(&mut self.bytes, spare);
        }
    }

    /// Gives the thread its buffer back, if it holds nothing.
    pub fn return_buffer(&mut self, spare: &mut Vec<u8>) {
        if self.bytes.is_empty() && spare.capacity() == 0 {
            std::mem::swap(&mut self.bytes, spare);
        }
    }
}

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
    fn a_buffer_is_kept_only_while_something_is_left() {
        let mut spare = Vec::with_capacity(64);
        let mut outbox = Outbox::default();
        outbox.borrow_buffer(&mut spare);
        assert_eq!(spare.capacity(), 0);
        outbox.send_prepared(b"abc");
        outbox.advance(1);
        outbox.return_buffer(&mut spare);
        assert_eq!((spare.capacity(), outbox.rest()), (0, &b"bc"[..]));
        outbox.advance(2);
        outbox.return_buffer(&mut spare);
        assert_eq!(spare.capacity(), 64);
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
