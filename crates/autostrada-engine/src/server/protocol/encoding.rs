//! How messages become WebSocket frames: as they are, or compressed.

use std::sync::Arc;

use autostrada_proto::deflate::{DeflateParameters, Deflater};
use autostrada_proto::frame::{Opcode, encode_frame};
use autostrada_proto::message::{MessageEncoder, Role};

use super::HandshakeConfig;
use crate::plan::GrantedCompression;
use crate::server::fault::Message;

/// How one connection's messages become frames.
#[derive(Debug)]
pub enum Encoding {
    /// As they are.
    Plain,
    /// Each compressed by itself, with this window: any connection's encoder does.
    Shared(u8),
    /// Compressed with what the ones before it taught.
    Own(Box<MessageEncoder>),
    /// Not yet: somebody else says when.
    Held(Box<Held>),
}

/// Messages that are to be written when somebody else says so.
#[derive(Debug)]
pub struct Held {
    messages: Vec<Message>,
    /// How they are written then.
    encoding: Encoding,
}

impl Encoding {
    /// What was granted.
    pub fn new(granted: DeflateParameters, compression: &GrantedCompression) -> Self {
        if granted.server_no_context_takeover {
            return Self::Shared(granted.server_max_window_bits.bits());
        }
        Self::Own(Box::new(encoder(granted, compression)))
    }

    /// Appends the frame of a message to `out`.
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
                .of_window(*bits)
                .encode(opcode, payload, || None, out),
            Self::Own(encoder) => encoder.encode(opcode, payload, || None, out),
            Self::Held(held) => held.messages.push(Message {
                opcode,
                payload: payload.to_vec(),
            }),
        }
    }

    /// Holds messages back from now on.
    pub fn hold(&mut self) {
        let encoding = std::mem::replace(self, Self::Plain);
        *self = Self::Held(Box::new(Held {
            messages: Vec::new(),
            encoding,
        }));
    }

    /// Takes the messages that wait.
    pub fn take_held(&mut self) -> Vec<Message> {
        match self {
            Self::Held(held) => std::mem::take(&mut held.messages),
            Self::Plain | Self::Shared(_) | Self::Own(_) => Vec::new(),
        }
    }

    /// Appends the frame of a message that has waited to `out`.
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

    /// Which encodings write a message as the same bytes; `None`: no other one.
    pub fn class(&self) -> Option<u8> {
        match self {
            Self::Plain => Some(0),
            Self::Shared(bits) => Some(*bits),
            Self::Own(_) | Self::Held(_) => None,
        }
    }
}

/// The encoders of a thread that compress each message by itself, by window.
#[derive(Debug)]
pub struct SharedEncoders {
    handshake: Arc<HandshakeConfig>,
    encoders: [Option<MessageEncoder>; 16],
}

impl SharedEncoders {
    /// Makes none yet.
    pub fn new(handshake: Arc<HandshakeConfig>) -> Self {
        Self {
            handshake,
            encoders: [const { None }; 16],
        }
    }

    /// What is spoken and granted.
    pub fn handshake(&self) -> &HandshakeConfig {
        &self.handshake
    }

    fn of_window(&mut self, bits: u8) -> &mut MessageEncoder {
        self.encoders[usize::from(bits)].get_or_insert_with(|| {
            let window = autostrada_proto::deflate::WindowBits::new(bits);
            let parameters = DeflateParameters {
                server_no_context_takeover: true,
                server_max_window_bits: window.expect("it was negotiated"),
                ..DeflateParameters::default()
            };
            let granted = self.handshake.compression.as_ref();
            encoder(parameters, granted.expect("it was granted"))
        })
    }
}

fn encoder(parameters: DeflateParameters, compression: &GrantedCompression) -> MessageEncoder {
    let deflater = Deflater::new(parameters, Role::Server, compression.level);
    MessageEncoder::new().with_deflater(deflater, compression.min_bytes)
}
