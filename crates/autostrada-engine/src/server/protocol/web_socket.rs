//! WebSocket after its opening handshake: RFC 6455.

use autostrada_proto::close::{Close, ProtocolError};
use autostrada_proto::deflate::{DeflateParameters, Inflater};
use autostrada_proto::frame::{Opcode, encode_frame};
use autostrada_proto::message::{Decoded as DecodedFrame, Event, MessageDecoder, Role};

use super::{Decoded, Encoding, MESSAGE_BYTES_MAX, PeerEvent, SharedEncoders};
use crate::plan::GrantedCompression;

/// One connection, open.
#[derive(Debug)]
pub struct WebSocket {
    decoder: MessageDecoder,
    /// How its messages are written.
    pub encoding: Encoding,
}

impl WebSocket {
    /// Makes one with what was granted.
    pub fn new(granted: Option<(DeflateParameters, &GrantedCompression)>) -> Self {
        let decoder = MessageDecoder::new(Role::Server, MESSAGE_BYTES_MAX);
        match granted {
            None => Self {
                decoder,
                encoding: Encoding::Plain,
            },
            Some((parameters, compression)) => Self {
                decoder: decoder.with_inflater(Inflater::new(parameters, Role::Server)),
                encoding: Encoding::new(parameters, compression),
            },
        }
    }

    /// Takes the frame at the front of `input`.
    ///
    /// # Errors
    ///
    /// When the client breaks the protocol.
    #[inline]
    pub fn decode(
        &mut self,
        input: &mut [u8],
        is_echoing: bool,
        encoders: &mut SharedEncoders,
        out: &mut Vec<u8>,
    ) -> Result<Decoded, ProtocolError> {
        let (consumed_bytes, event) = match self.decoder.decode(input)? {
            DecodedFrame::Event {
                consumed_bytes,
                event,
            } => (consumed_bytes, event),
            DecodedFrame::Incomplete { needed_bytes } => {
                return Ok(Decoded::Incomplete { needed_bytes });
            }
        };
        let mut said = PeerEvent::Nothing;
        match event {
            Event::Text(payload) if is_echoing => {
                self.encoding.encode(Opcode::Text, payload, encoders, out);
            }
            Event::Binary(payload) if is_echoing => {
                self.encoding.encode(Opcode::Binary, payload, encoders, out);
            }
            Event::Ping(payload) => encode_frame(Opcode::Pong, None, payload, out),
            Event::Close(close) => said = PeerEvent::Leaving(close.map(|close| close.code)),
            Event::Text(_) | Event::Binary(_) | Event::Pong(_) | Event::Fragment => {}
        }
        Ok(Decoded::Event {
            consumed_bytes,
            event: said,
        })
    }
}

/// Appends a closing frame.
pub fn encode_close(code: u16, out: &mut Vec<u8>) {
    let mut payload = Vec::new();
    Close { code, reason: "" }.encode(&mut payload);
    encode_frame(Opcode::Close, None, &payload, out);
}
