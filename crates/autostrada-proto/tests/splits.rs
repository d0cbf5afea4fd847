//! Every stream is decoded to the same events if it is split in two at any offset, or into bytes.

use autostrada_proto::decoded::Decoded;
use autostrada_proto::deflate::{DeflateParameters, Deflater, Inflater};
use autostrada_proto::engine_io::{Packet, PacketDecoder, Version, encode_payload};
use autostrada_proto::frame::{Opcode, encode_frame};
use autostrada_proto::framed::{FramedDecoder, encode_framed};
use autostrada_proto::handshake::client::ClientHandshake;
use autostrada_proto::handshake::server::Request;
use autostrada_proto::http::client::{Event as HttpEvent, ResponseDecoder};
use autostrada_proto::message::{Event, MessageDecoder, MessageEncoder, Role};
use autostrada_proto::socket_io::{Assembled, Assembler};

const BYTES_MAX: usize = 2000;
const KEY: [u8; 16] = *b"the sample nonce";

const REQUEST: &[u8] = b"GET /chat HTTP/1.1\r\nHost: server.example.com\r\nUpgrade: websocket\r\n\
    Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
    Sec-WebSocket-Version: 13\r\n\r\n";

/// The result of decoding a stream: events, and the error that ended it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Outcome {
    events: Vec<String>,
    error: Option<String>,
}

/// Number of consumed bytes and their event, or `None` if more bytes are needed.
type Step = Result<Option<(usize, String)>, String>;

/// Receives a stream in parts; each step consumes bytes from the front of the buffer.
fn receive<'a>(
    parts: impl IntoIterator<Item = &'a [u8]>,
    mut step: impl FnMut(&mut [u8]) -> Step,
) -> Outcome {
    let (mut outcome, mut buffer) = (Outcome::default(), Vec::new());
    for part in parts {
        buffer.extend_from_slice(part);
        loop {
            match step(&mut buffer) {
                Ok(None) => break,
                Ok(Some((bytes, event))) => {
                    buffer.drain(..bytes);
                    outcome.events.push(event);
                }
                Err(error) => {
                    outcome.error = Some(error);
                    return outcome;
                }
            }
        }
    }
    outcome
        .events
        .push(format!("{} bytes are left", buffer.len()));
    outcome
}

/// Splits a stream at every offset and asserts equal outcomes; `make` creates a decoder. Returns
/// the outcome. An error may be found before the frame that contains it is complete.
fn at_every_split<S: FnMut(&mut [u8]) -> Step>(stream: &[u8], make: impl Fn() -> S) -> Outcome {
    let whole = receive([stream], make());
    for split in 0..=stream.len() {
        let (first, second) = stream.split_at(split);
        let outcome = receive([first, second], make());
        assert_eq!(outcome, whole, "cut at {split}: {}", stream.escape_ascii());
    }
    let outcome = receive(stream.chunks(1), make());
    assert_eq!(outcome, whole, "byte by byte: {}", stream.escape_ascii());
    whole
}

/// One step of a message decoder.
fn message(decoder: &mut MessageDecoder, input: &mut [u8]) -> Step {
    match decoder.decode(input) {
        Ok(Decoded::Incomplete { .. }) => Ok(None),
        Ok(Decoded::Event {
            consumed_bytes,
            event,
        }) => Ok(Some((consumed_bytes, format!("{event:?}")))),
        Err(error) => Err(error.to_string()),
    }
}

/// The frames of messages of every kind, with the encoder's fragmentation.
fn messages_of(mut encoder: MessageEncoder, key: Option<[u8; 4]>) -> Vec<u8> {
    let mut stream = Vec::new();
    for text in ["grüezi mitenand", "", "€ 😀", &"lang ".repeat(40)] {
        encoder.encode(Opcode::Text, text.as_bytes(), || key, &mut stream);
        encode_frame(Opcode::Ping, key, b"\xff", &mut stream);
        encoder.encode(Opcode::Binary, text.as_bytes(), || key, &mut stream);
    }
    encode_frame(Opcode::Close, key, b"\x03\xe8bye", &mut stream);
    stream
}

fn decoder(role: Role) -> MessageDecoder {
    MessageDecoder::new(role, BYTES_MAX)
}

fn in_fragments() -> MessageEncoder {
    MessageEncoder::new().with_fragments_of(3.try_into().unwrap())
}

const ROLES: [(Role, Role, Option<[u8; 4]>); 2] = [
    (Role::Client, Role::Server, None),
    (Role::Server, Role::Client, Some(*b"mask")),
];

#[test]
fn messages() {
    for (role, _, key) in ROLES {
        for encoder in [MessageEncoder::new, in_fragments] {
            let stream = messages_of(encoder(), key);
            let outcome = at_every_split(&stream, || {
                let mut decoder = decoder(role);
                move |input: &mut [u8]| message(&mut decoder, input)
            });
            assert!(outcome.events.len() >= 14, "{outcome:?}");
        }
    }
}

#[test]
fn compressed_messages() {
    let parameters = DeflateParameters::default();
    for (role, peer, key) in ROLES {
        for encoder in [MessageEncoder::new, in_fragments] {
            let encoder = encoder().with_deflater(Deflater::new(parameters, peer, 6), 0);
            let stream = messages_of(encoder, key);
            let outcome = at_every_split(&stream, || {
                let mut decoder = decoder(role).with_inflater(Inflater::new(parameters, role));
                move |input: &mut [u8]| message(&mut decoder, input)
            });
            assert!(outcome.events.len() >= 14, "{outcome:?}");
        }
    }
}

#[test]
fn invalid_frames() {
    for bytes in [
        b"\x81\x05Hello\xc1\x05Hello".as_slice(),
        b"\x81\x05Hello\x83\x00",
        b"\x81\x05Hello\x09\x00",
        b"\x81\x05Hello\x89\x7e\x00\x7e",
        b"\x81\x05Hello\x81\x85mask",
        b"\x82\x7e\x00\x05Hello",
        b"\x82\x7f\x80\x00\x00\x00\x00\x00\x00\x00",
        b"\x82\x7e\x07\xd1",
        b"\x80\x00",
        b"\x01\x01a\x81\x00",
        b"\x01\x02a\xe2\x00\x01a",
        b"\x01\x02a\xe2\x80\x00",
        b"\x81\x0agr\xfc",
        b"\x88\x01\x03",
        b"\x88\x02\x03\xed",
        b"\x88\x03\x03\xe8\xff",
    ] {
        let outcome = at_every_split(bytes, || {
            let mut decoder = decoder(Role::Client);
            move |input: &mut [u8]| message(&mut decoder, input)
        });
        assert!(outcome.error.is_some(), "{bytes:x?}");
    }
}

#[test]
fn an_opening_handshake_and_frames_for_a_client() {
    let mut stream = Vec::new();
    let request = Request::decode(REQUEST).unwrap().unwrap();
    request.encode_response(&mut stream);
    stream.extend(messages_of(MessageEncoder::new(), None));
    let handshake = ClientHandshake::new("server.example.com", "/chat", &[]).unwrap();
    let outcome = at_every_split(&stream, || {
        let (handshake, mut decoder) = (&handshake, None);
        move |input: &mut [u8]| {
            if let Some(decoder) = &mut decoder {
                return message(decoder, input);
            }
            let response = handshake.decode_response(KEY, input);
            let response = response.map_err(|error| error.to_string())?;
            Ok(response.map(|response| {
                decoder = Some(self::decoder(Role::Client));
                (response.consumed_bytes, format!("{response:?}"))
            }))
        }
    });
    assert!(outcome.events.len() > 14, "{outcome:?}");
}

#[test]
fn an_opening_handshake_and_frames_for_a_server() {
    let stream = [REQUEST, &messages_of(MessageEncoder::new(), Some([7; 4]))].concat();
    let outcome = at_every_split(&stream, || {
        let mut decoder = None;
        move |input: &mut [u8]| {
            if let Some(decoder) = &mut decoder {
                return message(decoder, input);
            }
            let request = Request::decode(input).map_err(|error| error.to_string())?;
            Ok(request.map(|request| {
                decoder = Some(self::decoder(Role::Server));
                (request.consumed_bytes, format!("{request:?}"))
            }))
        }
    });
    assert!(outcome.events.len() > 14, "{outcome:?}");
}

#[test]
fn framed_tcp() {
    let mut stream = Vec::new();
    for message in [b"hello".as_slice(), b"", &[7; 300], b"\xff"] {
        encode_framed(message, &mut stream);
    }
    for (end, events) in [(b"".as_slice(), 5), (b"\x00\x00\x07\xd1", 4)] {
        let outcome = at_every_split(&[&stream, end].concat(), || {
            let decoder = FramedDecoder::new(BYTES_MAX);
            move |input: &mut [u8]| match decoder.decode(input) {
                Ok(Decoded::Incomplete { .. }) => Ok(None),
                Ok(Decoded::Event {
                    consumed_bytes,
                    event,
                }) => Ok(Some((consumed_bytes, format!("{event:?}")))),
                Err(error) => Err(error.to_string()),
            }
        });
        assert_eq!(outcome.events.len(), events);
        assert_eq!(outcome.error.is_some(), events == 4);
    }
}

/// The packets of a session: texts, an event with attachments, and a disconnect.
fn packets() -> [Packet<'static>; 7] {
    [
        Packet::Open(b"{\"sid\":\"x\"}"),
        Packet::Message(b"0/feed,{\"sid\":\"y\"}"),
        Packet::Message(
            b"52-[\"two\",{\"_placeholder\":true,\"num\":0},{\"_placeholder\":true,\"num\":1}]",
        ),
        Packet::Binary(b"\x00\xff"),
        Packet::Binary(b""),
        Packet::Message("2[\"text\",\"grüezi €\"]".as_bytes()),
        Packet::Message(b"1/feed,"),
    ]
}

/// Decodes one packet of a session to a text.
fn session(assembler: &mut Assembler, packet: Packet<'_>) -> Result<String, String> {
    let whole = match packet {
        Packet::Message(text) => assembler.receive_text(text),
        Packet::Binary(data) => assembler.receive_binary(data),
        other => return Ok(format!("{other:?}")),
    };
    let shown = |whole: Option<Assembled<'_>>| match whole {
        Some(Assembled {
            packet,
            attachments,
        }) => {
            let first = attachments.get(0);
            format!("{packet:?} with {} {first:?}", attachments.len())
        }
        None => "attachments follow".to_owned(),
    };
    whole.map(shown).map_err(|error| error.to_string())
}

#[test]
fn socket_io_over_websocket() {
    for encoder in [MessageEncoder::new, in_fragments] {
        let (mut stream, mut encoder) = (Vec::new(), encoder());
        for packet in packets() {
            let mut payload = Vec::new();
            packet.encode(Version::V4, &mut payload);
            encoder.encode(packet.opcode(), &payload, || None, &mut stream);
        }
        let outcome = at_every_split(&stream, || {
            let mut decoder = decoder(Role::Client);
            let mut packets = PacketDecoder::new(Version::V4);
            let mut assembler = Assembler::new(3, BYTES_MAX);
            move |input: &mut [u8]| {
                let (bytes, packet) = match decoder.decode(input) {
                    Ok(Decoded::Incomplete { .. }) => return Ok(None),
                    Ok(Decoded::Event {
                        consumed_bytes,
                        event: Event::Text(text),
                    }) => (consumed_bytes, packets.decode_text(text)),
                    Ok(Decoded::Event {
                        consumed_bytes,
                        event: Event::Binary(data),
                    }) => (consumed_bytes, Ok(Packet::Binary(data))),
                    Ok(Decoded::Event { consumed_bytes, .. }) => {
                        return Ok(Some((consumed_bytes, "fragment".to_owned())));
                    }
                    Err(error) => return Err(error.to_string()),
                };
                let packet = packet.map_err(|error| error.to_string())?;
                Ok(Some((bytes, session(&mut assembler, packet)?)))
            }
        });
        assert!(outcome.events.len() >= 8, "{outcome:?}");
        assert!(outcome.error.is_none(), "{outcome:?}");
    }
}

/// Decodes all packets of a body to a text.
fn body(
    packets: &mut PacketDecoder,
    assembler: &mut Assembler,
    mut rest: &[u8],
) -> Result<String, String> {
    let mut events = Vec::new();
    while !rest.is_empty() {
        let decoded = packets.decode_payload(rest);
        let (bytes, packet) = decoded.map_err(|error| error.to_string())?;
        events.push(session(assembler, packet)?);
        rest = &rest[bytes..];
    }
    Ok(events.join("; "))
}

/// Two bodies, the first with a length and the second chunked, each with the packets of a session.
fn bodies() -> (String, Vec<u8>) {
    let mut payload = Vec::new();
    for packet in packets() {
        encode_payload(&packet, &mut payload);
    }
    let whole = format!("Content-Length: {}\r\n\r\n", payload.len());
    let mut chunked = b"Transfer-Encoding: chunked\r\n\r\n".to_vec();
    for chunk in payload.chunks(50) {
        chunked.extend(format!("{:x}\r\n", chunk.len()).into_bytes());
        chunked.extend_from_slice(chunk);
        chunked.extend_from_slice(b"\r\n");
    }
    chunked.extend_from_slice(b"0\r\n\r\n");
    (whole + std::str::from_utf8(&payload).unwrap(), chunked)
}

#[test]
fn socket_io_over_polling_for_a_client() {
    let (whole, chunked) = bodies();
    let head: &[u8] = b"HTTP/1.1 200 OK\r\n";
    let stream = [head, whole.as_bytes(), head, &chunked].concat();
    let outcome = at_every_split(&stream, || {
        let mut decoder = ResponseDecoder::new(BYTES_MAX);
        let mut packets = PacketDecoder::new(Version::V4);
        let mut assembler = Assembler::new(3, BYTES_MAX);
        move |input: &mut [u8]| match decoder.decode(input) {
            Ok(Decoded::Incomplete { .. }) => Ok(None),
            Ok(Decoded::Event {
                consumed_bytes,
                event: HttpEvent::Response(response),
            }) => {
                let packets_text = body(&mut packets, &mut assembler, response.body)?;
                Ok(Some((
                    consumed_bytes,
                    format!("{} {packets_text}", response.status),
                )))
            }
            Ok(Decoded::Event { consumed_bytes, .. }) => Ok(Some((consumed_bytes, String::new()))),
            Err(error) => Err(error.to_string()),
        }
    });
    let responses: Vec<_> = outcome
        .events
        .iter()
        .filter(|event| !event.is_empty())
        .collect();
    assert_eq!(responses.len(), 3, "{outcome:?}");
    assert_eq!(responses[0], responses[1]);
}
