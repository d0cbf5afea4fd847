//! Texts of packets: Socket.IO protocol, version 5, "Packet encoding".

use autostrada_proto::socket_io::{
    Data, Packet, PacketError, PacketKind, Placeholder, is_reserved_event,
};
use serde_json::value::{RawValue, to_raw_value};

/// The namespace, the kind and the numbers of a packet, and its payload.
fn parts<'a>(packet: &Packet<'a>) -> (String, &'a str) {
    let numbers = |ack_id: Option<u64>, data: Data<'_>| format!("{ack_id:?} +{}", data.attachments);
    let (kind, payload) = match packet.kind {
        PacketKind::Connect(payload) => ("connect".to_owned(), payload),
        PacketKind::Disconnect => ("disconnect".to_owned(), None),
        PacketKind::Event { ack_id, data } => {
            let kind = format!("event {}", numbers(ack_id, data));
            (kind, Some(data.arguments))
        }
        PacketKind::Ack { ack_id, data } => {
            let kind = format!("ack {}", numbers(Some(ack_id), data));
            (kind, Some(data.arguments))
        }
        PacketKind::ConnectError(payload) => ("error".to_owned(), Some(payload)),
    };
    let payload = payload.map_or("", RawValue::get);
    (format!("{} {kind}", packet.namespace), payload)
}

fn encode(packet: &Packet<'_>) -> String {
    let mut out = Vec::new();
    packet.encode(&mut out);
    String::from_utf8(out).unwrap()
}

/// Packets from the protocol's examples and from other implementations: the payload is what begins
/// with a bracket or a quote.
const TEXTS: [(&str, &str); 26] = [
    ("0", "/ connect"),
    ("0{\"sid\":\"wZX3oN0bSVIhsaknAAAI\"}", "/ connect"),
    ("0/admin,", "/admin connect"),
    (
        "0/admin,{\"sid\":\"oSO0OpakMV_3jnilAAAA\"}",
        "/admin connect",
    ),
    ("4{\"message\":\"Not authorized\"}", "/ error"),
    ("2[\"foo\"]", "/ event None +0"),
    ("2/admin,[\"bar\"]", "/admin event None +0"),
    (
        "51-[\"baz\",{\"_placeholder\":true,\"num\":0}]",
        "/ event None +1",
    ),
    (
        "52-/admin,[\"baz\",{\"_placeholder\":true,\"num\":0},{\"_placeholder\":true,\"num\":1}]",
        "/admin event None +2",
    ),
    ("212[\"foo\"]", "/ event Some(12) +0"),
    ("312[]", "/ ack Some(12) +0"),
    ("2/admin,13[\"foo\"]", "/admin event Some(13) +0"),
    ("3/admin,13[\"bar\"]", "/admin ack Some(13) +0"),
    (
        "51-14[\"foo\",{\"_placeholder\":true,\"num\":0}]",
        "/ event Some(14) +1",
    ),
    ("314[\"bar\"]", "/ ack Some(14) +0"),
    (
        "61-15[\"bar\",{\"_placeholder\":true,\"num\":0}]",
        "/ ack Some(15) +1",
    ),
    ("1", "/ disconnect"),
    ("1/admin,", "/admin disconnect"),
    // socket.io 4.8.4
    (
        "2[\"hello\",\"Hello World\",1,{\"a\":[null,true,\"grüezi €\"]}]",
        "/ event None +0",
    ),
    ("30[\"answer\",{\"q\":\"ü\"}]", "/ ack Some(0) +0"),
    ("0/admin,{\"token\":\"123\"}", "/admin connect"),
    (
        "4/admin,{\"message\":\"not authorized\",\"data\":{\"code\":\"E1\"}}",
        "/admin error",
    ),
    (
        "61-/admin,1[{\"_placeholder\":true,\"num\":0}]",
        "/admin ack Some(1) +1",
    ),
    // python-socketio 5.18
    ("0{}", "/ connect"),
    (
        "2/admin,[\"hello\",\"Hello World\",1,{\"a\":[null,true,\"gr\\u00fcezi \\u20ac\"]}]",
        "/admin event None +0",
    ),
    (
        "51-/admin,2[\"askbin\",{\"_placeholder\":true,\"num\":0}]",
        "/admin event Some(2) +1",
    ),
];

#[test]
fn packets_are_decoded_and_encoded_as_in_the_protocol() {
    for (text, expected) in TEXTS {
        let packet = Packet::decode(text.as_bytes()).unwrap();
        let begin = text.find(['{', '[', '"']).unwrap_or(text.len());
        assert_eq!(parts(&packet), (expected.to_owned(), &text[begin..]));
        assert_eq!(encode(&packet), text);
    }
}

#[test]
fn alternative_encodings_are_decoded() {
    let id = "218446744073709551615[\"a\"]";
    for (text, expected, payload) in [
        ("1/admin", "/admin disconnect", ""),
        ("0/", "/ connect", ""),
        ("0/,{}", "/ connect", "{}"),
        ("2 [ \"a\" ] ", "/ event None +0", "[ \"a\" ]"),
        ("2[7,\"a\"]", "/ event None +0", "[7,\"a\"]"),
        ("4\"no\"", "/ error", "\"no\""),
        (id, "/ event Some(18446744073709551615) +0", "[\"a\"]"),
    ] {
        let packet = Packet::decode(text.as_bytes()).unwrap();
        assert_eq!(parts(&packet), (expected.to_owned(), payload));
    }
}

#[test]
fn events_have_names() {
    for (text, name) in [
        ("2[\"foo\"]", "foo"),
        ("2[ \"a b\",1]", "a b"),
        ("2[\"\"]", ""),
        ("2[\"g\\u0072\\\"\\\\\",\"x\"]", "gr\"\\"),
        ("2[\"grüezi\"]", "grüezi"),
        ("2[17,\"x\"]", "17"),
        ("2[-1.5e3]", "-1.5e3"),
    ] {
        let packet = Packet::decode(text.as_bytes()).unwrap();
        let PacketKind::Event { data, .. } = packet.kind else {
            panic!("{packet:?}");
        };
        assert_eq!(data.event_name().unwrap(), name, "{text}");
    }
    let packet = Packet::decode(b"31[]").unwrap();
    let PacketKind::Ack { data, .. } = packet.kind else {
        panic!("{packet:?}");
    };
    assert_eq!(data.event_name(), None);
}

#[test]
fn an_invalid_packet_is_an_error() {
    use PacketError as E;
    let check = |text: &[u8], is_expected: fn(&E) -> bool| {
        let error = Packet::decode(text).unwrap_err();
        assert!(is_expected(&error), "{error:?} for {}", text.escape_ascii());
    };
    for text in [b"".as_slice(), b"7", b"x", b"\xff", b"-1"] {
        check(text, |error| matches!(error, E::UnknownType));
    }
    for text in [
        b"5".as_slice(),
        b"5[\"a\"]",
        b"5-[\"a\"]",
        b"50-[\"a\"]",
        b"51",
        b"51[\"a\"]",
        b"6x-[]",
        b"5+1-[\"a\"]",
        b"599999999999999999999-[\"a\"]",
    ] {
        check(text, |error| matches!(error, E::AttachmentCount));
    }
    for text in [
        b"3[]".as_slice(),
        b"3/a,[]",
        b"218446744073709551616[\"a\"]",
    ] {
        check(text, |error| matches!(error, E::AckId));
    }
    check(b"2/\xff,[\"a\"]", |error| matches!(error, E::Namespace(_)));
    for text in [
        b"2[\"a\"".as_slice(),
        b"2[\"a\"]x",
        b"2[\"a\",]",
        b"2[\"\xff\"]",
        b"2x",
        b"2-1[\"a\"]",
        b"02{}",
        b"0{\"a\":}",
        b"3/a,1",
        b"1-",
    ] {
        let is_json = |error: &E| matches!(error, E::Json(_) | E::Payload);
        check(text, is_json);
    }
    for text in [
        b"0[]".as_slice(),
        b"0\"x\"",
        b"1{}",
        b"2",
        b"2{}",
        b"2[]",
        b"2[null]",
        b"2[{\"a\":1}]",
        b"2[[\"a\"]]",
        b"2\"a\"",
        b"31",
        b"31{}",
        b"4",
        b"4[]",
        b"4null",
    ] {
        check(text, |error| matches!(error, E::Payload));
    }
}

#[test]
fn reserved_events_are_errors() {
    for name in ["connect", "connect_error", "disconnect", "disconnecting"] {
        assert!(is_reserved_event(name));
        let error = Packet::decode(format!("2[\"{name}\"]").as_bytes()).unwrap_err();
        assert!(matches!(error, PacketError::ReservedEvent));
        // Only the first argument is a name.
        assert!(Packet::decode(format!("31[\"{name}\"]").as_bytes()).is_ok());
        assert!(Packet::decode(format!("2[\"a\",\"{name}\"]").as_bytes()).is_ok());
    }
    assert!(!is_reserved_event("message"));
}

#[test]
fn placeholders_are_serialized_as_in_the_protocol() {
    let arguments = to_raw_value(&("baz", Placeholder { num: 0 }, Placeholder { num: 1 })).unwrap();
    let packet = Packet {
        namespace: "/admin",
        kind: PacketKind::Event {
            ack_id: None,
            data: Data {
                arguments: &arguments,
                attachments: 2,
            },
        },
    };
    assert_eq!(encode(&packet), TEXTS[8].0);
}

#[test]
#[should_panic(expected = "is no namespace")]
fn a_namespace_with_a_comma_is_not_encoded() {
    encode(&Packet {
        namespace: "/a,b",
        kind: PacketKind::Disconnect,
    });
}

#[test]
fn deeply_nested_json_does_not_overflow_the_stack() {
    let deep = format!("2[\"a\",{}{}]", "[".repeat(100_000), "]".repeat(100_000));
    assert!(Packet::decode(deep.as_bytes()).is_ok());
    let unclosed = format!("2[\"a\",{}", "[{\"a\":".repeat(100_000));
    assert!(Packet::decode(unclosed.as_bytes()).is_err());
}
