//! What a connection has still to send.

use crate::send_buffer::SendBuffer;

/// Bytes to send, and how many there ever were.
#[derive(Debug, Default)]
pub struct Outbox {
    buffer: SendBuffer,
    taken_total: u64,
}

impl Outbox {
    /// Where to append.
    pub fn bytes(&mut self) -> &mut Vec<u8> {
        self.buffer.bytes()
    }

    /// What is left to send.
    pub fn rest(&self) -> &[u8] {
        self.buffer.rest()
    }

    /// How many bytes the kernel has taken, of all that were ever appended.
    pub fn taken_total(&self) -> u64 {
        self.taken_total
    }

    /// How many bytes were ever appended.
    pub fn appended_total(&self) -> u64 {
        self.taken_total + self.rest().len() as u64
    }

    /// Takes note of what the kernel has taken.
    pub fn advance(&mut self, taken: usize) {
        self.buffer.advance(taken);
        self.taken_total += taken as u64;
    }

    /// Takes note of bytes that went to the kernel directly, while nothing was left to send.
    pub fn bypass(&mut self, bytes: usize) {
        debug_assert!(self.rest().is_empty(), "bytes keep their order");
        self.taken_total += bytes as u64;
    }

    /// Forgets what was appended after so many bytes in all.
    pub fn truncate(&mut self, total: u64) {
        let kept = total.saturating_sub(self.taken_total);
        self.buffer
            .truncate(usize::try_from(kept).unwrap_or(usize::MAX));
    }

    /// Takes the thread's buffer, if it has none of its own.
    pub fn borrow_buffer(&mut self, spare: &mut Vec<u8>) {
        self.buffer.borrow_from(spare);
    }

    /// Keeps no buffer if nothing is left: the thread gets it back, or it is freed.
    pub fn return_buffer(&mut self, spare: &mut Vec<u8>) {
        self.buffer.return_to(spare);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outbox(bytes: &[u8]) -> Outbox {
        let mut outbox = Outbox::default();
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
    fn what_comes_after_a_point_can_be_forgotten() {
        let mut outbox = outbox(b"abcdef");
        outbox.advance(2);
        outbox.truncate(5);
        assert_eq!(outbox.rest(), b"cde");
        outbox.truncate(1);
        assert_eq!(outbox.rest(), b"");
        assert_eq!(outbox.appended_total(), 2);
    }
}
