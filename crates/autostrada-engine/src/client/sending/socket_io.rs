//! From messages to packets of Socket.IO: a message is an event with one argument.

use autostrada_proto::engine_io;
use autostrada_proto::frame::Opcode;
use autostrada_proto::socket_io::{Data, Packet, PacketKind, Placeholder};
use serde_json::value::RawValue;

use super::frames::Frames;
use super::waiting::Waiting;
use crate::plan::SocketIoPlan;

/// What carries packets, on the way out.
#[derive(Debug)]
enum Outward {
    Frames(Frames),
    /// Packets that wait for the next request.
    Requests(Waiting),
}

/// How messages become packets.
#[derive(Debug)]
pub struct SocketIoEncoding {
    namespace: String,
    /// The event's name as JSON.
    event: Box<RawValue>,
    acknowledge: bool,
    /// The number of the next event that is to be acknowledged.
    next_ack_id: u64,
    outward: Outward,
}

impl SocketIoEncoding {
    /// By WebSocket.
    pub fn new(plan: &SocketIoPlan, frames: Frames) -> Self {
        Self::by(plan, Outward::Frames(frames))
    }

    /// By requests.
    pub fn by_requests(plan: &SocketIoPlan) -> Self {
        Self::by(plan, Outward::Requests(Waiting::default()))
    }

    fn by(plan: &SocketIoPlan, outward: Outward) -> Self {
        Self {
            namespace: plan.namespace.clone(),
            event: serde_json::value::to_raw_value(&plan.event).expect("a text is valid JSON"),
            acknowledge: plan.acknowledge,
            next_ack_id: 0,
            outward,
        }
    }

    /// How frames are written, where there are frames.
    pub fn frames(&self) -> Option<&Frames> {
        match &self.outward {
            Outward::Frames(frames) => Some(frames),
            Outward::Requests(_) => None,
        }
    }

    /// Packets that wait for a request; none by WebSocket.
    pub fn waiting(&mut self) -> Option<&mut Waiting> {
        match &mut self.outward {
            Outward::Frames(_) => None,
            Outward::Requests(waiting) => Some(waiting),
        }
    }

    /// How much memory such packets take.
    pub fn waiting_bytes(&self) -> usize {
        match &self.outward {
            Outward::Frames(_) => 0,
            Outward::Requests(waiting) => waiting.bytes(),
        }
    }

    /// Whether each message has a number of its own.
    pub fn acknowledges(&self) -> bool {
        self.acknowledge
    }

    /// Appends a message: an event whose argument is the text, or the bytes as an attachment.
    pub fn encode_message(&mut self, opcode: Opcode, payload: &[u8], out: &mut Vec<u8>) {
        let argument = match opcode {
            Opcode::Text => {
                let text = String::from_utf8_lossy(payload);
                serde_json::value::to_raw_value(&text)
            }
            _ => serde_json::value::to_raw_value(&Placeholder { num: 0 }),
        };
        let argument = argument.expect("texts and placeholders are valid JSON");
        let arguments = format!("[{},{argument}]", self.event);
        let arguments = RawValue::from_string(arguments).expect("an array of JSON values");
        let attachments = usize::from(opcode != Opcode::Text);
        let ack_id = self.acknowledge.then_some(self.next_ack_id);
        self.next_ack_id += u64::from(self.acknowledge);
        let kind = PacketKind::Event {
            ack_id,
            data: Data {
                arguments: &arguments,
                attachments,
            },
        };
        self.encode_packet(kind, out);
        if attachments > 0 {
            self.encode_engine(&engine_io::Packet::Binary(payload), out);
        }
    }

    /// Appends the request to use the namespace.
    pub fn encode_connect(&mut self, out: &mut Vec<u8>) {
        self.encode_packet(PacketKind::Connect(None), out);
    }

    /// Appends the word that ends the session.
    pub fn encode_disconnect(&mut self, out: &mut Vec<u8>) {
        self.encode_packet(PacketKind::Disconnect, out);
        if matches!(self.outward, Outward::Requests(_)) {
            self.encode_engine(&engine_io::Packet::Close, out);
        }
    }

    /// Acknowledges an event of the server, with no arguments.
    pub fn encode_ack(&mut self, ack_id: u64, out: &mut Vec<u8>) {
        let arguments = RawValue::from_string("[]".to_owned()).expect("an empty array");
        let data = Data {
            arguments: &arguments,
            attachments: 0,
        };
        self.encode_packet(PacketKind::Ack { ack_id, data }, out);
    }

    fn encode_packet(&mut self, kind: PacketKind<'_>, out: &mut Vec<u8>) {
        let mut text = Vec::new();
        let packet = Packet {
            namespace: &self.namespace,
            kind,
        };
        packet.encode(&mut text);
        self.encode_engine(&engine_io::Packet::Message(&text), out);
    }

    /// Appends a packet of Engine.IO, or keeps it for the next request.
    pub fn encode_engine(&mut self, packet: &engine_io::Packet<'_>, out: &mut Vec<u8>) {
        let mut bytes = Vec::new();
        match &mut self.outward {
            Outward::Frames(frames) => {
                packet.encode(&mut bytes);
                frames.encode(packet.opcode(), &bytes, out);
            }
            Outward::Requests(waiting) => {
                engine_io::encode_payload(packet, &mut bytes);
                waiting.push(bytes);
            }
        }
    }
}
