//! From messages to frames of WebSocket.

use std::cell::RefCell;
use std::rc::Rc;

use autostrada_measure::Nanos;
use autostrada_net::clock;
use autostrada_proto::deflate::CompressedTraffic;
use autostrada_proto::frame::{Opcode, encode_frame};
use autostrada_proto::message::MessageEncoder;

/// Frames are masked with one key for the whole trial: masking guards proxies from
/// attackers (RFC 6455, section 10.3), and a load generator is none.
const MASKING_KEY: [u8; 4] = [0x5a, 0x17, 0xc3, 0x2e];

/// Compresses or fragments messages, and takes the time.
#[derive(Debug)]
pub struct Compressor {
    encoder: MessageEncoder,
    busy_ns: Nanos,
}

impl Compressor {
    /// What it has compressed, and how long that took.
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

/// How the messages of a WebSocket connection are written.
#[derive(Debug, Clone)]
pub enum Frames {
    /// Each as one frame.
    Whole,
    /// Compressed, or in fragments. Without context takeover all connections of a thread share it.
    Encoded(Rc<RefCell<Compressor>>),
}

impl Frames {
    /// Writes messages by an encoder.
    pub fn by(encoder: MessageEncoder) -> Self {
        Self::Encoded(Rc::new(RefCell::new(Compressor {
            encoder,
            busy_ns: 0,
        })))
    }

    /// Appends a message.
    pub fn encode(&self, opcode: Opcode, payload: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Whole => encode_frame(opcode, Some(MASKING_KEY), payload, out),
            Self::Encoded(compressor) => compressor.borrow_mut().encode(opcode, payload, out),
        }
    }

    /// Whether a message is always the same bytes.
    pub fn repeats(&self) -> bool {
        match self {
            Self::Whole => true,
            Self::Encoded(compressor) => compressor.borrow().encoder.deflater().is_none(),
        }
    }
}
