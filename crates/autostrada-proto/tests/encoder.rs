//! The message encoder: RFC 6455, sections 5.4 and 5.7, and decoding of its output.

use autostrada_proto::frame::{Opcode, encode_frame};
use autostrada_proto::message::{Decoded, Event, MessageDecoder, MessageEncoder, Role};
use proptest::prelude::*;

fn encode(encoder: &mut MessageEncoder, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    encoder.encode(Opcode::Text, payload, || None, &mut out);
    out
}

#[test]
fn fragments_are_encoded_as_in_the_rfc() {
    let mut encoder = MessageEncoder::new().with_fragments_of(3.try_into().unwrap());
    let fragments = b"\x01\x03Hel\x80\x02lo";
    assert_eq!(encode(&mut encoder, b"Hello"), fragments);
    assert_eq!(encode(&mut encoder, b"Hel"), b"\x81\x03Hel");
    assert_eq!(encode(&mut encoder, b""), b"\x81\x00");
    let fragments = b"\x01\x03Hel\x00\x03lo \x80\x03you";
    assert_eq!(encode(&mut encoder, b"Hello you"), fragments);
}

#[test]
fn every_frame_has_its_own_key() {
    let mut encoder = MessageEncoder::new().with_fragments_of(1.try_into().unwrap());
    let mut keys = 0..;
    let mut out = Vec::new();
    encoder.encode(
        Opcode::Binary,
        &[0; 3],
        || keys.next().map(|key| [key; 4]),
        &mut out,
    );
    assert_eq!(
        out,
        b"\x02\x81\0\0\0\0\0\x00\x81\x01\x01\x01\x01\x01\x80\x81\x02\x02\x02\x02\x02"
    );
}

#[test]
#[should_panic(expected = "is not a message")]
fn a_control_frame_is_not_a_message() {
    MessageEncoder::new().encode(Opcode::Ping, b"", || None, &mut Vec::new());
}

proptest! {
    #[test]
    fn messages_are_decoded_as_they_were_encoded(
        is_text: bool,
        text in any::<String>(),
        fragment in 1..40_usize,
        key in any::<Option<[u8; 4]>>(),
    ) {
        let (opcode, event) = if is_text {
            (Opcode::Text, Event::Text(text.as_bytes()))
        } else {
            (Opcode::Binary, Event::Binary(text.as_bytes()))
        };
        let role = if key.is_some() { Role::Server } else { Role::Client };
        let mut out = Vec::new();
        MessageEncoder::new()
            .with_fragments_of(fragment.try_into().unwrap())
            .encode(opcode, text.as_bytes(), || key, &mut out);
        let mut decoder = MessageDecoder::new(role, 1 << 20);
        let mut rest = out.as_mut_slice();
        for _ in 1..text.len().div_ceil(fragment) {
            match decoder.decode(rest).unwrap() {
                Decoded::Event { consumed_bytes, event: Event::Fragment } => {
                    rest = &mut rest[consumed_bytes..];
                }
                other => panic!("{other:?}"),
            }
        }
        let consumed_bytes = rest.len();
        prop_assert_eq!(decoder.decode(rest), Ok(Decoded::Event { consumed_bytes, event }));

        let mut whole = Vec::new();
        let mut frame = Vec::new();
        MessageEncoder::new().encode(opcode, text.as_bytes(), || key, &mut whole);
        encode_frame(opcode, key, text.as_bytes(), &mut frame);
        prop_assert_eq!(whole, frame);
    }
}
