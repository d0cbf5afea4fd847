//! Messages as events, and events as answers.

use autostrada_proto::engine_io::Packet as EnginePacket;
use autostrada_proto::frame::Opcode;
use autostrada_proto::socket_io::{Attachments, Data, Packet, PacketKind, Placeholder};
use serde_json::value::{RawValue, to_raw_value};

use super::PacketSink;

/// The event that carries messages.
#[derive(Debug, Clone)]
pub struct Events {
    /// Its name.
    pub name: String,
}

impl Events {
    /// Sends a message: an event with one argument, a text or an attachment.
    pub fn send(
        &self,
        namespace: &str,
        opcode: Opcode,
        payload: &[u8],
        sink: &mut impl PacketSink,
    ) {
        let is_text = opcode == Opcode::Text;
        let arguments = if is_text {
            to_raw_value(&(&self.name, String::from_utf8_lossy(payload)))
        } else {
            to_raw_value(&(&self.name, Placeholder { num: 0 }))
        };
        let data = Data {
            arguments: &arguments.expect("texts and numbers are always valid JSON"),
            attachments: usize::from(!is_text),
        };
        let kind = PacketKind::Event { ack_id: None, data };
        send_packet(&Packet { namespace, kind }, sink);
        if !is_text {
            sink.send(&EnginePacket::Binary(payload));
        }
    }

    /// Answers an event: by its acknowledgement where one is asked for, or by an event of the
    /// same name.
    pub fn answer(
        &self,
        namespace: &str,
        ack_id: Option<u64>,
        data: Data<'_>,
        attachments: Attachments<'_>,
        sink: &mut impl PacketSink,
    ) {
        if data.event_name().as_deref() != Some(&self.name) {
            return;
        }
        match ack_id {
            None => {
                let kind = PacketKind::Event { ack_id, data };
                send_packet(&Packet { namespace, kind }, sink);
            }
            Some(ack_id) => {
                let arguments = without_name(data);
                let data = Data {
                    arguments: &arguments,
                    attachments: data.attachments,
                };
                let kind = PacketKind::Ack { ack_id, data };
                send_packet(&Packet { namespace, kind }, sink);
            }
        }
        for num in 0..attachments.len() {
            sink.send(&EnginePacket::Binary(
                attachments.get(num).unwrap_or_default(),
            ));
        }
    }
}

/// The arguments of an event without its name, which comes first.
fn without_name(data: Data<'_>) -> Box<RawValue> {
    let elements = data.elements().unwrap_or_default();
    to_raw_value(elements.get(1..).unwrap_or_default()).expect("what was JSON is JSON")
}

/// Sends the text of a packet.
pub fn send_packet(packet: &Packet<'_>, sink: &mut impl PacketSink) {
    let mut text = Vec::new();
    packet.encode(&mut text);
    sink.send(&EnginePacket::Message(&text));
}
