//! One session, however its packets are carried.

use autostrada_net::random_bytes;
use autostrada_proto::close;
use autostrada_proto::engine_io::{self, Packet as EnginePacket, PacketDecoder};
use autostrada_proto::socket_io::{self, Assembled, Assembler, Packet, PacketKind};
use serde_json::json;
use serde_json::value::to_raw_value;

use super::event::send_packet;
use crate::server::protocol::{Fault, MESSAGE_BYTES_MAX, Route, Terms};

/// The most attachments that a message has.
const ATTACHMENTS_MAX: usize = 64;

/// How long a client may take to answer a ping: as long as until the next one, at most.
const PING_TIMEOUT_MS: u64 = 20_000;

/// Where the packets of a session go.
pub trait PacketSink {
    /// Sends a packet.
    fn send(&mut self, packet: &EnginePacket<'_>);
}

/// What a packet has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// Nothing that the connection must know.
    Nothing,
    /// It wants this route, and has it.
    Asked(Route),
    /// It is going.
    Leaving,
}

/// One session: at most one namespace, which is the route.
#[derive(Debug)]
pub struct Session {
    packets: PacketDecoder,
    assembler: Assembler,
    namespace: Option<Box<str>>,
    /// A ping was sent, and nothing has come since.
    is_silent: bool,
}

/// The packet that opens a session.
pub fn open_packet(sid: String, terms: &Terms) -> Vec<u8> {
    let interval_ms = terms.ping_interval_ms();
    let session = engine_io::Session {
        sid,
        upgrades: Vec::new(),
        ping_interval_ms: interval_ms,
        ping_timeout_ms: interval_ms.min(PING_TIMEOUT_MS),
        max_payload_bytes: Some(MESSAGE_BYTES_MAX as u64),
    };
    let mut data = Vec::new();
    session.encode(&mut data);
    data
}

/// A name that nobody can guess.
pub fn random_name() -> String {
    format!("{:032x}", u128::from_be_bytes(random_bytes()))
}

impl Session {
    /// Makes one that uses no namespace yet.
    pub fn new() -> Self {
        Self {
            packets: PacketDecoder::new(),
            assembler: Assembler::new(ATTACHMENTS_MAX, MESSAGE_BYTES_MAX),
            namespace: None,
            is_silent: false,
        }
    }

    /// The namespace in use.
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// Asks whether the client is there; returns false where it has not answered before.
    pub fn ping(&mut self, sink: &mut impl PacketSink) -> bool {
        let has_answered = !std::mem::replace(&mut self.is_silent, true);
        if has_answered {
            sink.send(&EnginePacket::Ping(b""));
        }
        has_answered
    }

    /// Says that it is over.
    pub fn leave(&self, sink: &mut impl PacketSink) {
        if let Some(namespace) = self.namespace() {
            let kind = PacketKind::Disconnect;
            send_packet(&Packet { namespace, kind }, sink);
        }
        sink.send(&EnginePacket::Close);
    }

    /// Takes a text that is a packet.
    ///
    /// # Errors
    ///
    /// When the client breaks a protocol.
    pub fn take_text(
        &mut self,
        text: &[u8],
        terms: &Terms,
        is_echoing: bool,
        sink: &mut impl PacketSink,
    ) -> Result<Heard, Fault> {
        let mut packets = std::mem::take(&mut self.packets);
        let heard = packets
            .decode_text(text)
            .map_err(|error| fault(&error))
            .and_then(|packet| self.take_packet(&packet, terms, is_echoing, sink));
        self.packets = packets;
        heard
    }

    /// Takes a packet.
    ///
    /// # Errors
    ///
    /// When the client breaks a protocol.
    pub fn take_packet(
        &mut self,
        packet: &EnginePacket<'_>,
        terms: &Terms,
        is_echoing: bool,
        sink: &mut impl PacketSink,
    ) -> Result<Heard, Fault> {
        self.is_silent = false;
        let whole = match *packet {
            EnginePacket::Message(text) => self.assembler.take_text(text),
            EnginePacket::Binary(data) => self.assembler.take_binary(data),
            EnginePacket::Ping(data) => {
                sink.send(&EnginePacket::Pong(data));
                return Ok(Heard::Nothing);
            }
            EnginePacket::Close => return Ok(Heard::Leaving),
            EnginePacket::Open(_)
            | EnginePacket::Pong(_)
            | EnginePacket::Upgrade
            | EnginePacket::Noop => return Ok(Heard::Nothing),
        };
        match whole.map_err(|error| fault_of_socket_io(&error))? {
            Some(assembled) => {
                let namespace = &mut self.namespace;
                Ok(take_assembled(
                    namespace, &assembled, terms, is_echoing, sink,
                ))
            }
            None => Ok(Heard::Nothing),
        }
    }
}

fn take_assembled(
    namespace: &mut Option<Box<str>>,
    assembled: &Assembled<'_>,
    terms: &Terms,
    is_echoing: bool,
    sink: &mut impl PacketSink,
) -> Heard {
    let asked = assembled.packet.namespace;
    let is_its_own = namespace.as_deref() == Some(asked);
    match assembled.packet.kind {
        PacketKind::Connect(_) => return connect(namespace, asked, terms, sink),
        PacketKind::Disconnect if is_its_own => return Heard::Leaving,
        PacketKind::Event { ack_id, data } if is_its_own && is_echoing => {
            let attachments = assembled.attachments;
            terms
                .events()
                .answer(asked, ack_id, data, attachments, sink);
        }
        PacketKind::Disconnect
        | PacketKind::Event { .. }
        | PacketKind::Ack { .. }
        | PacketKind::ConnectError(_) => {}
    }
    Heard::Nothing
}

/// Lets the client use a namespace, if it is a route and the first one.
fn connect(
    namespace: &mut Option<Box<str>>,
    asked: &str,
    terms: &Terms,
    sink: &mut impl PacketSink,
) -> Heard {
    let route = Route::of_path(asked, terms.has_feed).filter(|_| namespace.is_none());
    let answer = match route {
        Some(_) => json!({"sid": random_name()}),
        None if namespace.is_some() => json!({"message": "one namespace for each connection"}),
        None => json!({"message": Route::remedy(terms.has_feed)}),
    };
    let answer = to_raw_value(&answer).expect("texts are always valid JSON");
    let kind = match route {
        Some(_) => PacketKind::Connect(Some(&answer)),
        None => PacketKind::ConnectError(&answer),
    };
    let packet = Packet {
        namespace: asked,
        kind,
    };
    send_packet(&packet, sink);
    let Some(route) = route else {
        crate::log(&format!("refused a client: nothing is served at {asked:?}"));
        return Heard::Nothing;
    };
    *namespace = Some(asked.into());
    Heard::Asked(route)
}

fn fault(error: &engine_io::PacketError) -> Fault {
    Fault::new(close::PROTOCOL_ERROR, error)
}

fn fault_of_socket_io(error: &socket_io::PacketError) -> Fault {
    Fault::new(close::PROTOCOL_ERROR, error)
}
