//! The bytes that a connection has still to send.

use crate::send_buffer::{SendBuffer, SpareBuffers};

/// Bytes to send, and the total number of bytes since the connection began.
#[derive(Debug, Default)]
pub struct OutgoingBytes {
    buffer: SendBuffer,
    taken_total: u64,
}

impl OutgoingBytes {
    /// Returns the buffer to append to.
    pub fn bytes(&mut self) -> &mut Vec<u8> {
        self.buffer.bytes()
    }

    /// Returns the bytes that are left to send.
    pub fn rest(&self) -> &[u8] {
        self.buffer.rest()
    }

    /// Returns the number of bytes that the kernel has taken since the connection began.
    pub fn taken_total(&self) -> u64 {
        self.taken_total
    }

    /// Returns the number of bytes appended since the connection began, dropped ones not included.
    pub fn appended_total(&self) -> u64 {
        self.taken_total + self.rest().len() as u64
    }

    /// Records that the kernel has taken the first `taken` bytes.
    pub fn advance(&mut self, taken: usize) {
        self.buffer.advance(taken);
        self.taken_total += taken as u64;
    }

    /// Records bytes that were written to the kernel directly, while nothing was left to send.
    pub fn bypass(&mut self, bytes: usize) {
        debug_assert!(self.rest().is_empty(), "bytes keep their order");
        self.taken_total += bytes as u64;
    }

    /// Drops the unsent bytes that were appended after the first `total` bytes.
    pub fn truncate(&mut self, total: u64) {
        let kept = total.saturating_sub(self.taken_total);
        self.buffer
            .truncate(usize::try_from(kept).unwrap_or(usize::MAX));
    }

    /// Takes a spare buffer of the thread, if the outbox has no buffer.
    pub fn borrow_buffer(&mut self, spares: &mut SpareBuffers) {
        self.buffer.borrow_from(spares);
    }

    /// Returns the buffer to the thread, or frees it, if nothing is left to send.
    pub fn return_buffer(&mut self, spares: &mut SpareBuffers) {
        self.buffer.return_to(spares);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outbox(bytes: &[u8]) -> OutgoingBytes {
        let mut outbox = OutgoingBytes::default();
        outbox.bytes().extend_from_slice(bytes);
        outbox
    }

    #[test]
    fn counts_what_was_taken_and_appended() {
        let mut outbox = outbox(b"abcdef");
        outbox.advance(2);
        outbox.bytes().extend_from_slice(b"gh");
        assert_eq!(outbox.rest(), b"cdefgh");
        assert_eq!((outbox.taken_total(), outbox.appended_total()), (2, 8));
        outbox.advance(6);
        assert!(outbox.rest().is_empty());
        outbox.bypass(3);
        assert_eq!((outbox.taken_total(), outbox.appended_total()), (11, 11));
    }

    #[test]
    fn bytes_after_a_position_can_be_dropped() {
        let mut outbox = outbox(b"abcdef");
        outbox.advance(2);
        outbox.truncate(5);
        assert_eq!(outbox.rest(), b"cde");
        outbox.truncate(1);
        assert_eq!(outbox.rest(), b"");
        assert_eq!(outbox.appended_total(), 2);
    }
}
