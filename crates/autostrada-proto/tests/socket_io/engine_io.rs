//! Packets, payloads and addresses: Engine.IO protocol, versions 3 and 4.

use autostrada_proto::engine_io::{
    Address, Packet, PacketDecoder, PacketError, Session, Transport, Version, encode_payload,
    split_payload,
};
use autostrada_proto::frame::Opcode;

/// Every kind of packet and its encoding over WebSocket.
const TEXTS: [(&str, Packet<'_>); 8] = [
    ("0{\"sid\":\"x\"}", Packet::Open(b"{\"sid\":\"x\"}")),
    ("1", Packet::Close),
    ("2", Packet::Ping(b"")),
    ("2probe", Packet::Ping(b"probe")),
    ("3probe", Packet::Pong(b"probe")),
    ("4HelloWorld", Packet::Message(b"HelloWorld")),
    ("5", Packet::Upgrade),
    ("6", Packet::Noop),
];

fn encode(version: Version, packet: Packet<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    packet.encode(version, &mut out);
    out
}

/// Decodes a payload; returns the WebSocket messages that its packets would be.
fn decode_payload(payload: &[u8]) -> Result<Vec<(Opcode, Vec<u8>)>, PacketError> {
    let mut decoder = PacketDecoder::new(Version::V4);
    split_payload(payload)
        .map(|text| {
            let packet = decoder.decode_text(text)?;
            Ok((packet.opcode(), encode(Version::V4, packet)))
        })
        .collect()
}

#[test]
fn texts_are_encoded_and_decoded_as_in_the_protocol() {
    for version in [Version::V3, Version::V4] {
        let mut decoder = PacketDecoder::new(version);
        for (text, packet) in TEXTS {
            assert_eq!(encode(version, packet), text.as_bytes());
            assert_eq!(packet.opcode(), Opcode::Text);
            assert_eq!(decoder.decode_text(text.as_bytes()).unwrap(), packet);
        }
    }
}

#[test]
fn a_binary_message_begins_with_its_type_in_version_3() {
    let packet = Packet::Binary(b"\x01\x02\x03");
    assert_eq!(packet.opcode(), Opcode::Binary);
    for (version, message) in [
        (Version::V3, b"\x04\x01\x02\x03".as_slice()),
        (Version::V4, b"\x01\x02\x03"),
    ] {
        assert_eq!(encode(version, packet), message);
        let decoder = PacketDecoder::new(version);
        assert_eq!(decoder.decode_binary(message).unwrap(), packet);
    }
    let decoder = PacketDecoder::new(Version::V3);
    assert_eq!(decoder.decode_binary(&[4]).unwrap(), Packet::Binary(b""));
    let error = decoder.decode_binary(b"").unwrap_err();
    assert!(matches!(error, PacketError::Empty));
    for kind in [0, 2, 5, 6, 7, b'4', b'b'] {
        let error = decoder.decode_binary(&[kind, 1]).unwrap_err();
        assert!(matches!(error, PacketError::UnknownType(found) if found == kind));
    }
}

/// A client without binary support sends base64 over WebSocket too.
#[test]
fn base64_follows_the_type_in_version_3() {
    for (version, text, data) in [
        (
            Version::V3,
            b"b4AQID".as_slice(),
            b"\x01\x02\x03".as_slice(),
        ),
        (Version::V4, b"bAQID", b"\x01\x02\x03"),
        (Version::V4, b"b", b""),
    ] {
        let mut decoder = PacketDecoder::new(version);
        let packet = decoder.decode_text(text).unwrap();
        assert_eq!(packet, Packet::Binary(data));
    }
    let mut decoder = PacketDecoder::new(Version::V3);
    for text in [b"b".as_slice(), b"bAQID", b"b2AQID"] {
        let error = decoder.decode_text(text).unwrap_err();
        assert!(matches!(error, PacketError::UnknownType(b'b')));
    }
    let error = decoder.decode_text(b"b4!").unwrap_err();
    assert!(matches!(error, PacketError::Base64(_)));
}

#[test]
fn payloads_are_those_of_the_protocol() {
    let mut payload = Vec::new();
    for text in ["4hello", "2", "4world"] {
        encode_payload(Opcode::Text, text.as_bytes(), &mut payload);
    }
    assert_eq!(payload, b"4hello\x1e2\x1e4world");
    payload.clear();
    encode_payload(Opcode::Text, b"4hello", &mut payload);
    encode_payload(Opcode::Binary, &[1, 2, 3, 4], &mut payload);
    assert_eq!(payload, b"4hello\x1ebAQIDBA==");
    let messages = [
        (Opcode::Text, b"4hello".to_vec()),
        (Opcode::Binary, vec![1, 2, 3, 4]),
    ];
    assert_eq!(decode_payload(&payload).unwrap(), messages);
    assert_eq!(decode_payload(b"").unwrap(), []);
}

#[test]
fn sessions_of_other_servers_are_decoded() {
    let session = Session {
        sid: "sZKT2Pv9nQSTjAyGAAAA".to_owned(),
        upgrades: vec!["websocket".to_owned()],
        ping_interval_ms: 600,
        ping_timeout_ms: 500,
        max_payload_bytes: Some(1_000_000),
    };
    // From socket.io 4.8.4.
    let json = b"{\"sid\":\"sZKT2Pv9nQSTjAyGAAAA\",\"upgrades\":[\"websocket\"],\
        \"pingInterval\":600,\"pingTimeout\":500,\"maxPayload\":1000000}";
    assert_eq!(Session::decode(json).unwrap(), session);
    // From python-socketio 5.18, in a different order; then one without the last field.
    let json = b"{\"sid\":\"oMj19enoHKfKbGOuAAAA\",\"upgrades\":[],\"pingTimeout\":1000,\
        \"pingInterval\":2000,\"maxPayload\":1000000}";
    assert_eq!(Session::decode(json).unwrap().ping_interval_ms, 2000);
    let old = b"{\"sid\":\"x\",\"upgrades\":[],\"pingTimeout\":1000,\"pingInterval\":2000,\"y\":1}";
    let old = Session::decode(old).unwrap();
    assert_eq!(old.max_payload_bytes, None);
}

#[test]
fn an_invalid_session_is_an_error() {
    for json in [
        b"".as_slice(),
        b"{}",
        b"[]",
        b"{\"sid\":1,\"upgrades\":[],\"pingTimeout\":1,\"pingInterval\":2}",
        b"{\"sid\":\"x\",\"upgrades\":[],\"pingTimeout\":-1,\"pingInterval\":2}",
        b"{\"sid\":\"\xff\",\"upgrades\":[],\"pingTimeout\":1,\"pingInterval\":2}",
    ] {
        let error = Session::decode(json).unwrap_err();
        assert!(matches!(error, PacketError::Session(_)));
        assert!(std::error::Error::source(&error).is_some());
    }
}

#[test]
fn an_invalid_packet_is_an_error() {
    let mut decoder = PacketDecoder::new(Version::V4);
    assert!(matches!(decoder.decode_text(b""), Err(PacketError::Empty)));
    for text in [b"7".as_slice(), b"x", b"\xff", b" 4", b"/"] {
        let error = decoder.decode_text(text).unwrap_err();
        assert!(matches!(error, PacketError::UnknownType(byte) if byte == text[0]));
    }
    for text in [
        b"b=".as_slice(),
        b"bAQI",
        b"bA",
        b"b!!!!",
        b"bAQID\n",
        b"b====",
        b"bAP9=",
    ] {
        let error = decoder.decode_text(text).unwrap_err();
        assert!(
            matches!(error, PacketError::Base64(_)),
            "{}",
            text.escape_ascii()
        );
    }
    for payload in [b"\x1e".as_slice(), b"4a\x1e", b"\x1e4a", b"4a\x1e\x1e4b"] {
        let error = decode_payload(payload).unwrap_err();
        assert!(
            matches!(error, PacketError::Empty),
            "{}",
            payload.escape_ascii()
        );
    }
}

#[test]
#[should_panic(expected = "separator inside of a packet")]
fn a_separator_in_a_packet_panics() {
    encode_payload(Opcode::Text, b"4a\x1eb", &mut Vec::new());
}

#[test]
fn addresses_are_those_of_the_protocol() {
    for (version, transport, path, target) in [
        (
            Version::V4,
            Transport::Polling,
            "/socket.io/",
            "/socket.io/?EIO=4&transport=polling",
        ),
        (
            Version::V4,
            Transport::WebSocket,
            "/engine.io/?room=1",
            "/engine.io/?room=1&EIO=4&transport=websocket",
        ),
        (
            Version::V3,
            Transport::WebSocket,
            "/socket.io/",
            "/socket.io/?EIO=3&transport=websocket",
        ),
    ] {
        let address = Address { version, transport };
        assert_eq!(address.encode(path), target);
    }
}
