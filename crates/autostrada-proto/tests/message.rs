//! Messages, received and sent: RFC 6455, sections 5.4 to 5.7 and 8.1.

use autostrada_proto::close::{Close, ProtocolError};
use autostrada_proto::frame::{FrameHeader, Opcode};
use autostrada_proto::mask::apply_mask;
use autostrada_proto::message::{Decoded, Event, MessageDecoder, MessageEncoder, Role};
use proptest::prelude::*;

const MAX_MESSAGE_BYTES: usize = 100_000;

/// Appends a frame that an endpoint with this role receives, from the other role.
fn push_frame(role: Role, fin: bool, opcode: Opcode, payload: &[u8], out: &mut Vec<u8>) {
    let masking_key = match role {
        Role::Client => None,
        Role::Server => Some([0x37, 0xfa, 0x21, 0x3d]),
    };
    let header = FrameHeader {
        fin,
        rsv: 0,
        opcode,
        masking_key,
        payload_length: payload.len() as u64,
    };
    header.encode(out);
    let start = out.len();
    out.extend_from_slice(payload);
    apply_mask(masking_key.unwrap_or_default(), &mut out[start..]);
}

fn frame(role: Role, fin: bool, opcode: Opcode, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    push_frame(role, fin, opcode, payload, &mut out);
    out
}

/// Receives bytes in parts; returns the `Debug` texts of the events, or the error with the number
/// of bytes received until then.
fn receive<'b>(
    role: Role,
    parts: impl IntoIterator<Item = &'b [u8]>,
) -> Result<Vec<String>, (ProtocolError, usize)> {
    let mut decoder = MessageDecoder::new(role, MAX_MESSAGE_BYTES);
    let (mut buffer, mut events, mut received_bytes) = (Vec::new(), Vec::new(), 0);
    for part in parts {
        buffer.extend_from_slice(part);
        received_bytes += part.len();
        loop {
            let input_bytes = buffer.len();
            match decoder.decode(&mut buffer) {
                Ok(Decoded::Event {
                    consumed_bytes,
                    event,
                }) => {
                    events.push(format!("{event:?}"));
                    buffer.drain(..consumed_bytes);
                }
                Ok(Decoded::Incomplete { needed_bytes }) => {
                    assert!(needed_bytes > input_bytes, "they are already there");
                    break;
                }
                Err(error) => return Err((error, received_bytes)),
            }
        }
    }
    assert!(buffer.is_empty() && decoder.is_between_messages());
    Ok(events)
}

#[test]
fn every_prefix_is_incomplete_and_does_not_change_the_event() {
    let long = vec![b'a'; 65_536];
    let frames: [(Opcode, &[u8]); 10] = [
        (Opcode::Text, b""),
        (Opcode::Text, "grüezi".as_bytes()),
        (Opcode::Text, &long[..125]),
        (Opcode::Text, &long[..126]),
        (Opcode::Binary, &[0xff; 256]),
        (Opcode::Binary, &long[..]),
        (Opcode::Ping, b"Hello"),
        (Opcode::Pong, b"Hello"),
        (Opcode::Close, b""),
        (Opcode::Close, b"\x03\xe8bye"),
    ];
    for role in [Role::Client, Role::Server] {
        for (opcode, payload) in frames {
            let mut bytes = frame(role, true, opcode, payload);
            let consumed_bytes = bytes.len();
            let mut decoder = MessageDecoder::new(role, MAX_MESSAGE_BYTES);
            // Most ends inside a long payload are equivalent and skipped.
            for end in (0..bytes.len()).filter(|&end| end < 200 || end + 20 > bytes.len()) {
                match decoder.decode(&mut bytes[..end].to_vec()) {
                    Ok(Decoded::Incomplete { needed_bytes }) => {
                        assert!((end + 1..=bytes.len()).contains(&needed_bytes));
                    }
                    other => panic!("{other:?} after {end} bytes of {opcode:?}"),
                }
            }
            let event = match opcode {
                Opcode::Text => Event::Text(payload),
                Opcode::Ping => Event::Ping(payload),
                Opcode::Pong => Event::Pong(payload),
                Opcode::Close => Event::Close(Close::decode(payload).unwrap()),
                Opcode::Binary | Opcode::Continuation => Event::Binary(payload),
            };
            bytes.extend_from_slice(b"\xff\xff\xff\xff");
            let expected = Decoded::Event {
                consumed_bytes,
                event,
            };
            assert_eq!(decoder.decode(&mut bytes), Ok(expected));
        }
    }
}

#[test]
fn violations_are_errors_in_one_piece_and_byte_by_byte() {
    use ProtocolError as E;
    use Role::{Client, Server};
    let cases: [(Role, &[u8], E); 17] = [
        (Client, b"\x81\x81\0\0\0\0a", E::MaskedFrame),
        (Client, b"\x89\x80\0\0\0\0", E::MaskedFrame),
        (Server, b"\x81\x01a", E::UnmaskedFrame),
        (Server, b"\x88\x00", E::UnmaskedFrame),
        (Client, b"\xc1\x01a", E::ReservedBits),
        (Client, b"\x80\x01a", E::NothingToContinue),
        (Client, b"\x00\x01a", E::NothingToContinue),
        (Client, b"\x81\x01a\x80\x01b", E::NothingToContinue),
        (Client, b"\x01\x00\x80\x00\x80\x00", E::NothingToContinue),
        (Client, b"\x01\x01a\x81\x01b", E::UnfinishedMessage),
        (Client, b"\x01\x01a\x02\x01b", E::UnfinishedMessage),
        (Client, b"\x02\x01a\x89\x00\x82\x01b", E::UnfinishedMessage),
        (Client, b"\x88\x01\x03", E::TruncatedCloseCode),
        (Client, b"\x88\x02\x03\xed", E::InvalidCloseCode(1005)),
        (Client, b"\x81\x01\xff", E::InvalidUtf8),
        (Client, b"\x01\x02a\xe2\x80\x00", E::InvalidUtf8),
        (Client, b"\x88\x03\x03\xe8\xff", E::InvalidUtf8),
    ];
    for (role, bytes, error) in cases {
        for part_bytes in [1, bytes.len()] {
            let (refused, _) = receive(role, bytes.chunks(part_bytes)).unwrap_err();
            assert_eq!(refused, error, "{bytes:x?}");
        }
        let is_utf8 = error != E::InvalidUtf8;
        assert_eq!(error.close_code(), if is_utf8 { 1002 } else { 1007 });
    }
}

#[test]
fn the_limit_applies_to_whole_messages_and_to_the_sum_of_fragments() {
    for (opcode, length, is_allowed) in [
        (Opcode::Text, 10, true),
        (Opcode::Text, 11, false),
        (Opcode::Binary, 11, false),
        (Opcode::Binary, 200, false),
        (Opcode::Ping, 11, true),
    ] {
        let mut decoder = MessageDecoder::new(Role::Client, 10);
        let mut bytes = frame(Role::Client, true, opcode, &vec![b'a'; length]);
        let error = decoder.decode(&mut bytes).err();
        let expected = (!is_allowed).then_some(ProtocolError::MessageTooLong);
        assert_eq!(error, expected, "{opcode:?} of {length} bytes");
    }

    let mut decoder = MessageDecoder::new(Role::Client, 10);
    assert!(decoder.decode(&mut b"\x01\x08abcdefgh".to_vec()).is_ok());
    assert!(decoder.decode(&mut b"\x00\x02ij".to_vec()).is_ok());
    assert!(decoder.decode(&mut b"\x00\x00".to_vec()).is_ok());
    let error = decoder.decode(&mut b"\x00\x01".to_vec()).unwrap_err();
    assert_eq!(error, ProtocolError::MessageTooLong);
    assert_eq!(error.close_code(), 1009);
}

#[test]
fn a_length_above_the_limit_is_an_error_before_the_payload() {
    for header in [
        b"\x82\x7f\x7f\xff\xff\xff\xff\xff\xff\xff",
        b"\x82\x7f\0\0\0\0\0\x01\x86\xa1",
    ] {
        let (error, _) = receive(Role::Client, [header.as_slice()]).unwrap_err();
        assert_eq!(error, ProtocolError::MessageTooLong);
    }
}

#[test]
fn an_announced_length_allocates_no_memory() {
    let mut header = *b"\x02\x7f\x3f\xff\xff\xff\xff\xff\xff\xff";
    let mut decoder = MessageDecoder::new(Role::Client, isize::MAX.unsigned_abs());
    let needed_bytes = (1 << 62) - 1 + header.len();
    let incomplete = Decoded::Incomplete { needed_bytes };
    assert_eq!(decoder.decode(&mut header), Ok(incomplete));
}

#[test]
fn is_between_messages_only_between_messages() {
    let mut decoder = MessageDecoder::new(Role::Client, 10);
    assert!(decoder.is_between_messages());
    for (bytes, is_between) in [
        (b"\x01\x01a".as_slice(), false),
        (b"\x89\x01?", false),
        (b"\x00\x01b", false),
        (b"\x80\x01c", true),
        (b"\x81\x01d", true),
        // No byte of a text is validated, then a part of it, then all.
        (b"\x81\x02", true),
        (b"\x81\x02a", false),
        (b"\x81\x02ab", true),
    ] {
        decoder.decode(&mut bytes.to_vec()).unwrap();
        assert_eq!(decoder.is_between_messages(), is_between, "{bytes:x?}");
    }
}

/// A message in fragments with a ping after each.
#[derive(Default)]
struct Fragmented {
    bytes: Vec<u8>,
    /// The events of its frames.
    events: Vec<String>,
    /// For each byte of the message, the number of bytes of the stream up to and including it.
    ends: Vec<usize>,
}

impl Fragmented {
    fn push(&mut self, role: Role, kind: Opcode, payload: &[u8], cuts: &[usize]) {
        let mut opcode = kind;
        let mut start = 0;
        for &end in cuts.iter().chain([&payload.len()]) {
            let fin = end == payload.len();
            push_frame(role, fin, opcode, &payload[start..end], &mut self.bytes);
            let first = self.bytes.len() - (end - start);
            self.ends.extend(first + 1..=self.bytes.len());
            if fin {
                break;
            }
            push_frame(role, true, Opcode::Ping, b"\xff", &mut self.bytes);
            self.events.push(format!("{:?}", Event::Fragment));
            self.events.push(format!("{:?}", Event::Ping(b"\xff")));
            opcode = Opcode::Continuation;
            start = end;
        }
        let event = match kind {
            Opcode::Text => Event::Text(payload),
            _ => Event::Binary(payload),
        };
        self.events.push(format!("{event:?}"));
    }
}

#[test]
fn a_text_fails_at_its_first_invalid_byte_at_any_fragmentation() {
    for role in [Role::Client, Role::Server] {
        for (text, invalid_at) in [
            (b"\x80bcdefgh".as_slice(), 0),
            (b"abc\xed\xa0\x80def", 4),
            (b"\xf0\x9f\x98\x80\xf0\x9f\x98a", 7),
        ] {
            for cut in 0..text.len() {
                for cuts in [vec![], vec![cut], vec![cut / 2, cut]] {
                    let mut stream = Fragmented::default();
                    stream.push(role, Opcode::Text, text, &cuts);
                    let (error, received_bytes) =
                        receive(role, stream.bytes.chunks(1)).unwrap_err();
                    assert_eq!(error, ProtocolError::InvalidUtf8);
                    assert_eq!(
                        received_bytes, stream.ends[invalid_at],
                        "{text:x?} {cuts:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_long_invalid_text_fails_before_it_is_complete() {
    for role in [Role::Client, Role::Server] {
        for invalid_at in [0, 1, 1022, 1023, 1024, 1025, 4000, 70_000] {
            let mut text = "ä".repeat(40_000).into_bytes();
            text[invalid_at] = 0xff;
            let mut stream = Fragmented::default();
            stream.push(role, Opcode::Text, &text, &[]);
            for part_bytes in [1, 7, 1000] {
                let received = receive(role, stream.bytes.chunks(part_bytes));
                let (error, received_bytes) = received.unwrap_err();
                assert_eq!(error, ProtocolError::InvalidUtf8);
                assert!(received_bytes < stream.ends[invalid_at] + part_bytes);
            }
        }
    }
}

#[test]
fn fragments_are_encoded_as_in_the_rfc() {
    let mut encoder = MessageEncoder::new().with_fragments_of(3.try_into().unwrap());
    for (text, frames) in [
        ("Hello", b"\x01\x03Hel\x80\x02lo".as_slice()),
        ("Hel", b"\x81\x03Hel"),
        ("", b"\x81\x00"),
        ("Hello you", b"\x01\x03Hel\x00\x03lo \x80\x03you"),
    ] {
        let mut out = Vec::new();
        encoder.encode(Opcode::Text, text.as_bytes(), || None, &mut out);
        assert_eq!(out, frames);
    }
}

#[test]
fn every_frame_has_its_own_key() {
    let mut encoder = MessageEncoder::new().with_fragments_of(1.try_into().unwrap());
    let mut keys = 0..;
    let key = || keys.next().map(|key| [key; 4]);
    let mut out = Vec::new();
    encoder.encode(Opcode::Binary, &[0; 3], key, &mut out);
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

fn any_role() -> impl Strategy<Value = Role> {
    prop_oneof![Just(Role::Client), Just(Role::Server)]
}

/// Offsets at which a message of this length is fragmented.
fn cuts(indices: &[prop::sample::Index], length: usize) -> Vec<usize> {
    let mut cuts: Vec<_> = indices.iter().map(|cut| cut.index(length + 1)).collect();
    cuts.sort_unstable();
    cuts
}

fn any_message() -> impl Strategy<Value = (Opcode, Vec<u8>, Vec<usize>)> {
    let text = any::<String>().prop_map(|text| (Opcode::Text, text.into_bytes()));
    let binary = prop::collection::vec(any::<u8>(), 0..300);
    let binary = binary.prop_map(|bytes| (Opcode::Binary, bytes));
    let indices = prop::collection::vec(any::<prop::sample::Index>(), 0..5);
    (prop_oneof![text, binary], indices).prop_map(|((kind, payload), indices)| {
        let cuts = cuts(&indices, payload.len());
        (kind, payload, cuts)
    })
}

proptest! {
    #[test]
    fn messages_are_decoded_at_any_fragmentation_and_split(
        role in any_role(),
        messages in prop::collection::vec(any_message(), 1..6),
        splits in prop::collection::vec(any::<prop::sample::Index>(), 0..10),
    ) {
        let mut stream = Fragmented::default();
        for (kind, payload, cuts) in &messages {
            stream.push(role, *kind, payload, cuts);
        }
        let mut splits = cuts(&splits, stream.bytes.len());
        splits.insert(0, 0);
        splits.push(stream.bytes.len());
        let parts = splits.windows(2).map(|part| &stream.bytes[part[0]..part[1]]);
        prop_assert_eq!(receive(role, parts), Ok(stream.events));
    }

    #[test]
    fn a_text_in_parts_is_valid_if_and_only_if_it_is_valid_as_a_whole(
        text in any::<String>(),
        damage in any::<(prop::sample::Index, u8)>(),
        indices in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        part_bytes in 1..20_usize,
        role in any_role(),
    ) {
        let mut text = text.into_bytes();
        if !text.is_empty() {
            let index = damage.0.index(text.len());
            text[index] = damage.1;
        }
        let mut stream = Fragmented::default();
        stream.push(role, Opcode::Text, &text, &cuts(&indices, text.len()));
        let received = receive(role, stream.bytes.chunks(part_bytes));
        prop_assert_eq!(received.is_ok(), str::from_utf8(&text).is_ok());
    }
}
