//! Encoding of messages as WebSocket frames, with or without compression.

use std::sync::Arc;

use autostrada_proto::deflate::{DeflateParameters, Deflater};
use autostrada_proto::frame::{Opcode, encode_frame};
use autostrada_proto::message::{MessageEncoder, Role};

use super::HandshakeConfig;
use crate::plan::GrantedCompression;
use crate::server::fault::Message;

/// The encoding of one connection's messages.
#[derive(Debug)]
pub enum Encoding {
    /// Uncompressed.
    Plain,
    /// Compressed without context takeover, with this number of window bits. Connections of a
    /// thread share an encoder.
    Shared(u8),
    /// Compressed with context takeover, by the connection's own encoder.
    Own(Box<MessageEncoder>),
    /// Messages are held until [`Encoding::encode_held`] encodes them (fault injection).
    Held(Box<Held>),
}

/// Held messages.
#[derive(Debug)]
pub struct Held {
    messages: Vec<Message>,
    /// The encoding for `encode_held`.
    encoding: Encoding,
}

impl Encoding {
    /// Returns the encoding for the granted parameters of permessage-deflate.
    pub fn new(granted: DeflateParameters, compression: &GrantedCompression) -> Self {
        if granted.server_no_context_takeover {
            return Self::Shared(granted.server_max_window_bits.bits());
        }
        Self::Own(Box::new(encoder(granted, compression)))
    }

    /// Appends the frame of a message to `out`, or holds the message.
    #[inline]
    pub fn encode(
        &mut self,
        opcode: Opcode,
        payload: &[u8],
        encoders: &mut SharedEncoders,
        out: &mut Vec<u8>,
    ) {
        match self {
            Self::Plain => encode_frame(opcode, None, payload, out),
            Self::Shared(bits) => encoders
                .for_window(*bits)
                .encode(opcode, payload, || None, out),
            Self::Own(encoder) => encoder.encode(opcode, payload, || None, out),
            Self::Held(held) => held.messages.push(Message {
                opcode,
                payload: payload.to_vec(),
            }),
        }
    }

    /// Holds all further messages.
    pub fn hold(&mut self) {
        let encoding = std::mem::replace(self, Self::Plain);
        *self = Self::Held(Box::new(Held {
            messages: Vec::new(),
            encoding,
        }));
    }

    /// Takes the held messages.
    pub fn take_held(&mut self) -> Vec<Message> {
        match self {
            Self::Held(held) => std::mem::take(&mut held.messages),
            Self::Plain | Self::Shared(_) | Self::Own(_) => Vec::new(),
        }
    }

    /// Appends the frame of a message to `out` even if messages are held.
    pub fn encode_held(
        &mut self,
        message: &Message,
        encoders: &mut SharedEncoders,
        out: &mut Vec<u8>,
    ) {
        let encoding = match self {
            Self::Held(held) => &mut held.encoding,
            Self::Plain | Self::Shared(_) | Self::Own(_) => self,
        };
        encoding.encode(message.opcode, &message.payload, encoders, out);
    }

    /// Returns the class of encodings that produce the same bytes for a message; `None` if no other
    /// connection shares the bytes.
    pub fn class(&self) -> Option<u8> {
        match self {
            Self::Plain => Some(0),
            Self::Shared(bits) => Some(*bits),
            Self::Own(_) | Self::Held(_) => None,
        }
    }
}

/// The encoders of a thread for compression without context takeover, by window bits.
#[derive(Debug)]
pub struct SharedEncoders {
    /// The protocol, and what the opening handshake grants.
    pub handshake: Arc<HandshakeConfig>,
    encoders: [Option<MessageEncoder>; 16],
}

impl SharedEncoders {
    /// Creates an empty set; each encoder is created at its first use.
    pub fn new(handshake: Arc<HandshakeConfig>) -> Self {
        Self {
            handshake,
            encoders: [const { None }; 16],
        }
    }

    fn for_window(&mut self, bits: u8) -> &mut MessageEncoder {
        self.encoders[usize::from(bits)].get_or_insert_with(|| {
            let window = autostrada_proto::deflate::WindowBits::new(bits);
            let parameters = DeflateParameters {
                server_no_context_takeover: true,
                server_max_window_bits: window.expect("the handshake negotiated valid window bits"),
                ..DeflateParameters::default()
            };
            let granted = self.handshake.compression.as_ref();
            encoder(parameters, granted.expect("compression was granted"))
        })
    }
}

fn encoder(parameters: DeflateParameters, compression: &GrantedCompression) -> MessageEncoder {
    let deflater = Deflater::new(parameters, Role::Server, compression.level);
    MessageEncoder::new().with_deflater(deflater, compression.min_bytes)
}
