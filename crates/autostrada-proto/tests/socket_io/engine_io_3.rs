//! Packets over WebSocket: Engine.IO protocol, version 3, and Socket.IO protocol, version 4.

use autostrada_proto::engine_io::{
    Address, Packet, PacketDecoder, PacketError, Transport, Version,
};
use autostrada_proto::frame::Opcode;
use proptest::prelude::*;

fn encode(packet: Packet<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    packet.encode(Version::V3, &mut out);
    out
}

#[test]
fn texts_are_those_of_the_protocol() {
    let mut decoder = PacketDecoder::new(Version::V3);
    for (text, packet) in [
        ("2", Packet::Ping(b"")),
        ("2probe", Packet::Ping(b"probe")),
        ("3probe", Packet::Pong(b"probe")),
        ("4HelloWorld", Packet::Message(b"HelloWorld")),
        ("5", Packet::Upgrade),
    ] {
        assert_eq!(encode(packet), text.as_bytes());
        assert_eq!(decoder.decode_text(text.as_bytes()).unwrap(), packet);
    }
}

#[test]
fn a_binary_message_begins_with_its_type() {
    let packet = Packet::Binary(&[0, 1, 2, 3, 4, 5]);
    let message = [4, 0, 1, 2, 3, 4, 5];
    assert_eq!(packet.opcode(), Opcode::Binary);
    assert_eq!(encode(packet), message);
    let decoder = PacketDecoder::new(Version::V3);
    assert_eq!(decoder.decode_binary(&message).unwrap(), packet);
    assert_eq!(decoder.decode_binary(&[4]).unwrap(), Packet::Binary(b""));
    let error = decoder.decode_binary(b"").unwrap_err();
    assert!(matches!(error, PacketError::Empty));
    for kind in [0, 2, 5, 6, 7, b'4', b'b'] {
        let error = decoder.decode_binary(&[kind, 1]).unwrap_err();
        assert!(matches!(error, PacketError::UnknownType(found) if found == kind));
    }
}

#[test]
fn base64_follows_the_type() {
    let mut decoder = PacketDecoder::new(Version::V3);
    let packet = decoder.decode_text(b"b4AQID").unwrap();
    assert_eq!(packet, Packet::Binary(&[1, 2, 3]));
    for text in [b"b".as_slice(), b"bAQID", b"b2AQID"] {
        let error = decoder.decode_text(text).unwrap_err();
        assert!(matches!(error, PacketError::UnknownType(b'b')));
    }
    let error = decoder.decode_text(b"b4!").unwrap_err();
    assert!(matches!(error, PacketError::Base64(_)));
}

#[test]
fn an_address_has_the_version() {
    let open = Address {
        version: Version::V3,
        transport: Transport::WebSocket,
    };
    assert_eq!(
        open.encode("/socket.io/"),
        "/socket.io/?EIO=3&transport=websocket"
    );
}

proptest! {
    #[test]
    fn binary_messages_are_decoded_as_they_were_encoded(
        data in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let message = encode(Packet::Binary(&data));
        let decoder = PacketDecoder::new(Version::V3);
        prop_assert_eq!(decoder.decode_binary(&message).unwrap(), Packet::Binary(&data));
    }
}
