//! Bytes that a connection has still to send.

/// From so many sent bytes on they are dropped even if others wait.
const SENT_BYTES_MAX: usize = 64 * 1024;

/// The largest buffer that a thread keeps for its connections.
const LENT_BYTES_MAX: usize = 1024 * 1024;

/// Bytes in order, and how many of them the kernel has.
///
/// A connection with nothing to send has no buffer of its own: it borrows its thread's, which is
/// warm in the cache, and keeps it only while the kernel does not take everything.
#[derive(Debug, Default)]
pub struct SendBuffer {
    bytes: Vec<u8>,
    sent: usize,
}

impl SendBuffer {
    /// Where to append.
    #[inline]
    pub fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// What is left to send.
    #[inline]
    pub fn rest(&self) -> &[u8] {
        &self.bytes[self.sent..]
    }

    /// Takes note of what the kernel has taken.
    #[inline]
    pub fn advance(&mut self, sent: usize) {
        self.sent += sent;
        if self.sent == self.bytes.len() {
            self.sent = 0;
            self.bytes.clear();
        } else if self.sent >= SENT_BYTES_MAX && self.sent >= self.bytes.len() / 2 {
            self.bytes.drain(..self.sent);
            self.sent = 0;
        }
    }

    /// Drops all but the first bytes that are left to send.
    pub fn truncate(&mut self, rest_bytes: usize) {
        self.bytes.truncate(self.sent.saturating_add(rest_bytes));
        self.bytes.shrink_to_fit();
    }

    /// Takes the thread's buffer, if it has none of its own.
    #[inline]
    pub fn borrow_from(&mut self, spare: &mut Vec<u8>) {
        if self.bytes.capacity() == 0 {
            std::mem::swap(&mut self.bytes, spare);
        }
    }

    /// Keeps no buffer if nothing is left: the thread gets it back, or it is freed.
    #[inline]
    pub fn return_to(&mut self, spare: &mut Vec<u8>) {
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

    fn buffer(bytes: &[u8]) -> SendBuffer {
        let mut buffer = SendBuffer::default();
        buffer.bytes().extend_from_slice(bytes);
        buffer
    }

    #[test]
    fn keeps_what_was_not_sent() {
        let mut buffer = buffer(b"abcdef");
        buffer.advance(2);
        buffer.bytes().extend_from_slice(b"gh");
        assert_eq!(buffer.rest(), b"cdefgh");
        buffer.truncate(3);
        assert_eq!(buffer.rest(), b"cde");
        buffer.advance(3);
        assert!(buffer.rest().is_empty());
    }

    #[test]
    fn sent_bytes_are_dropped_although_others_always_wait() {
        let mut buffer = SendBuffer::default();
        for _ in 0..100 {
            buffer.bytes().extend_from_slice(&vec![7; 50_000]);
            buffer.advance(49_000);
        }
        assert_eq!(buffer.rest().len(), 100_000);
        assert!(buffer.bytes.len() < 300_000, "{}", buffer.bytes.len());
    }

    #[test]
    fn a_buffer_is_kept_only_while_something_is_left() {
        let mut spare = Vec::with_capacity(64);
        let mut buffer = SendBuffer::default();
        buffer.borrow_from(&mut spare);
        assert_eq!(spare.capacity(), 0);
        buffer.bytes().extend_from_slice(b"abc");
        buffer.advance(1);
        buffer.return_to(&mut spare);
        assert_eq!((spare.capacity(), buffer.rest()), (0, &b"bc"[..]));
        buffer.advance(2);
        buffer.return_to(&mut spare);
        assert_eq!((spare.capacity(), buffer.bytes().capacity()), (64, 0));
        buffer.bytes().reserve(9);
        buffer.return_to(&mut spare);
        assert_eq!((spare.capacity(), buffer.bytes().capacity()), (64, 0));
    }
}
