//! A session by WebSocket.

use autostrada_proto::engine_io::Packet;
use autostrada_proto::frame::{Opcode, encode_frame};
use autostrada_proto::message::{Decoded as DecodedFrame, Event, MessageDecoder, Role};

use super::session::random_name;
use super::{Heard, PacketSink, Session, open_packet};
use crate::server::protocol::web_socket::encode_close;
use crate::server::protocol::{Decoded, Fault, MESSAGE_BYTES_MAX, Said, Terms};

/// A connection that is a session.
#[derive(Debug)]
pub struct SocketIo {
    decoder: MessageDecoder,
    session: Session,
}

/// Packets as WebSocket messages.
struct Frames<'o>(&'o mut Vec<u8>);

impl PacketSink for Frames<'_> {
    fn send(&mut self, packet: &Packet<'_>) {
        let mut payload = Vec::new();
        packet.encode(&mut payload);
        encode_frame(packet.opcode(), None, &payload, self.0);
    }
}

impl SocketIo {
    /// Opens a session, after the response to the opening handshake.
    pub fn open(terms: &Terms, out: &mut Vec<u8>) -> Self {
        let data = open_packet(random_name(), terms);
        Frames(out).send(&Packet::Open(&data));
        Self {
            decoder: MessageDecoder::new(Role::Server, MESSAGE_BYTES_MAX),
            session: Session::new(),
        }
    }

    /// Takes the frame at the front of `input`.
    ///
    /// # Errors
    ///
    /// When the client breaks a protocol.
    pub fn decode(
        &mut self,
        input: &mut [u8],
        is_echoing: bool,
        terms: &Terms,
        out: &mut Vec<u8>,
    ) -> Result<Decoded, Fault> {
        let (consumed_bytes, event) = match self.decoder.decode(input)? {
            DecodedFrame::Event {
                consumed_bytes,
                event,
            } => (consumed_bytes, event),
            DecodedFrame::Incomplete { needed_bytes } => {
                return Ok(Decoded::Incomplete { needed_bytes });
            }
        };
        let sink = &mut Frames(out);
        let session = &mut self.session;
        let heard = match event {
            Event::Text(text) => session.take_text(text, terms, is_echoing, sink)?,
            Event::Binary(data) => {
                session.take_packet(&Packet::Binary(data), terms, is_echoing, sink)?
            }
            Event::Ping(payload) => {
                encode_frame(Opcode::Pong, None, payload, sink.0);
                Heard::Nothing
            }
            Event::Close(close) => {
                let event = Said::Leaving(close.map(|close| close.code));
                return Ok(Decoded::Event {
                    consumed_bytes,
                    event,
                });
            }
            Event::Pong(_) | Event::Fragment => Heard::Nothing,
        };
        let event = match heard {
            Heard::Nothing => Said::Nothing,
            Heard::Asked(route) => Said::Asked(route),
            Heard::Leaving => Said::Leaving(None),
        };
        Ok(Decoded::Event {
            consumed_bytes,
            event,
        })
    }

    /// Appends a message to `out`.
    pub fn encode_message(&self, opcode: Opcode, payload: &[u8], terms: &Terms, out: &mut Vec<u8>) {
        if let Some(namespace) = self.session.namespace() {
            let sink = &mut Frames(out);
            terms.events().send(namespace, opcode, payload, sink);
        }
    }

    /// Which connections have a message written as the same bytes: those of one namespace.
    pub fn class(&self) -> Option<u8> {
        (self.session.namespace() == Some("/feed")).then_some(0)
    }

    /// Appends what says that it is over.
    pub fn encode_close(&self, code: u16, out: &mut Vec<u8>) {
        self.session.leave(&mut Frames(out));
        encode_close(code, out);
    }

    /// Asks whether the client is there; returns false where it has not answered before.
    pub fn ping(&mut self, out: &mut Vec<u8>) -> bool {
        self.session.ping(&mut Frames(out))
    }
}
