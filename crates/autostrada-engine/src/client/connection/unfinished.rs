//! The received part of an incomplete frame or response.

use crate::client::session::Consumed;

/// The beginning of a frame, or of a response, whose end has not been read.
///
/// If the whole frame fits into the thread's buffer, its beginning is copied back there and more is
/// read behind it. A longer frame is collected here instead, so that it needs no more memory than
/// was received and no byte is copied twice.
#[derive(Debug, Default)]
pub struct Unfinished {
    bytes: Vec<u8>,
    /// Number of bytes needed to continue decoding; 0 if unknown.
    needed_bytes: usize,
}

impl Unfinished {
    /// Copies the bytes to the front of a buffer, unless the frame is longer than the buffer.
    ///
    /// Returns the number of bytes copied, and the number of bytes that may be read behind them.
    #[inline]
    pub fn restore(&self, buffer: &mut [u8]) -> (usize, usize) {
        if self.needed_bytes > buffer.len() {
            let missing_bytes = self.needed_bytes - self.bytes.len();
            return (0, missing_bytes.min(buffer.len()));
        }
        let kept = self.bytes.len();
        buffer[..kept].copy_from_slice(&self.bytes);
        (kept, buffer.len() - kept)
    }

    /// Whether the frame is longer than a buffer of this size, and must be collected here.
    #[inline]
    pub fn is_long(&self, buffer_bytes: usize) -> bool {
        self.needed_bytes > buffer_bytes
    }

    /// Returns the bytes received so far.
    pub fn bytes(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Whether no byte has been received.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Appends bytes of a long frame; returns the frame once it is complete.
    pub fn gather(&mut self, read: &[u8]) -> Option<Vec<u8>> {
        self.bytes.extend_from_slice(read);
        let is_whole = self.bytes.len() >= self.needed_bytes;
        is_whole.then(|| std::mem::take(&mut self.bytes))
    }

    /// Keeps the rest of `input` that was not consumed.
    #[inline]
    pub fn keep(&mut self, consumed: Consumed, input: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(&input[consumed.bytes..]);
        self.needed_bytes = consumed.needed_bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn consumed(bytes: usize, needed_bytes: usize) -> Consumed {
        Consumed {
            bytes,
            needed_bytes,
            has_opened: false,
        }
    }

    #[test]
    fn what_fits_is_put_back_to_the_front() {
        let mut unfinished = Unfinished::default();
        unfinished.keep(consumed(2, 4), b"abcde");
        let mut buffer = [0; 8];
        assert_eq!(unfinished.restore(&mut buffer), (3, 5));
        assert_eq!(&buffer[..3], b"cde");
        assert!(!unfinished.is_long(8));
    }

    #[test]
    fn what_does_not_fit_is_gathered_up_to_its_end_and_no_further() {
        let mut unfinished = Unfinished::default();
        let mut buffer = [0; 8];
        unfinished.keep(consumed(0, 10), b"abc");
        assert!(unfinished.is_long(buffer.len()));
        assert_eq!(unfinished.restore(&mut buffer), (0, 7));
        assert_eq!(unfinished.gather(b"defg"), None);
        assert_eq!(unfinished.restore(&mut buffer), (0, 3));
        assert_eq!(unfinished.gather(b"hij").unwrap(), b"abcdefghij");
        unfinished.keep(consumed(10, 2), b"abcdefghij");
        assert_eq!(unfinished.restore(&mut buffer), (0, 8));
    }
}
