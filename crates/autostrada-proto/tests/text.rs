//! Invalid texts fail at their first invalid byte, even if their frame is incomplete.

use autostrada_proto::close::ProtocolError;
use autostrada_proto::frame::{FrameHeader, Opcode};
use autostrada_proto::mask::apply_mask;
use autostrada_proto::message::{Decoded, Event, MessageDecoder, Role};
use proptest::prelude::*;

const KEY: [u8; 4] = [0x37, 0xfa, 0x21, 0x3d];

/// Appends a frame that an endpoint with this role receives, from the other role.
fn push_frame(role: Role, fin: bool, opcode: Opcode, payload: &[u8], out: &mut Vec<u8>) {
    let masking_key = match role {
        Role::Client => None,
        Role::Server => Some(KEY),
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
    if let Some(key) = masking_key {
        apply_mask(key, &mut out[start..]);
    }
}

/// Returns the frames of a text fragmented at `cuts`, with pings between them and a frame after
/// it, and for each byte of the text the length of the stream up to and including it.
fn stream(role: Role, text: &[u8], cuts: &[usize]) -> (Vec<u8>, Vec<usize>) {
    let (mut bytes, mut ends) = (Vec::new(), Vec::new());
    let mut opcode = Opcode::Text;
    let bounds: Vec<_> = [0]
        .iter()
        .chain(cuts)
        .chain(&[text.len()])
        .copied()
        .collect();
    for bound in bounds.windows(2) {
        let fin = bound[1] == text.len();
        let fragment = &text[bound[0]..bound[1]];
        push_frame(role, fin, opcode, fragment, &mut bytes);
        let begins = bytes.len() - fragment.len();
        ends.extend((1..=fragment.len()).map(|byte| begins + byte));
        if fin {
            break;
        }
        push_frame(role, true, Opcode::Ping, b"\xff", &mut bytes);
        opcode = Opcode::Continuation;
    }
    push_frame(role, true, Opcode::Text, b"next", &mut bytes);
    (bytes, ends)
}

/// Receives bytes in parts of this length. Returns the texts, or the number of bytes received
/// when the error was found; and the number of bytes received.
fn receive(role: Role, bytes: &[u8], part_bytes: usize) -> (Result<Vec<String>, usize>, usize) {
    let mut decoder = MessageDecoder::new(role, 1 << 20);
    let (mut buffer, mut texts, mut received_bytes) = (Vec::new(), Vec::new(), 0);
    for part in bytes.chunks(part_bytes) {
        buffer.extend_from_slice(part);
        received_bytes += part.len();
        loop {
            match decoder.decode(&mut buffer) {
                Ok(Decoded::Incomplete { .. }) => break,
                Ok(Decoded::Event {
                    consumed_bytes,
                    event,
                }) => {
                    if let Event::Text(text) = event {
                        texts.push(String::from_utf8(text.to_vec()).unwrap());
                    }
                    buffer.drain(..consumed_bytes);
                }
                Err(ProtocolError::InvalidUtf8) => return (Err(received_bytes), received_bytes),
                Err(error) => panic!("{error}"),
            }
        }
    }
    (Ok(texts), received_bytes)
}

/// Invalid texts, each with the offset of its first invalid byte.
const WRONG: [(&[u8], usize); 9] = [
    (b"\x80bcdefgh", 0),
    (b"abcdefg\xff", 7),
    (b"abc\xc0\x80def", 3),
    (b"abc\xed\xa0\x80def", 4),
    (b"abc\xf4\x90\x80\x80def", 4),
    (b"abc\xe2\x82def", 5),
    (b"\xf0\x9f\x98\x80\xf0\x9f\x98a", 7),
    (b"\xce\xba\xe1\xbd\xb9\xcf\x83\xed\xa0\x80", 8),
    (b"abcd\xf8\x88\x80\x80\x80", 4),
];

#[test]
fn a_text_fails_at_its_first_invalid_byte_at_any_fragmentation() {
    for role in [Role::Client, Role::Server] {
        for (text, wrong_at) in WRONG {
            for cut in 0..text.len() {
                for cuts in [vec![], vec![cut], vec![cut / 2, cut]] {
                    let (bytes, ends) = stream(role, text, &cuts);
                    let (outcome, _) = receive(role, &bytes, 1);
                    assert_eq!(outcome, Err(ends[wrong_at]), "{text:x?} cut at {cuts:?}");
                }
            }
        }
    }
}

#[test]
fn a_long_invalid_text_fails_before_it_is_complete() {
    for role in [Role::Client, Role::Server] {
        for wrong_at in [0, 1, 1022, 1023, 1024, 1025, 4000, 70_000] {
            let mut text = "ä".repeat(40_000).into_bytes();
            text[wrong_at] = 0xff;
            let (bytes, ends) = stream(role, &text, &[]);
            for part_bytes in [1, 7, 1000] {
                let (outcome, received_bytes) = receive(role, &bytes, part_bytes);
                assert_eq!(outcome, Err(received_bytes));
                assert!(
                    received_bytes < ends[wrong_at] + part_bytes,
                    "after {received_bytes} bytes"
                );
            }
        }
    }
}

#[test]
fn a_partly_validated_message_is_not_between_messages() {
    let mut decoder = MessageDecoder::new(Role::Client, 100);
    decoder.decode(b"\x81\x02".to_vec().as_mut_slice()).unwrap();
    assert!(
        decoder.is_between_messages(),
        "no byte of the text was received"
    );
    decoder
        .decode(b"\x81\x02a".to_vec().as_mut_slice())
        .unwrap();
    assert!(!decoder.is_between_messages());
    decoder
        .decode(b"\x81\x02ab".to_vec().as_mut_slice())
        .unwrap();
    assert!(decoder.is_between_messages());
}

proptest! {
    #[test]
    fn a_text_in_parts_is_valid_if_and_only_if_it_is_valid_as_a_whole(
        mut text in any::<String>().prop_map(String::into_bytes),
        damage in prop::option::of((any::<prop::sample::Index>(), any::<u8>())),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        part_bytes in 1..20_usize,
        role in prop_oneof![Just(Role::Client), Just(Role::Server)],
    ) {
        if let Some((index, byte)) = damage && !text.is_empty() {
            let index = index.index(text.len());
            text[index] = byte;
        }
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(text.len().max(1))).collect();
        cuts.sort_unstable();
        let (bytes, _) = stream(role, &text, &cuts);
        let (outcome, _) = receive(role, &bytes, part_bytes);
        match String::from_utf8(text) {
            Ok(text) => prop_assert_eq!(outcome, Ok(vec![text, "next".to_owned()])),
            Err(_) => prop_assert!(outcome.is_err()),
        }
    }
}
