//! The frame of a message, and the bytes of its echo: RFC 6455, section 5.2.

/// Maximum length of a message, which a socket always takes with one call.
pub const MESSAGE_BYTES_MAX: usize = 4096;
/// Size of a read buffer: longer than any echo, and small enough to stay in the cache.
pub const BUFFER_BYTES: usize = 16 * 1024;
/// Maximum length of the header of a masked frame with at most 65,535 bytes of payload.
pub const HEADER_BYTES_MAX: usize = 8;
/// The masking key, which only the frames of a client have.
const KEY_BYTES: usize = 4;
/// First byte of a text frame that is a whole message.
const TEXT: u8 = 0x81;

/// Creates the masked frame of a text message.
pub fn text_frame(message: &[u8]) -> Vec<u8> {
    let mut buffer = vec![0; HEADER_BYTES_MAX];
    buffer.extend_from_slice(message);
    let start = put_header(&mut buffer, message.len(), TEXT);
    buffer.split_off(start)
}

/// Writes the header of a masked frame before its payload, which begins at `HEADER_BYTES_MAX`;
/// returns the begin of the frame.
///
/// The masking key is zeros, which change nothing. A length above 125 stands in two bytes of its own
/// after a mark.
pub fn put_header(buffer: &mut [u8], payload_bytes: usize, first_byte: u8) -> usize {
    if payload_bytes < 126 {
        let length = u8::try_from(payload_bytes).expect("below 126");
        buffer[2..8].copy_from_slice(&[first_byte, 0x80 | length, 0, 0, 0, 0]);
        2
    } else {
        let length = u16::try_from(payload_bytes).expect("a payload is short");
        let [high, low] = length.to_be_bytes();
        buffer[..8].copy_from_slice(&[first_byte, 0xfe, high, low, 0, 0, 0, 0]);
        0
    }
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
