//! A WebSocket connection after its opening handshake (RFC 6455, sections 5 to 7).

use autostrada_proto::close::{Close, ProtocolError};
use autostrada_proto::deflate::{DeflateParameters, Inflater};
use autostrada_proto::frame::{Opcode, encode_frame};
use autostrada_proto::message::{Decoded as DecodedFrame, Event, MessageDecoder, Role};

use super::{Decoded, Encoding, MESSAGE_BYTES_MAX, PeerEvent, SharedEncoders};
use crate::plan::GrantedCompression;

/// One open connection.
#[derive(Debug)]
pub struct WebSocket {
    decoder: MessageDecoder,
    /// The encoding of its messages.
    pub encoding: Encoding,
}

impl WebSocket {
    /// Creates a connection; `granted` is the granted compression, if any.
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

    /// Decodes the frame at the front of `input`, and appends an answer, if needed, to `out`.
    ///
    /// `is_echoing`: whether messages are sent back.
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
        let mut peer_event = PeerEvent::Nothing;
        match event {
            Event::Text(payload) if is_echoing => {
                self.encoding.encode(Opcode::Text, payload, encoders, out);
            }
            Event::Binary(payload) if is_echoing => {
                self.encoding.encode(Opcode::Binary, payload, encoders, out);
            }
            Event::Ping(payload) => encode_frame(Opcode::Pong, None, payload, out),
            Event::Pong(payload) => {
                if let Ok(payload) = payload.try_into() {
                    peer_event = PeerEvent::Pong(u64::from_be_bytes(payload));
                }
            }
            Event::Close(close) => peer_event = PeerEvent::Closing(close.map(|close| close.code)),
            Event::Text(_) | Event::Binary(_) | Event::Fragment => {}
        }
        Ok(Decoded::Event {
            consumed_bytes,
            event: peer_event,
        })
    }
}

/// Appends a closing frame with `code` to `out`.
pub fn encode_close(code: u16, out: &mut Vec<u8>) {
    let mut payload = Vec::new();
    Close { code, reason: "" }.encode(&mut payload);
    encode_frame(Opcode::Close, None, &payload, out);
}
