//! What has come of a connection and is not whole.

use crate::client::session::Taken;

/// The beginning of a frame, or of a response, whose end has not been read.
///
/// What fits into the thread's buffer is put back there before more is read behind it. What does
/// not is gathered here instead: it takes no more memory than has come, and no byte is moved twice.
#[derive(Debug, Default)]
pub struct Unfinished {
    bytes: Vec<u8>,
    /// So many there must be to go on, where that is known.
    needed_bytes: usize,
}

impl Unfinished {
    /// Puts it to the front of a buffer; returns how many bytes that are, and how many may be read
    /// behind them.
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

    /// Whether what comes is gathered until it is whole, by a buffer of so many bytes.
    #[inline]
    pub fn is_long(&self, buffer_bytes: usize) -> bool {
        self.needed_bytes > buffer_bytes
    }

    /// What has come of it.
    pub fn bytes(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Whether nothing has come of it.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Takes what was read of a long one; hands it out when it is whole.
    pub fn gather(&mut self, read: &[u8]) -> Option<Vec<u8>> {
        self.bytes.extend_from_slice(read);
        let is_whole = self.bytes.len() >= self.needed_bytes;
        is_whole.then(|| std::mem::take(&mut self.bytes))
    }

    /// Keeps what was not taken.
    #[inline]
    pub fn keep(&mut self, taken: Taken, input: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(&input[taken.bytes..]);
        self.needed_bytes = taken.needed_bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(bytes: usize, needed_bytes: usize) -> Taken {
        Taken {
            bytes,
            needed_bytes,
            has_opened: false,
        }
    }

    #[test]
    fn what_fits_is_put_back_to_the_front() {
        let mut unfinished = Unfinished::default();
        unfinished.keep(taken(2, 4), b"abcde");
        let mut buffer = [0; 8];
        assert_eq!(unfinished.restore(&mut buffer), (3, 5));
        assert_eq!(&buffer[..3], b"cde");
        assert!(!unfinished.is_long(8));
    }

    #[test]
    fn what_does_not_fit_is_gathered_up_to_its_end_and_no_further() {
        let mut unfinished = Unfinished::default();
        let mut buffer = [0; 8];
        unfinished.keep(taken(0, 10), b"abc");
        assert!(unfinished.is_long(buffer.len()));
        assert_eq!(unfinished.restore(&mut buffer), (0, 7));
        assert_eq!(unfinished.gather(b"defg"), None);
        assert_eq!(unfinished.restore(&mut buffer), (0, 3));
        assert_eq!(unfinished.gather(b"hij").unwrap(), b"abcdefghij");
        unfinished.keep(taken(10, 2), b"abcdefghij");
        assert_eq!(unfinished.restore(&mut buffer), (0, 8));
    }
}
