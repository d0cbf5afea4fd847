//! Packets and their encoder: Socket.IO protocol, version 5, "Packet encoding".

use std::io::Write;

use serde_json::value::RawValue;

use super::Data;

/// The default namespace, which is omitted in the text of packets.
pub const MAIN_NAMESPACE: &str = "/";

/// A packet, without the bytes of its attachments.
#[derive(Debug, Clone, Copy)]
pub struct Packet<'a> {
    pub namespace: &'a str,
    pub kind: PacketKind<'a>,
}

#[derive(Debug, Clone, Copy)]
pub enum PacketKind<'a> {
    /// From a client, a request to connect to the namespace, with an optional JSON object of
    /// credentials. From a server, the confirmation, with a JSON object that contains the `sid`.
    Connect(Option<&'a RawValue>),
    /// Disconnects from the namespace.
    Disconnect,
    /// An event, with an id if the receiver must acknowledge it.
    Event { ack_id: Option<u64>, data: Data<'a> },
    /// The acknowledgement of the event with this id.
    Ack { ack_id: u64, data: Data<'a> },
    /// The server's refusal of a connection: a JSON object with a `message`, or a string.
    ConnectError(&'a RawValue),
}

impl Packet<'_> {
    /// Appends the text of this packet to `out`. Its attachments must follow.
    /// Panics if the namespace does not begin with a slash or contains a comma.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let (kind, attachments, ack_id, payload) = match self.kind {
            PacketKind::Connect(payload) => (b'0', 0, None, payload),
            PacketKind::Disconnect => (b'1', 0, None, None),
            PacketKind::Event { ack_id, data } => {
                let kind = if data.attachments == 0 { b'2' } else { b'5' };
                (kind, data.attachments, ack_id, Some(data.arguments))
            }
            PacketKind::Ack { ack_id, data } => {
                let kind = if data.attachments == 0 { b'3' } else { b'6' };
                (kind, data.attachments, Some(ack_id), Some(data.arguments))
            }
            PacketKind::ConnectError(payload) => (b'4', 0, None, Some(payload)),
        };
        out.push(kind);
        if attachments > 0 {
            write!(out, "{attachments}-").expect("a vector takes all bytes");
        }
        if self.namespace != MAIN_NAMESPACE {
            let is_namespace = self.namespace.starts_with('/') && !self.namespace.contains(',');
            assert!(is_namespace, "{:?} is no namespace", self.namespace);
            out.extend_from_slice(self.namespace.as_bytes());
            out.push(b',');
        }
        if let Some(ack_id) = ack_id {
            write!(out, "{ack_id}").expect("a vector takes all bytes");
        }
        if let Some(payload) = payload {
            out.extend_from_slice(payload.get().as_bytes());
        }
    }
}
