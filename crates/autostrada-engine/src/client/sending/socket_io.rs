//! Encoding of messages in Socket.IO packets: a message is an event with one argument.

use autostrada_proto::engine_io;
use autostrada_proto::frame::Opcode;
use autostrada_proto::socket_io::{Data, MAIN_NAMESPACE, Packet, PacketKind, Placeholder};
use serde_json::value::RawValue;

use super::frames::Frames;
use crate::plan::SocketIoPlan;

/// The Socket.IO encoding of a connection's messages.
#[derive(Debug)]
pub struct SocketIoEncoding {
    version: engine_io::Version,
    namespace: String,
    /// Name of the event, as JSON.
    event: Box<RawValue>,
    /// Whether each event asks for an acknowledgement, and so has its own identifier.
    pub acknowledge: bool,
    /// Whether a text that is JSON is this value.
    pub has_json: bool,
    /// Acknowledgement identifier of the next event.
    next_ack_id: u64,
    /// The frames of packets.
    pub frames: Frames,
}

impl SocketIoEncoding {
    /// Creates the encoding of messages in packets, and of packets in these frames.
    pub fn new(plan: &SocketIoPlan, frames: Frames) -> Self {
        Self {
            version: plan.version(),
            namespace: plan.namespace.clone(),
            event: serde_json::value::to_raw_value(&plan.event).expect("a text is valid JSON"),
            acknowledge: plan.acknowledge,
            has_json: plan.json,
            next_ack_id: 0,
            frames,
        }
    }

    /// Appends a message: an event whose argument is the text, the JSON value that it is, or the bytes
    /// as an attachment.
    pub fn encode_message(&mut self, opcode: Opcode, payload: &[u8], out: &mut Vec<u8>) {
        let json = (self.has_json && opcode == Opcode::Text)
            .then(|| serde_json::from_slice::<Box<RawValue>>(payload).ok());
        let argument = match (json.flatten(), opcode) {
            (Some(json), _) => Ok(json),
            (None, Opcode::Text) => {
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

    /// Appends an event, given as a JSON array of its name and its arguments.
    pub fn encode_event(&mut self, arguments: String, out: &mut Vec<u8>) {
        let arguments = RawValue::from_string(arguments).expect("it was checked");
        let data = Data {
            arguments: &arguments,
            attachments: 0,
        };
        self.encode_packet(PacketKind::Event { ack_id: None, data }, out);
    }

    /// Appends the packet that connects to the namespace with these credentials, unless the server
    /// connects every session to it: the default namespace with Engine.IO 3.
    pub fn encode_connect(&mut self, auth: Option<&RawValue>, out: &mut Vec<u8>) {
        let is_connected_by_server =
            self.version == engine_io::Version::V3 && self.namespace == MAIN_NAMESPACE;
        if !is_connected_by_server {
            self.encode_packet(PacketKind::Connect(auth), out);
        }
    }

    /// Appends the packet that ends the session.
    pub fn encode_disconnect(&mut self, out: &mut Vec<u8>) {
        self.encode_packet(PacketKind::Disconnect, out);
    }

    /// Appends an acknowledgement of an event of the server, without arguments.
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

    /// Appends an Engine.IO packet.
    pub fn encode_engine(&mut self, packet: &engine_io::Packet<'_>, out: &mut Vec<u8>) {
        let mut bytes = Vec::new();
        packet.encode(self.version, &mut bytes);
        self.frames.encode(packet.opcode(), &bytes, out);
    }
}
