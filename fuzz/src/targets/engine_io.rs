//! Packets of Engine.IO, payloads of long-polling, and sessions.

use autostrada_proto::engine_io::{PacketDecoder, Session, Version, encode_payload, split_payload};
use autostrada_proto::frame::Opcode;

use crate::settings::Settings;

/// Checks the bytes as a payload, a packet or a session, depending on the settings.
pub fn check(input: &[u8]) {
    let Some((settings, bytes)) = Settings::split(input) else {
        return;
    };
    let version = match settings.choices / 3 % 2 {
        0 => Version::V4,
        _ => Version::V3,
    };
    match settings.choices % 3 {
        0 => check_payload(bytes),
        1 => {
            check_text(version, bytes);
            check_binary(version, bytes);
        }
        _ => check_session(bytes),
    }
}

/// Encoding the packets of a payload must give the same payload.
fn check_payload(bytes: &[u8]) {
    let mut written = Vec::new();
    for packet in split_payload(bytes) {
        encode_payload(Opcode::Text, packet, &mut written);
    }
    // Empty packets, which no decoder accepts, have no separator at the front.
    assert!(bytes.ends_with(&written));
}

/// Encoding a packet must give the same text, or an equivalent one.
fn check_text(version: Version, text: &[u8]) {
    let mut decoder = PacketDecoder::new(version);
    let Ok(packet) = decoder.decode_text(text) else {
        return;
    };
    let mut written = Vec::new();
    packet.encode(version, &mut written);
    let mut decoder = PacketDecoder::new(version);
    let read = match packet.opcode() {
        Opcode::Binary => decoder.decode_binary(&written),
        _ => decoder.decode_text(&written),
    };
    assert_eq!(read.expect("it was encoded above"), packet);
}

/// Encoding a packet must give the same binary message.
fn check_binary(version: Version, message: &[u8]) {
    let Ok(packet) = PacketDecoder::new(version).decode_binary(message) else {
        assert_eq!(version, Version::V3);
        return;
    };
    let mut written = Vec::new();
    packet.encode(version, &mut written);
    assert_eq!(written, message);
}

/// A decoded session must have an identifier that occurs in its text.
fn check_session(json: &[u8]) {
    if let Ok(session) = Session::decode(json) {
        assert!(session.sid.len() <= json.len());
    }
}
