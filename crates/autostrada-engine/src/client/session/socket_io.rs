//! Socket.IO: a message is an event with one argument, or its acknowledgement.

use std::borrow::Cow;

use autostrada_measure::{FailureKind, Nanos};
use autostrada_proto::engine_io::{self, PacketDecoder, Session as EngineSession, Version};
use autostrada_proto::frame::Opcode;
use autostrada_proto::message::MessageDecoder;
use autostrada_proto::socket_io::{Assembled, Assembler, MAIN_NAMESPACE, Packet, PacketKind};
use serde_json::value::RawValue;

use super::heartbeat::{Beat, Heartbeat};
use super::websocket::{Frame, Step, decode_frame};
use super::{Consumed, Delivery, SessionConfig, handshake_failure};
use crate::client::end::End;
use crate::client::sending::{Encoding, Outbox, SocketIoEncoding};
use crate::client::workload::{Message, Workload};
use crate::plan::ProtocolPlan;

/// Limits of a received packet, above those of any contestant.
const MAX_ATTACHMENTS: usize = 10;
const MAX_PACKET_BYTES: usize = 64 * 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The server has not described the session yet.
    Opening,
    /// The server has not granted the namespace yet.
    Connecting,
    /// The namespace is connected: messages can be sent and received.
    Joined,
}

/// The receiving half of a session.
#[derive(Debug)]
pub struct SocketIo {
    packets: PacketDecoder,
    state: State,
}

/// The state of a session, without the decoder that a packet borrows from.
#[derive(Debug)]
struct State {
    version: Version,
    stage: Stage,
    /// The heartbeat of an open session of Engine.IO 3.
    heartbeat: Option<Heartbeat>,
    /// The credentials, until they are sent.
    auth: Option<Box<RawValue>>,
    assembler: Assembler,
    /// Identifier of the next expected acknowledgement; they must arrive in order.
    next_ack_id: u64,
}

impl SocketIo {
    /// Creates a session that has not received any packet, with the credentials of its connection.
    pub fn new(version: Version, auth: Option<Box<RawValue>>) -> Self {
        Self {
            packets: PacketDecoder::new(version),
            state: State {
                version,
                stage: Stage::Opening,
                heartbeat: None,
                auth,
                assembler: Assembler::new(MAX_ATTACHMENTS, MAX_PACKET_BYTES),
                next_ack_id: 0,
            },
        }
    }

    /// Decodes WebSocket frames and passes complete messages to the workload.
    pub fn process_frames<W: Workload>(
        &mut self,
        decoder: &mut MessageDecoder,
        input: &mut [u8],
        session_config: &mut SessionConfig<'_>,
        to: &mut Delivery<'_, W>,
    ) -> Result<Consumed, End> {
        let mut bytes = 0;
        let namespace = namespace(session_config);
        let mut handle = |frame: Frame<'_>, to: &mut Delivery<'_, W>| {
            let packet = match frame {
                Frame::Nothing => return Ok(false),
                Frame::Message(Opcode::Text, text) => self.packets.decode_text(text),
                Frame::Message(_, data) => self.packets.decode_binary(data),
            };
            let packet = packet.map_err(|error| End::violation(&error))?;
            Ok(self.state.process_packet(packet, namespace, to)?)
        };
        loop {
            match decode_frame(
                decoder,
                &mut input[bytes..],
                session_config,
                to,
                &mut handle,
            )? {
                Step::Incomplete { needed_bytes } => {
                    return Ok(Consumed::incomplete(bytes, needed_bytes));
                }
                Step::Frame {
                    bytes: frame_bytes,
                    value: has_opened,
                } => {
                    bytes += frame_bytes;
                    if has_opened {
                        return Ok(Consumed::opening(bytes));
                    }
                    if to.has_backpressure() {
                        return Ok(Consumed::up_to(bytes));
                    }
                }
            }
        }
    }

    /// Returns when to call `beat` next, or `None` if the server sends the pings.
    pub fn beat_due(&self) -> Option<Nanos> {
        self.state.heartbeat.map(|heartbeat| heartbeat.due())
    }

    /// Appends the ping that is due at `now`, if any.
    pub fn beat(&mut self, now: Nanos, outbox: &mut Outbox) -> Result<(), End> {
        let Some(heartbeat) = &mut self.state.heartbeat else {
            return Ok(());
        };
        match heartbeat.advance(now) {
            Beat::None => Ok(()),
            Beat::Ping => {
                if let (bytes, Encoding::SocketIo(encoding)) = outbox.parts() {
                    encoding.encode_engine(&engine_io::Packet::Ping(b""), bytes);
                }
                outbox.check_room()
            }
            Beat::Failed => {
                let text = "the server sent nothing within its ping timeout".to_owned();
                Err(End::Failed(FailureKind::Timeout, text))
            }
        }
    }
}

fn namespace<'a>(session_config: &SessionConfig<'a>) -> &'a str {
    match session_config.protocol {
        ProtocolPlan::SocketIo(plan) => &plan.namespace,
        _ => MAIN_NAMESPACE,
    }
}

/// Returns the send buffer and the Socket.IO encoding, which every Socket.IO connection has.
fn encoding<'a, W>(to: &'a mut Delivery<'_, W>) -> (&'a mut Vec<u8>, &'a mut SocketIoEncoding) {
    match to.outbox.parts() {
        (bytes, Encoding::SocketIo(encoding)) => (bytes, encoding),
        _ => unreachable!("the encoding is set when the session begins"),
    }
}

/// Returns a name for the type of a packet, without its content, which may be long.
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

/// Returns the end of a session that the server ended.
fn session_ended<W>(to: &Delivery<'_, W>, text: &'static str) -> End {
    if to.outbox.is_closing() {
        End::Done
    } else {
        End::Ended(text)
    }
}

/// Whether a packet grants the use of the namespace.
fn is_namespace_granted(text: &[u8], namespace: &str) -> Result<bool, End> {
    let packet = Packet::decode(text).map_err(|error| End::violation(&error))?;
    match packet.kind {
        _ if packet.namespace != namespace => Ok(false),
        PacketKind::Connect(_) => Ok(true),
        PacketKind::ConnectError(why) => Err(handshake_failure(format!(
            "the server refused {namespace}: {why}"
        ))),
        _ => Ok(false),
    }
}

impl State {
    /// Processes a packet; returns whether the server has just granted the namespace, so that
    /// messages can be sent and received.
    fn process_packet<W: Workload>(
        &mut self,
        packet: engine_io::Packet<'_>,
        namespace: &str,
        to: &mut Delivery<'_, W>,
    ) -> Result<bool, End> {
        if let Some(heartbeat) = &mut self.heartbeat {
            heartbeat.note_packet(to.now);
        }
        match (packet, self.stage) {
            (engine_io::Packet::Open(json), Stage::Opening) => {
                let session =
                    EngineSession::decode(json).map_err(|error| End::violation(&error))?;
                self.stage = Stage::Connecting;
                if self.version == Version::V3 {
                    self.heartbeat = Some(Heartbeat::new(&session, to.now));
                }
                let auth = self.auth.take();
                let (bytes, encoding) = encoding(to);
                encoding.encode_connect(auth.as_deref(), bytes);
                Ok(false)
            }
            (engine_io::Packet::Ping(data), _) => {
                let (bytes, encoding) = encoding(to);
                encoding.encode_engine(&engine_io::Packet::Pong(data), bytes);
                to.outbox.check_room()?;
                Ok(false)
            }
            (engine_io::Packet::Close, _) => Err(session_ended(to, "the server ended the session")),
            (engine_io::Packet::Message(text), Stage::Connecting) => {
                let joined = is_namespace_granted(text, namespace)?;
                if joined {
                    self.stage = Stage::Joined;
                }
                Ok(joined)
            }
            (engine_io::Packet::Message(text), Stage::Joined) => {
                let received = self.assembler.receive_text(text);
                let assembled = received.map_err(|error| End::violation(&error))?;
                deliver_assembled(&mut self.next_ack_id, assembled, namespace, to)?;
                Ok(false)
            }
            // An attachment of an event of the default namespace, to which the server connects every
            // session of this version first.
            (engine_io::Packet::Binary(_), Stage::Connecting) if self.version == Version::V3 => {
                Ok(false)
            }
            (engine_io::Packet::Binary(data), _) => {
                let received = self.assembler.receive_binary(data);
                let assembled = received.map_err(|error| End::violation(&error))?;
                deliver_assembled(&mut self.next_ack_id, assembled, namespace, to)?;
                Ok(false)
            }
            (engine_io::Packet::Pong(_), _) => {
                if let Some(heartbeat) = &mut self.heartbeat {
                    heartbeat.note_pong(to.now);
                }
                Ok(false)
            }
            (engine_io::Packet::Noop, _) => Ok(false),
            (other, _) => Err(End::Failed(
                FailureKind::Protocol,
                format!("unexpected packet: {}", name(&other)),
            )),
        }
    }
}

fn deliver_assembled<W: Workload>(
    next_ack_id: &mut u64,
    assembled: Option<Assembled<'_>>,
    namespace: &str,
    to: &mut Delivery<'_, W>,
) -> Result<(), End> {
    let is_own = |assembled: &Assembled<'_>| assembled.packet.namespace == namespace;
    let Some(assembled) = assembled.filter(is_own) else {
        return Ok(());
    };
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
                    format!("received acknowledgement {ack_id}, expected {next_ack_id}"),
                ));
            }
            *next_ack_id += 1;
            (data, 0)
        }
        PacketKind::Disconnect => {
            return Err(session_ended(to, "the server disconnected the namespace"));
        }
        PacketKind::Connect(_) | PacketKind::ConnectError(_) => return Ok(()),
    };
    let arguments: Vec<&RawValue>;
    let text: Cow<'_, str>;
    let (opcode, payload) = if let Some(bytes) = assembled.attachments.get(0) {
        (Opcode::Binary, bytes)
    } else {
        arguments =
            serde_json::from_str(data.arguments.get()).map_err(|error| End::violation(&error))?;
        let argument = arguments.get(argument_at).map_or("\"\"", |json| json.get());
        // A text is delivered without its JSON quotes and escapes, any other value as its JSON.
        text = serde_json::from_str(argument).map_or(Cow::Borrowed(argument), Cow::Owned);
        (Opcode::Text, text.as_bytes())
    };
    let is_event = argument_at == 1 && encoding(to).1.acknowledge;
    let message = Message { opcode, payload };
    if is_event && to.workload.is_only_counted(message, to.now) {
        return Ok(());
    }
    to.deliver(opcode, payload)
}
