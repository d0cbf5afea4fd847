//! A session in memory, over polling and then WebSocket: "Sample session" in both documents.

use autostrada_proto::engine_io::{
    Address, Packet as EnginePacket, PacketDecoder, Session, Transport, Version, encode_payload,
};
use autostrada_proto::frame::Opcode;
use autostrada_proto::message::{Decoded, Event, MessageDecoder, MessageEncoder, Role};
use autostrada_proto::socket_io::{Assembler, Data, Packet, PacketKind, Placeholder};
use serde_json::value::{RawValue, to_raw_value};

fn socket_text(packet: &Packet<'_>) -> Vec<u8> {
    let mut text = Vec::new();
    packet.encode(&mut text);
    text
}

fn event(ack_id: Option<u64>, arguments: &RawValue, attachments: usize) -> Packet<'_> {
    Packet {
        namespace: "/",
        kind: PacketKind::Event {
            ack_id,
            data: Data {
                arguments,
                attachments,
            },
        },
    }
}

/// Decodes a payload through all layers; returns the names of its events.
fn read_payload(payload: &[u8], assembler: &mut Assembler) -> Vec<String> {
    let mut decoder = PacketDecoder::new(Version::V4);
    let mut names = Vec::new();
    let mut rest = payload;
    while !rest.is_empty() {
        let (consumed_bytes, packet) = decoder.decode_payload(rest).unwrap();
        names.extend(read_packet(packet, assembler));
        rest = &rest[consumed_bytes..];
    }
    names
}

fn read_packet(packet: EnginePacket<'_>, assembler: &mut Assembler) -> Option<String> {
    let whole = match packet {
        EnginePacket::Message(text) => assembler.receive_text(text).unwrap()?,
        EnginePacket::Binary(bytes) => assembler.receive_binary(bytes).unwrap()?,
        other => return Some(format!("{other:?}")),
    };
    Some(match whole.packet.kind {
        PacketKind::Event { data, .. } => {
            let bytes = whole.attachments.get(0).unwrap_or_default();
            format!("{} {}", data.event_name().unwrap(), bytes.escape_ascii())
        }
        kind => format!("{kind:?}"),
    })
}

#[test]
fn a_session_opens_over_polling() {
    let target = Address {
        version: Version::V4,
        transport: Transport::Polling,
        sid: None,
    }
    .encode("/socket.io/");
    assert_eq!(target, "/socket.io/?EIO=4&transport=polling");

    let payload = b"0{\"sid\":\"lv_VI97HAXpY6yYWAAAC\",\"upgrades\":[\"websocket\"],\
         \"pingInterval\":25000,\"pingTimeout\":5000,\"maxPayload\":1000000}";
    let mut decoder = PacketDecoder::new(Version::V4);
    let (_, packet) = decoder.decode_payload(payload).unwrap();
    let EnginePacket::Open(json) = packet else {
        panic!("{packet:?}");
    };
    let session = Session {
        sid: "lv_VI97HAXpY6yYWAAAC".to_owned(),
        upgrades: vec!["websocket".to_owned()],
        ping_interval_ms: 25_000,
        ping_timeout_ms: 5_000,
        max_payload_bytes: Some(1_000_000),
    };
    assert_eq!(Session::decode(json).unwrap(), session);
}

#[test]
fn events_and_attachments_are_sent_over_polling() {
    let hello = to_raw_value(&["hello"]).unwrap();
    let picture = to_raw_value(&("picture", Placeholder { num: 0 })).unwrap();
    let mut payload = Vec::new();
    for packet in [
        EnginePacket::Message(&socket_text(&event(None, &hello, 0))),
        EnginePacket::Message(&socket_text(&event(Some(1), &picture, 1))),
        EnginePacket::Binary(b"\x00\xff"),
        EnginePacket::Noop,
    ] {
        encode_payload(&packet, &mut payload);
    }
    assert_eq!(
        String::from_utf8_lossy(&payload),
        "42[\"hello\"]\x1e451-1[\"picture\",{\"_placeholder\":true,\"num\":0}]\x1ebAP8=\x1e6"
    );
    let names = read_payload(&payload, &mut Assembler::new(10, 1000));
    assert_eq!(names, ["hello ", "picture \\x00\\xff", "Noop"]);
}

#[test]
fn events_and_attachments_are_sent_over_websocket() {
    let picture = to_raw_value(&("picture", Placeholder { num: 0 })).unwrap();
    let text = socket_text(&event(None, &picture, 1));
    let mut encoder = MessageEncoder::new();
    let mut wire = Vec::new();
    let mut payload = Vec::new();
    for packet in [
        EnginePacket::Ping(b"probe"),
        EnginePacket::Message(&text),
        EnginePacket::Binary(b"\x00\xff"),
    ] {
        payload.clear();
        packet.encode(Version::V4, &mut payload);
        encoder.encode(packet.opcode(), &payload, || Some([7; 4]), &mut wire);
    }
    let mut frames = MessageDecoder::new(Role::Server, 1000);
    let mut packets = PacketDecoder::new(Version::V4);
    let mut assembler = Assembler::new(10, 1000);
    let mut names = Vec::new();
    let mut rest = wire.as_mut_slice();
    while let Decoded::Event {
        consumed_bytes,
        event,
    } = frames.decode(rest).unwrap()
    {
        let packet = match event {
            Event::Text(text) => packets.decode_text(text).unwrap(),
            Event::Binary(bytes) => EnginePacket::Binary(bytes),
            other => panic!("{other:?}"),
        };
        names.extend(read_packet(packet, &mut assembler));
        rest = &mut rest[consumed_bytes..];
    }
    let probe = format!("{:?}", EnginePacket::Ping(b"probe"));
    assert_eq!(names, [&probe, "picture \\x00\\xff"]);
    assert_eq!(EnginePacket::Upgrade.opcode(), Opcode::Text);
}
