//! Buffers of TLS connections: those that a thread shares, and what a connection keeps.

use std::cell::RefCell;

use rustls::Error;
use rustls::unbuffered::InsufficientSizeError;

/// Room for received bytes. It is more than rustls needs: a handshake message has at most 64 KiB,
/// and another record at most 18 KiB.
pub(super) const INCOMING_BYTES: usize = 128 * 1024;

thread_local! {
    /// The buffers of the thread. A connection uses them during one call, so that it has no
    /// buffer while it is idle.
    pub(super) static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::new());
}

/// The buffers that the connections of a thread share.
#[derive(Debug)]
pub(super) struct Scratch {
    pub incoming: Box<[u8]>,
    pub outgoing: Outgoing,
}

impl Scratch {
    fn new() -> Self {
        Self {
            incoming: vec![0; INCOMING_BYTES].into(),
            outgoing: Outgoing::default(),
        }
    }
}

/// Records to send. The buffer keeps its length, so that its bytes are set to zero only once.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    bytes: Vec<u8>,
    filled: usize,
}

impl Outgoing {
    /// Appends the bytes that `write` writes, and gives it more room if it asks for that.
    pub fn append(
        &mut self,
        mut write: impl FnMut(&mut [u8]) -> Result<Result<usize, InsufficientSizeError>, Error>,
    ) -> Result<(), Error> {
        loop {
            match write(&mut self.bytes[self.filled..])? {
                Ok(bytes) => {
                    self.filled += bytes;
                    return Ok(());
                }
                Err(size) => self.bytes.resize(self.filled + size.required_size, 0),
            }
        }
    }

    /// Removes and returns all bytes.
    pub fn take(&mut self) -> &[u8] {
        &self.bytes[..std::mem::take(&mut self.filled)]
    }
}

/// Received plain text: as much as fits into the reader's buffer, and the rest.
#[derive(Debug)]
pub(super) struct Plaintext<'a> {
    buffer: &'a mut [u8],
    rest: &'a mut Backlog,
    /// Number of bytes in the reader's buffer.
    pub filled: usize,
    /// Whether the peer has said that nothing follows.
    pub has_ended: bool,
}

impl<'a> Plaintext<'a> {
    pub fn new(buffer: &'a mut [u8], rest: &'a mut Backlog) -> Self {
        Self {
            buffer,
            rest,
            filled: 0,
            has_ended: false,
        }
    }

    /// Appends the plain text of a record.
    pub fn append(&mut self, bytes: &[u8]) {
        let fitting = bytes.len().min(self.buffer.len() - self.filled);
        let (now, later) = bytes.split_at(fitting);
        self.buffer[self.filled..][..fitting].copy_from_slice(now);
        self.filled += fitting;
        self.rest.append(later);
    }
}

/// Bytes that a connection keeps; it has no memory while it is empty.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    bytes: Vec<u8>,
    taken: usize,
}

impl Backlog {
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    #[cfg(test)]
    pub fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    pub fn rest(&self) -> &[u8] {
        &self.bytes[self.taken..]
    }

    pub fn append(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Removes bytes from the front.
    pub fn advance(&mut self, bytes: usize) {
        self.taken += bytes;
        if self.taken == self.bytes.len() {
            *self = Self::default();
        }
    }

    /// Moves bytes from the front into the buffer, and returns how many.
    pub fn move_into(&mut self, buffer: &mut [u8]) -> usize {
        let bytes = self.rest().len().min(buffer.len());
        buffer[..bytes].copy_from_slice(&self.rest()[..bytes]);
        self.advance(bytes);
        bytes
    }
}
