//! Socket.IO: a message is an event with one argument, or its acknowledgement.

use autostrada_measure::FailureKind;
use autostrada_proto::engine_io::{self, PacketDecoder, Session as EngineSession};
use autostrada_proto::frame::Opcode;
use autostrada_proto::message::MessageDecoder;
use autostrada_proto::socket_io::{Assembled, Assembler, MAIN_NAMESPACE, Packet, PacketKind};
use serde_json::value::RawValue;

use super::websocket::{Frame, Step, decode_frame};
use super::{Delivery, SessionConfig, Taken, refused};
use crate::client::end::End;
use crate::client::sending::{Encoding, SocketIoEncoding};
use crate::client::workload::Workload;
use crate::plan::ProtocolPlan;

/// The bounds of a packet: more than any contestant sends.
const MAX_ATTACHMENTS: usize = 10;
const MAX_PACKET_BYTES: usize = 64 * 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The server has still to describe the session.
    Opening,
    /// It has still to grant the namespace.
    Connecting,
    /// Messages flow.
    Joined,
}

/// The receiving half of a session.
#[derive(Debug)]
pub struct SocketIo {
    stage: Stage,
    packets: PacketDecoder,
    parts: Parts,
}

/// What puts packets and their attachments together.
#[derive(Debug)]
struct Parts {
    assembler: Assembler,
    /// The number of the next acknowledgement, where each is to come in turn.
    next_ack_id: u64,
}

/// What a packet has changed.
#[derive(Debug, PartialEq, Eq)]
pub enum Change {
    /// Nothing.
    None,
    /// The server has described the session.
    Described(EngineSession),
    /// Messages may flow from here on.
    Joined,
}

impl SocketIo {
    /// Nothing has come yet.
    pub fn new() -> Self {
        Self {
            stage: Stage::Opening,
            packets: PacketDecoder::new(),
            parts: Parts {
                assembler: Assembler::new(MAX_ATTACHMENTS, MAX_PACKET_BYTES),
                next_ack_id: 0,
            },
        }
    }

    /// Takes in frames.
    pub fn take_in_frames<W: Workload>(
        &mut self,
        decoder: &mut MessageDecoder,
        input: &mut [u8],
        session_config: &mut SessionConfig<'_>,
        to: &mut Delivery<'_, W>,
    ) -> Result<Taken, End> {
        let mut bytes = 0;
        let namespace = namespace(session_config);
        let mut take = |frame: Frame<'_>, to: &mut Delivery<'_, W>| match frame {
            Frame::Nothing => Ok(Change::None),
            Frame::Message(Opcode::Text, text) => self.take_text(text, namespace, to),
            Frame::Message(_, data) => {
                self.parts.take_binary(data, namespace, to)?;
                Ok(Change::None)
            }
        };
        loop {
            match decode_frame(decoder, &mut input[bytes..], session_config, to, &mut take)? {
                Step::Incomplete { needed_bytes } => {
                    return Ok(Taken {
                        bytes,
                        needed_bytes,
                        has_opened: false,
                    });
                }
                Step::Frame {
                    bytes: frame_bytes,
                    taken,
                } => {
                    bytes += frame_bytes;
                    if taken == Change::Joined {
                        return Ok(Taken {
                            bytes,
                            needed_bytes: 0,
                            has_opened: true,
                        });
                    }
                    if to.is_choked() {
                        return Ok(Taken::up_to(bytes));
                    }
                }
            }
        }
    }

    /// Takes a payload of packets; returns all that it has changed.
    pub fn take_payload<W: Workload>(
        &mut self,
        mut payload: &[u8],
        session_config: &SessionConfig<'_>,
        to: &mut Delivery<'_, W>,
    ) -> Result<Change, End> {
        let mut change = Change::None;
        while !payload.is_empty() {
            let (consumed_bytes, packet) = self
                .packets
                .decode_payload(payload)
                .map_err(|error| End::violation(&error))?;
            let namespace = namespace(session_config);
            let changed = take_packet(&mut self.stage, &mut self.parts, packet, namespace, to)?;
            if changed != Change::None {
                change = changed;
            }
            payload = &payload[consumed_bytes..];
        }
        Ok(change)
    }

    fn take_text<W: Workload>(
        &mut self,
        text: &[u8],
        namespace: &str,
        to: &mut Delivery<'_, W>,
    ) -> Result<Change, End> {
        let packet = self
            .packets
            .decode_text(text)
            .map_err(|error| End::violation(&error))?;
        take_packet(&mut self.stage, &mut self.parts, packet, namespace, to)
    }
}

fn namespace<'a>(session_config: &SessionConfig<'a>) -> &'a str {
    match session_config.protocol {
        ProtocolPlan::SocketIo(plan) => &plan.namespace,
        _ => MAIN_NAMESPACE,
    }
}

/// The half that writes, which a connection of Socket.IO always has.
fn encoding<'a, W>(to: &'a mut Delivery<'_, W>) -> (&'a mut Vec<u8>, &'a mut SocketIoEncoding) {
    match to.outbox.parts() {
        (bytes, Encoding::SocketIo(encoding)) => (bytes, encoding),
        _ => unreachable!("it was set when the session began"),
    }
}

fn take_packet<W: Workload>(
    stage: &mut Stage,
    parts: &mut Parts,
    packet: engine_io::Packet<'_>,
    namespace: &str,
    to: &mut Delivery<'_, W>,
) -> Result<Change, End> {
    match (packet, *stage) {
        (engine_io::Packet::Open(json), Stage::Opening) => {
            let session = EngineSession::decode(json).map_err(|error| End::violation(&error))?;
            *stage = Stage::Connecting;
            let (bytes, encoding) = encoding(to);
            encoding.encode_connect(bytes);
            Ok(Change::Described(session))
        }
        (engine_io::Packet::Ping(data), _) => {
            let (bytes, encoding) = encoding(to);
            encoding.encode_engine(&engine_io::Packet::Pong(data), bytes);
            to.outbox.check_room()?;
            Ok(Change::None)
        }
        (engine_io::Packet::Close, _) => Err(over(to, "the server ended the session")),
        (engine_io::Packet::Message(text), Stage::Connecting) => {
            let joined = read_consent(text, namespace)?;
            if joined {
                *stage = Stage::Joined;
                return Ok(Change::Joined);
            }
            Ok(Change::None)
        }
        (engine_io::Packet::Message(text), Stage::Joined) => {
            parts.take_text(text, namespace, to)?;
            Ok(Change::None)
        }
        (engine_io::Packet::Binary(data), Stage::Joined) => {
            parts.take_binary(data, namespace, to)?;
            Ok(Change::None)
        }
        (engine_io::Packet::Noop | engine_io::Packet::Pong(_), _) => Ok(Change::None),
        (other, _) => Err(End::Failed(
            FailureKind::Protocol,
            format!("{} does not belong here", name(&other)),
        )),
    }
}

/// What a packet is, without what it brings: that may be long.
fn name(packet: &engine_io::Packet<'_>) -> &'static str {
    match packet {
        engine_io::Packet::Open(_) => "a description of the session",
        engine_io::Packet::Message(_) => "a message",
        engine_io::Packet::Binary(_) => "a binary message",
        engine_io::Packet::Upgrade => "an upgrade",
        engine_io::Packet::Ping(_) | engine_io::Packet::Pong(_) => "a ping or pong",
        engine_io::Packet::Close | engine_io::Packet::Noop => "a packet",
    }
}

/// The session is over by the server's word.
fn over<W>(to: &Delivery<'_, W>, text: &'static str) -> End {
    if to.outbox.is_closing() {
        End::Done
    } else {
        End::Ended(text)
    }
}

/// Whether the server lets us use the namespace by this packet.
fn read_consent(text: &[u8], namespace: &str) -> Result<bool, End> {
    let packet = Packet::decode(text).map_err(|error| End::violation(&error))?;
    match packet.kind {
        _ if packet.namespace != namespace => Ok(false),
        PacketKind::Connect(_) => Ok(true),
        PacketKind::ConnectError(why) => {
            Err(refused(format!("the server refused {namespace}: {why}")))
        }
        _ => Ok(false),
    }
}

impl Parts {
    fn take_text<W: Workload>(
        &mut self,
        text: &[u8],
        namespace: &str,
        to: &mut Delivery<'_, W>,
    ) -> Result<(), End> {
        let assembled = self
            .assembler
            .take_text(text)
            .map_err(|error| End::violation(&error))?;
        match assembled {
            Some(assembled) => take_assembled(&mut self.next_ack_id, assembled, namespace, to),
            None => Ok(()),
        }
    }

    fn take_binary<W: Workload>(
        &mut self,
        data: &[u8],
        namespace: &str,
        to: &mut Delivery<'_, W>,
    ) -> Result<(), End> {
        let assembled = self
            .assembler
            .take_binary(data)
            .map_err(|error| End::violation(&error))?;
        match assembled {
            Some(assembled) => take_assembled(&mut self.next_ack_id, assembled, namespace, to),
            None => Ok(()),
        }
    }
}

fn take_assembled<W: Workload>(
    next_ack_id: &mut u64,
    assembled: Assembled<'_>,
    namespace: &str,
    to: &mut Delivery<'_, W>,
) -> Result<(), End> {
    if assembled.packet.namespace != namespace {
        return Ok(());
    }
    let (data, argument_at) = match assembled.packet.kind {
        PacketKind::Event { ack_id, data } => {
            if let Some(ack_id) = ack_id {
                let (bytes, encoding) = encoding(to);
                encoding.encode_ack(ack_id, bytes);
                to.outbox.check_room()?;
            }
            (data, 1)
        }
        PacketKind::Ack { ack_id, data } => {
            if ack_id != *next_ack_id {
                return Err(End::Failed(
                    FailureKind::Mismatch,
                    format!("acknowledgement {ack_id} came where {next_ack_id} was to come"),
                ));
            }
            *next_ack_id += 1;
            (data, 0)
        }
        PacketKind::Disconnect => {
            return Err(over(to, "the server ended the use of the namespace"));
        }
        PacketKind::Connect(_) | PacketKind::ConnectError(_) => return Ok(()),
    };
    if let Some(bytes) = assembled.attachments.get(0) {
        return to.deliver(Opcode::Binary, bytes);
    }
    let arguments: Vec<&RawValue> =
        serde_json::from_str(data.arguments.get()).map_err(|error| End::violation(&error))?;
    let Some(argument) = arguments.get(argument_at) else {
        return to.deliver(Opcode::Text, b"");
    };
    // The content of a text, and any other value as it is written.
    match serde_json::from_str::<String>(argument.get()) {
        Ok(text) => to.deliver(Opcode::Text, text.as_bytes()),
        Err(_) => to.deliver(Opcode::Text, argument.get().as_bytes()),
    }
}
