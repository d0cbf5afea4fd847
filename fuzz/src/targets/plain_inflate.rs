//! Compressed messages, decompressed by another inflater: RFC 7692, section 7.2.2.

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::{
    TINFL_FLAG_HAS_MORE_INPUT, TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
};
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

/// What is left out at the end of every message.
const TAIL: [u8; 4] = [0x00, 0x00, 0xff, 0xff];

/// Decompresses the messages of a connection, with context takeover.
pub struct PlainInflater {
    stream: DecompressorOxide,
    /// What was decompressed since the stream began, and room for more.
    window: Vec<u8>,
    window_bytes: usize,
}

impl PlainInflater {
    /// Makes one for so many bytes in all.
    #[must_use]
    pub fn new(bytes_max: usize) -> Self {
        Self {
            stream: DecompressorOxide::new(),
            window: vec![0; bytes_max],
            window_bytes: 0,
        }
    }

    /// Decompresses a message; `None` if it is none.
    pub fn inflate(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut message = Vec::new();
        let mut rest = bytes;
        let mut has_ended = false;
        while !rest.is_empty() {
            (rest, has_ended) = self.step(rest, &mut message)?;
        }
        if !has_ended {
            let message_bytes = message.len();
            (rest, _) = self.step(&TAIL, &mut message)?;
            if !rest.is_empty() || message.len() != message_bytes {
                return None;
            }
        }
        Some(message)
    }

    /// Decompresses up to the end of the bytes or of a stream, after which another one begins.
    fn step<'b>(&mut self, bytes: &'b [u8], message: &mut Vec<u8>) -> Option<(&'b [u8], bool)> {
        let flags = TINFL_FLAG_HAS_MORE_INPUT | TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
        let (status, taken, made) = decompress(
            &mut self.stream,
            bytes,
            &mut self.window,
            self.window_bytes,
            flags,
        );
        let start = self.window_bytes;
        self.window_bytes += made;
        message.extend_from_slice(&self.window[start..self.window_bytes]);
        match status {
            TINFLStatus::Done => {
                self.stream.init();
                self.window_bytes = 0;
                Some((&bytes[taken..], true))
            }
            TINFLStatus::NeedsMoreInput => Some((&bytes[taken..], false)),
            _ => None,
        }
    }
}
