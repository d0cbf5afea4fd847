//! Encoding of messages in WebSocket frames.

use std::cell::RefCell;
use std::rc::Rc;

use autostrada_measure::Nanos;
use autostrada_net::clock;
use autostrada_proto::deflate::CompressedTraffic;
use autostrada_proto::frame::{Opcode, encode_frame};
use autostrada_proto::message::MessageEncoder;

/// The masking key of all frames of messages. Masking protects proxies from attackers (RFC 6455,
/// section 10.3), so a load generator does not need unpredictable keys.
const MASKING_KEY: [u8; 4] = [0x5a, 0x17, 0xc3, 0x2e];

/// Compresses or fragments messages, and measures the time that compression takes.
#[derive(Debug)]
pub struct Compressor {
    encoder: MessageEncoder,
    busy_ns: Nanos,
}

impl Compressor {
    /// Returns the compressed traffic and the time spent on it in nanoseconds, or `None` without
    /// compression.
    pub fn traffic(&self) -> Option<(CompressedTraffic, Nanos)> {
        let deflater = self.encoder.deflater()?;
        Some((deflater.traffic(), self.busy_ns))
    }

    fn encode(&mut self, opcode: Opcode, payload: &[u8], out: &mut Vec<u8>) {
        let begun = self.encoder.deflater().map(|_| clock::now());
        self.encoder
            .encode(opcode, payload, || Some(MASKING_KEY), out);
        if let Some(begun) = begun {
            self.busy_ns += clock::now() - begun;
        }
    }
}

/// The frames in which a WebSocket connection sends messages.
#[derive(Debug, Clone)]
pub enum Frames {
    /// Each message is one uncompressed frame.
    Whole,
    /// Each message is one uncompressed frame without a mask, as a server sends it.
    Unmasked,
    /// Messages are compressed or fragmented. Without context takeover, all connections of a thread
    /// share one compressor.
    Encoded(Rc<RefCell<Compressor>>),
}

impl Frames {
    /// Creates frames that this encoder produces.
    pub fn encoded_by(encoder: MessageEncoder) -> Self {
        Self::Encoded(Rc::new(RefCell::new(Compressor {
            encoder,
            busy_ns: 0,
        })))
    }

    /// Appends the frames of a message.
    pub fn encode(&self, opcode: Opcode, payload: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Whole => encode_frame(opcode, Some(MASKING_KEY), payload, out),
            Self::Unmasked => encode_frame(opcode, None, payload, out),
            Self::Encoded(compressor) => compressor.borrow_mut().encode(opcode, payload, out),
        }
    }

    /// Whether a message is always encoded to the same bytes.
    pub fn is_repeatable(&self) -> bool {
        match self {
            Self::Whole | Self::Unmasked => true,
            Self::Encoded(compressor) => compressor.borrow().encoder.deflater().is_none(),
        }
    }
}
