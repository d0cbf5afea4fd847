//! The frame of a message, and the bytes of its echo: RFC 6455, section 5.2.

/// Size of a read buffer: longer than any echo, and small enough to stay in the cache.
pub const BUFFER_BYTES: usize = 16 * 1024;
/// Length of the header of a masked frame with at most 125 bytes of payload.
pub const HEADER_BYTES: usize = 2 + KEY_BYTES;
/// The masking key, which only the frames of a client have.
const KEY_BYTES: usize = 4;
/// First byte of a text frame that is a whole message.
const TEXT: u8 = 0x81;

/// Creates the masked frame of a text message.
pub fn text_frame(message: &[u8]) -> Vec<u8> {
    let mut frame = vec![0; HEADER_BYTES];
    frame.extend_from_slice(message);
    put_header(&mut frame, message.len(), TEXT);
    frame
}

/// Writes the header of a masked frame before its payload of at most 125 bytes. The masking key is
/// zeros, which change nothing.
pub fn put_header(frame: &mut [u8], payload_bytes: usize, first_byte: u8) {
    let length = u8::try_from(payload_bytes).expect("a payload is short");
    assert!(length < 126, "a payload is short");
    frame[..HEADER_BYTES].copy_from_slice(&[first_byte, 0x80 | length, 0, 0, 0, 0]);
}

/// The bytes that are missing from the echo of each connection.
pub struct MissingBytes {
    echo_bytes: usize,
    missing: Vec<usize>,
}

impl MissingBytes {
    /// Awaits the echo of a frame on each connection.
    pub fn new(connections: usize, frame: &[u8]) -> Self {
        let echo_bytes = frame.len() - KEY_BYTES;
        Self {
            echo_bytes,
            missing: vec![echo_bytes; connections],
        }
    }

    /// Counts received bytes; returns whether the echo is complete, and then awaits the next.
    pub fn is_complete(&mut self, index: usize, received: usize) -> bool {
        let missing = &mut self.missing[index];
        *missing = missing.saturating_sub(received);
        let is_complete = *missing == 0;
        if is_complete {
            *missing = self.echo_bytes;
        }
        is_complete
    }
}
