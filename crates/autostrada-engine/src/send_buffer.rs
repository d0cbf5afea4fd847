//! The send buffer of a connection, and the empty buffers that a thread keeps.

/// From this many sent bytes on, they are removed from the buffer even if unsent bytes follow.
const SENT_BYTES_MAX: usize = 64 * 1024;

/// Maximum capacity of all buffers together that a thread keeps for its connections.
const SPARE_BYTES_MAX: usize = 1024 * 1024;

/// Bytes to send, and the number of bytes that the kernel has accepted since the connection began.
///
/// A connection with nothing to send has no buffer. It borrows one of its thread, which is warm in
/// the cache, and keeps it only while the kernel has not accepted all bytes.
#[derive(Debug, Default)]
pub struct SendBuffer {
    bytes: Vec<u8>,
    sent: usize,
    sent_total: u64,
}

impl SendBuffer {
    /// Returns the buffer, to append bytes to send.
    #[inline]
    pub fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Returns the unsent bytes.
    #[inline]
    pub fn rest(&self) -> &[u8] {
        &self.bytes[self.sent..]
    }

    /// Marks bytes as sent that the kernel has accepted.
    #[inline]
    pub fn advance(&mut self, sent: usize) {
        self.sent += sent;
        self.sent_total += sent as u64;
        if self.sent == self.bytes.len() {
            self.sent = 0;
            self.bytes.clear();
        } else if self.sent >= SENT_BYTES_MAX && self.sent >= self.bytes.len() / 2 {
            self.bytes.drain(..self.sent);
            self.sent = 0;
        }
    }

    /// Marks bytes as sent that were handed to the kernel directly, while nothing was left to send.
    pub fn bypass(&mut self, bytes: usize) {
        debug_assert!(self.rest().is_empty(), "bytes keep their order");
        self.sent_total += bytes as u64;
    }

    /// Returns the number of bytes that the kernel has accepted since the connection began.
    pub fn sent_total(&self) -> u64 {
        self.sent_total
    }

    /// Returns the number of bytes appended since the connection began, dropped ones not included.
    pub fn appended_total(&self) -> u64 {
        self.sent_total + self.rest().len() as u64
    }

    /// Drops the unsent bytes that were appended after the first `total` bytes.
    pub fn truncate(&mut self, total: u64) {
        let kept = usize::try_from(total.saturating_sub(self.sent_total)).unwrap_or(usize::MAX);
        self.bytes.truncate(self.sent.saturating_add(kept));
        self.bytes.shrink_to_fit();
    }

    /// Borrows a buffer of the thread if the connection has none.
    #[inline]
    pub fn borrow_from(&mut self, spares: &mut SpareBuffers) {
        if self.bytes.capacity() == 0 {
            self.bytes = spares.take();
        }
    }

    /// Returns an empty buffer to the thread, or frees it.
    #[inline]
    pub fn return_to(&mut self, spares: &mut SpareBuffers) {
        if self.bytes.is_empty() {
            spares.put(std::mem::take(&mut self.bytes));
        }
    }
}

/// The empty buffers that a thread keeps for its connections; the last one returned is the first
/// one taken.
#[derive(Debug, Default)]
pub struct SpareBuffers {
    buffers: Vec<Vec<u8>>,
    bytes: usize,
}

impl SpareBuffers {
    /// Returns an empty buffer, without capacity if none is kept.
    #[inline]
    pub fn take(&mut self) -> Vec<u8> {
        let buffer = self.buffers.pop().unwrap_or_default();
        self.bytes -= buffer.capacity();
        buffer
    }

    /// Keeps an empty buffer, or frees it if enough are kept.
    #[inline]
    pub fn put(&mut self, buffer: Vec<u8>) {
        let bytes = self.bytes + buffer.capacity();
        if buffer.capacity() > 0 && bytes <= SPARE_BYTES_MAX {
            self.bytes = bytes;
            self.buffers.push(buffer);
        }
    }
}

#[cfg(test)]
#[path = "tests/send_buffer.rs"]
mod tests;
