//! What a connection has still to send.

/// Taken bytes are moved out of the way when there are so many of them and they are the most.
const COMPACT_BYTES: usize = 64 * 1024;

/// A buffer that a thread lends is not kept when it has grown beyond this.
const LENT_BYTES_MAX: usize = 1024 * 1024;

/// Bytes in order, and how many of them the kernel has.
///
/// A connection with nothing to send has no buffer of its own: it borrows its thread's, which is
/// warm in the cache, and keeps it only while the kernel does not take everything.
#[derive(Debug, Default)]
pub struct Outbox {
    bytes: Vec<u8>,
    taken: usize,
    taken_total: u64,
}

impl Outbox {
    /// Where to append.
    pub fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// What is left to send.
    pub fn rest(&self) -> &[u8] {
        &self.bytes[self.taken..]
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
        self.taken += taken;
        self.taken_total += taken as u64;
        if self.taken == self.bytes.len() {
            self.taken = 0;
            self.bytes.clear();
        } else if self.taken >= COMPACT_BYTES && self.taken > self.bytes.len() / 2 {
            self.bytes.drain(..self.taken);
            self.taken = 0;
        }
    }

    /// Takes note of bytes that went to the kernel directly, while nothing was left to send.
    pub fn bypass(&mut self, bytes: usize) {
        debug_assert!(self.rest().is_empty(), "bytes keep their order");
        self.taken_total += bytes as u64;
    }

    /// Forgets what was appended after so many bytes in all.
    pub fn truncate(&mut self, total: u64) {
        let kept = total.saturating_sub(self.taken_total);
        let kept = usize::try_from(kept).unwrap_or(usize::MAX);
        self.bytes.truncate(self.taken.saturating_add(kept));
        self.bytes.shrink_to_fit();
    }

    /// Takes the thread's buffer, if it has none of its own.
    pub fn borrow_buffer(&mut self, spare: &mut Vec<u8>) {
        if self.bytes.capacity() == 0 {
            std::mem::swap(&mut self.bytes, spare);
        }
    }

    /// Keeps no buffer if nothing is left: the thread has it back, or it is freed.
    pub fn return_buffer(&mut self, spare: &mut Vec<u8>) {
        if self.bytes.is_empty() {
            return_buffer(&mut self.bytes, spare);
        }
    }
}

/// Gives an empty buffer back to the thread, or frees it where the thread has one, or it is large.
pub fn return_buffer(buffer: &mut Vec<u8>, spare: &mut Vec<u8>) {
    let buffer = std::mem::take(buffer);
    if spare.capacity() == 0 && buffer.capacity() <= LENT_BYTES_MAX {
        *spare = buffer;
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
    fn keeps_what_was_not_taken() {
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
    fn a_buffer_is_kept_only_while_something_is_left() {
        let mut spare = Vec::with_capacity(64);
        let mut outbox = Outbox::default();
        outbox.borrow_buffer(&mut spare);
        assert_eq!(spare.capacity(), 0);
        outbox.bytes().extend_from_slice(b"abc");
        outbox.advance(1);
        outbox.return_buffer(&mut spare);
        assert_eq!((spare.capacity(), outbox.rest()), (0, &b"bc"[..]));
        outbox.advance(2);
        outbox.return_buffer(&mut spare);
        assert_eq!((spare.capacity(), outbox.bytes().capacity()), (64, 0));
        outbox.bytes().reserve(9);
        outbox.return_buffer(&mut spare);
        assert_eq!((spare.capacity(), outbox.bytes().capacity()), (64, 0));
    }

    #[test]
    fn what_was_taken_does_not_pile_up() {
        let mut outbox = outbox(&vec![1; 3 * COMPACT_BYTES]);
        outbox.advance(2 * COMPACT_BYTES);
        assert_eq!(outbox.bytes().len(), COMPACT_BYTES);
        assert_eq!(outbox.rest().len(), COMPACT_BYTES);
        assert_eq!(outbox.taken_total(), 2 * COMPACT_BYTES as u64);
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
