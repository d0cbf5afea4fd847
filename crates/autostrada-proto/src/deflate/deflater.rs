//! Compression of the messages that an endpoint sends: RFC 7692, section 7.2.1.

use flate2::{Compress, Compression, FlushCompress};

use super::{CompressedTraffic, DeflateParameters, TAIL, WindowBits};
use crate::role::Role;

/// Minimum spare capacity of the output, so that a flush always fits.
const SPARE_BYTES: usize = 64;

/// A compressed empty message, an empty block without its length: section 7.2.3.6.
const EMPTY_MESSAGE: [u8; 1] = [0x00];

/// Compresses messages, with context takeover if it was negotiated.
///
/// Without context takeover messages are independent, and one deflater can be
/// used for any number of connections.
#[derive(Debug)]
pub struct Deflater {
    level: Compression,
    window_bits: WindowBits,
    takes_over_context: bool,
    /// Allocated with the first message.
    compress: Option<Compress>,
    /// The last message, compressed.
    output: Vec<u8>,
    traffic: CompressedTraffic,
}

impl Deflater {
    /// Creates a deflater for the messages that an endpoint of the given role sends.
    ///
    /// `level` is zlib's: 1 is the fastest, 9 compresses best, 6 is zlib's default.
    /// Panics if the level is above 9 or the window is 8 bits, which is never negotiated.
    pub fn new(parameters: DeflateParameters, role: Role, level: u32) -> Self {
        assert!(level <= 9, "the levels of deflate end at 9");
        let window_bits = parameters.window_bits(role);
        assert!(
            window_bits >= WindowBits::MIN_COMPRESSED,
            "compression cannot keep to a window of 8 bits"
        );
        Self {
            level: Compression::new(level),
            window_bits,
            takes_over_context: parameters.takes_over_context(role),
            compress: None,
            output: Vec::new(),
            traffic: CompressedTraffic::default(),
        }
    }

    /// Counts of the messages compressed so far.
    pub fn traffic(&self) -> CompressedTraffic {
        self.traffic
    }

    /// Compresses a message. Returns the payload of its frames.
    pub(crate) fn compress(&mut self, message: &[u8]) -> &[u8] {
        self.output.clear();
        if message.is_empty() {
            self.output.extend_from_slice(&EMPTY_MESSAGE);
        } else {
            self.compress_bytes(message);
        }
        self.traffic.messages += 1;
        self.traffic.raw_bytes += message.len() as u64;
        self.traffic.compressed_bytes += self.output.len() as u64;
        &self.output
    }

    fn compress_bytes(&mut self, mut input: &[u8]) {
        let stream = self.compress.get_or_insert_with(|| {
            Compress::new_with_window_bits(self.level, false, self.window_bits.bits())
        });
        // Enough for incompressible bytes, so that one iteration usually suffices.
        self.output
            .reserve(input.len() / 8 + input.len() + SPARE_BYTES);
        loop {
            let consumed_before = stream.total_in();
            stream
                .compress_vec(input, &mut self.output, FlushCompress::Sync)
                .expect("a raw deflate stream takes any bytes at any time");
            let consumed = stream.total_in() - consumed_before;
            input = &input[usize::try_from(consumed).expect("a part of a slice fits")..];
            // A full output means that the flush may be incomplete and must be continued.
            if input.is_empty() && self.output.len() < self.output.capacity() {
                break;
            }
            self.output.reserve(SPARE_BYTES);
        }
        assert!(self.output.ends_with(&TAIL), "a flush ends with its mark");
        self.output.truncate(self.output.len() - TAIL.len());
        if !self.takes_over_context {
            stream.reset();
        }
    }
}
