//! Packets of Engine.IO, payloads of long-polling, and sessions.

use autostrada_proto::engine_io::{
    Packet, PacketDecoder, PacketError, Session, Version, encode_payload,
};

use crate::memory::{Meter, uncounted};
use crate::settings::Settings;

/// Allowance for a small packet in addition to its own bytes.
const SPARE_BYTES: usize = 64;

/// The separator between two packets of a payload.
const SEPARATOR: u8 = 0x1e;

/// An owned packet.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Received {
    kind: u8,
    data: Vec<u8>,
}

impl From<Packet<'_>> for Received {
    fn from(packet: Packet<'_>) -> Self {
        let (kind, data) = match packet {
            Packet::Open(data) => (b'0', data),
            Packet::Close => (b'1', &[][..]),
            Packet::Ping(data) => (b'2', data),
            Packet::Pong(data) => (b'3', data),
            Packet::Message(data) => (b'4', data),
            Packet::Upgrade => (b'5', &[][..]),
            Packet::Noop => (b'6', &[][..]),
            Packet::Binary(data) => (b'b', data),
        };
        Self {
            kind,
            data: data.to_vec(),
        }
    }
}

impl Received {
    fn packet(&self) -> Packet<'_> {
        match self.kind {
            b'0' => Packet::Open(&self.data),
            b'1' => Packet::Close,
            b'2' => Packet::Ping(&self.data),
            b'3' => Packet::Pong(&self.data),
            b'4' => Packet::Message(&self.data),
            b'5' => Packet::Upgrade,
            b'6' => Packet::Noop,
            _ => Packet::Binary(&self.data),
        }
    }
}

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

/// Encoding the packets of a payload must give the same payload, or an equivalent one.
fn check_payload(bytes: &[u8]) {
    let (received, is_whole) = read_payload(bytes);
    let mut written = Vec::new();
    for received in &received {
        encode_payload(&received.packet(), &mut written);
    }
    if is_whole {
        let parts = bytes.split(|&byte| byte == SEPARATOR).count();
        assert_eq!(received.len(), parts);
        assert_eq!(read_payload(&written), (received, true));
    }
}

fn read_payload(payload: &[u8]) -> (Vec<Received>, bool) {
    let mut decoder = PacketDecoder::new(Version::V4);
    let mut meter = Meter::default();
    let mut received = Vec::new();
    let mut rest = payload;
    let is_whole = loop {
        let first = meter.count(|| {
            let (consumed_bytes, packet) = decoder.decode_payload(rest)?;
            Ok::<_, PacketError>((consumed_bytes, uncounted(|| Received::from(packet))))
        });
        let Ok((consumed_bytes, packet)) = first else {
            break false;
        };
        assert!(consumed_bytes <= rest.len() && consumed_bytes > 0);
        received.push(packet);
        rest = &rest[consumed_bytes..];
        if rest.is_empty() {
            break true;
        }
    };
    assert!(meter.bytes_max() <= payload.len() + SPARE_BYTES);
    (received, is_whole)
}

/// Encoding a packet must give the same text, or an equivalent one.
fn check_text(version: Version, text: &[u8]) {
    let mut decoder = PacketDecoder::new(version);
    let Ok(packet) = decoder.decode_text(text) else {
        return;
    };
    let mut written = Vec::new();
    packet.encode(version, &mut written);
    let read = match packet {
        Packet::Binary(data) => {
            assert!(written.ends_with(data));
            check_binary(version, &written);
            return;
        }
        packet => Received::from(packet),
    };
    let mut decoder = PacketDecoder::new(version);
    let read_back = decoder
        .decode_text(&written)
        .expect("the text was encoded above");
    assert_eq!(Received::from(read_back), read);
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
