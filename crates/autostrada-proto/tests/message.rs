//! The message decoder: RFC 6455, sections 5.4 to 5.7 and 8.1.

use autostrada_proto::close::{Close, ProtocolError};
use autostrada_proto::frame::{FrameHeader, Opcode};
use autostrada_proto::message::{Decoded, Event, MessageDecoder, Role};
use proptest::prelude::*;

const KEY: [u8; 4] = [0x37, 0xfa, 0x21, 0x3d];
const MAX_MESSAGE_BYTES: usize = 100_000;

/// Appends a frame that an endpoint with this role receives, from the other role.
fn push_frame(role: Role, fin: bool, opcode: Opcode, payload: &[u8], out: &mut Vec<u8>) {
    let masking_key = match role {
        Role::Client => None,
        Role::Server => Some(KEY),
    };
    let payload_length = payload.len() as u64;
    FrameHeader {
        fin,
        rsv: 0,
        opcode,
        masking_key,
        payload_length,
    }
    .encode(out);
    let key = masking_key.unwrap_or_default();
    out.extend(
        payload
            .iter()
            .zip(key.iter().cycle())
            .map(|(byte, key_byte)| byte ^ key_byte),
    );
}

fn frame(role: Role, fin: bool, opcode: Opcode, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    push_frame(role, fin, opcode, payload, &mut out);
    out
}

/// A receiving endpoint: received bytes and their decoder.
struct Endpoint {
    decoder: MessageDecoder,
    buffer: Vec<u8>,
}

impl Endpoint {
    fn new(role: Role) -> Self {
        Self {
            decoder: MessageDecoder::new(role, MAX_MESSAGE_BYTES),
            buffer: Vec::new(),
        }
    }

    /// Receives bytes; returns the `Debug` texts of the events that they complete.
    fn receive(&mut self, bytes: &[u8]) -> Result<Vec<String>, ProtocolError> {
        self.buffer.extend_from_slice(bytes);
        let mut events = Vec::new();
        let mut start = 0;
        loop {
            let input = &mut self.buffer[start..];
            let input_bytes = input.len();
            match self.decoder.decode(input)? {
                Decoded::Event {
                    consumed_bytes,
                    event,
                } => {
                    events.push(format!("{event:?}"));
                    start += consumed_bytes;
                }
                Decoded::Incomplete { needed_bytes } => {
                    assert!(
                        needed_bytes > input_bytes,
                        "the needed bytes are already there"
                    );
                    self.buffer.drain(..start);
                    return Ok(events);
                }
            }
        }
    }
}

fn decode_one(role: Role, bytes: &[u8]) -> Result<Vec<String>, ProtocolError> {
    Endpoint::new(role).receive(bytes)
}

/// Valid first frames for a role, each with its event.
fn examples(role: Role) -> Vec<(Vec<u8>, Event<'static>)> {
    let whole = |opcode, payload| frame(role, true, opcode, payload);
    let close = Close {
        code: 1000,
        reason: "tschüss",
    };
    let mut close_payload = Vec::new();
    close.encode(&mut close_payload);
    vec![
        (whole(Opcode::Text, b"Hello"), Event::Text(b"Hello")),
        (whole(Opcode::Text, b""), Event::Text(b"")),
        (
            whole(Opcode::Text, "grüezi".as_bytes()),
            Event::Text("grüezi".as_bytes()),
        ),
        (whole(Opcode::Text, &[b'a'; 125]), Event::Text(&[b'a'; 125])),
        (whole(Opcode::Text, &[b'a'; 126]), Event::Text(&[b'a'; 126])),
        (
            whole(Opcode::Binary, &[0xff; 256]),
            Event::Binary(&[0xff; 256]),
        ),
        (
            whole(Opcode::Binary, &[0xff; 65_536]),
            Event::Binary(&[0xff; 65_536]),
        ),
        (frame(role, false, Opcode::Text, b"Hel"), Event::Fragment),
        (whole(Opcode::Ping, b"Hello"), Event::Ping(b"Hello")),
        (whole(Opcode::Pong, b"Hello"), Event::Pong(b"Hello")),
        (whole(Opcode::Close, b""), Event::Close(None)),
        (
            whole(Opcode::Close, &close_payload),
            Event::Close(Some(close)),
        ),
    ]
}

#[test]
fn every_prefix_is_incomplete_and_does_not_change_the_event() {
    for role in [Role::Client, Role::Server] {
        for (bytes, event) in examples(role) {
            let mut decoder = MessageDecoder::new(role, MAX_MESSAGE_BYTES);
            // Most ends inside a long payload are equivalent and skipped.
            for end in (0..bytes.len()).filter(|&end| end < 200 || end + 20 > bytes.len()) {
                match decoder.decode(&mut bytes[..end].to_vec()) {
                    Ok(Decoded::Incomplete { needed_bytes }) => {
                        assert!((end + 1..=bytes.len()).contains(&needed_bytes));
                    }
                    other => panic!("{other:?} after {end} bytes of {event:?}"),
                }
            }
            let consumed_bytes = bytes.len();
            let mut input = bytes;
            input.extend_from_slice(b"\xff\xff\xff\xff");
            let result = decoder.decode(&mut input);
            assert_eq!(
                result,
                Ok(Decoded::Event {
                    consumed_bytes,
                    event
                })
            );
        }
    }
}

/// Asserts that these bytes are an error, in one piece and byte by byte.
fn assert_refused(role: Role, bytes: &[u8], error: ProtocolError) {
    assert_eq!(decode_one(role, bytes), Err(error), "{bytes:x?}");
    let mut endpoint = Endpoint::new(role);
    let result = bytes
        .chunks(1)
        .try_for_each(|byte| endpoint.receive(byte).map(drop));
    assert_eq!(result, Err(error), "{bytes:x?}");
}

#[test]
fn frames_of_the_own_role_are_errors() {
    let masked = ProtocolError::MaskedFrame;
    assert_refused(Role::Client, b"\x81\x81\0\0\0\0a", masked);
    assert_refused(Role::Client, b"\x89\x80\0\0\0\0", masked);
    assert_eq!(masked.close_code(), 1002);
    let unmasked = ProtocolError::UnmaskedFrame;
    assert_refused(Role::Server, b"\x81\x01a", unmasked);
    assert_refused(Role::Server, b"\x88\x00", unmasked);
    assert_eq!(unmasked.close_code(), 1002);
}

#[test]
fn violations_of_framing_rules_are_protocol_errors() {
    use ProtocolError as E;
    let cases: [(&[u8], E); 10] = [
        (b"\xc1\x01a", E::ReservedBits),
        (b"\x80\x01a", E::NothingToContinue),
        (b"\x00\x01a", E::NothingToContinue),
        (b"\x81\x01a\x80\x01b", E::NothingToContinue),
        (b"\x01\x00\x80\x00\x80\x00", E::NothingToContinue),
        (b"\x01\x01a\x81\x01b", E::UnfinishedMessage),
        (b"\x01\x01a\x02\x01b", E::UnfinishedMessage),
        (b"\x02\x01a\x89\x00\x82\x01b", E::UnfinishedMessage),
        (b"\x88\x01\x03", E::TruncatedCloseCode),
        (b"\x88\x02\x03\xed", E::InvalidCloseCode(1005)),
    ];
    for (bytes, error) in cases {
        assert_refused(Role::Client, bytes, error);
        assert_eq!(error.close_code(), 1002);
    }
}

#[test]
fn invalid_utf8_has_its_own_close_code() {
    let error = ProtocolError::InvalidUtf8;
    assert_eq!(error.close_code(), 1007);
    for bytes in [
        b"\x81\x01\xff".as_slice(),
        b"\x01\x02a\xe2\x80\x00",
        b"\x88\x03\x03\xe8\xff",
    ] {
        assert_refused(Role::Client, bytes, error);
    }
}

#[test]
fn invalid_utf8_is_found_at_every_offset_of_every_length() {
    for length in 1..300 {
        for index in 0..length {
            let mut payload = vec![b'a'; length];
            payload[index] = 0x80;
            let bytes = frame(Role::Client, true, Opcode::Text, &payload);
            assert_eq!(
                decode_one(Role::Client, &bytes),
                Err(ProtocolError::InvalidUtf8)
            );
        }
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
        let result = decoder.decode(&mut bytes).map(drop);
        let expected = if is_allowed {
            Ok(())
        } else {
            Err(ProtocolError::MessageTooLong)
        };
        assert_eq!(result, expected, "{opcode:?} of {length} bytes");
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
    let mut header = *b"\x82\x7f\x7f\xff\xff\xff\xff\xff\xff\xff";
    let mut decoder = MessageDecoder::new(Role::Client, MAX_MESSAGE_BYTES);
    assert_eq!(
        decoder.decode(&mut header),
        Err(ProtocolError::MessageTooLong)
    );
    assert_eq!(
        decoder.decode(b"\x82\x7f\0\0\0\0\0\x01\x86\xa1".to_vec().as_mut_slice()),
        Err(ProtocolError::MessageTooLong)
    );
}

#[test]
fn an_announced_length_allocates_no_memory() {
    let mut header = *b"\x02\x7f\x3f\xff\xff\xff\xff\xff\xff\xff";
    let mut decoder = MessageDecoder::new(Role::Client, isize::MAX.unsigned_abs());
    let needed_bytes = (1 << 62) - 1 + header.len();
    assert_eq!(
        decoder.decode(&mut header),
        Ok(Decoded::Incomplete { needed_bytes })
    );
}

#[test]
fn is_between_messages_only_between_messages() {
    let mut decoder = MessageDecoder::new(Role::Client, 10);
    assert!(decoder.is_between_messages());
    for (bytes, is_between) in [
        (b"\x01\x01a", false),
        (b"\x89\x01?", false),
        (b"\x00\x01b", false),
        (b"\x80\x01c", true),
        (b"\x81\x01d", true),
    ] {
        decoder.decode(&mut bytes.clone()).unwrap();
        assert_eq!(decoder.is_between_messages(), is_between);
    }
}

/// A message and the offsets at which it is fragmented.
fn any_message() -> impl Strategy<Value = (bool, Vec<u8>, Vec<usize>)> {
    let text = prop::collection::vec(any::<char>(), 0..100).prop_map(|characters| {
        (
            true,
            characters.into_iter().collect::<String>().into_bytes(),
        )
    });
    let binary = prop::collection::vec(any::<u8>(), 0..300).prop_map(|bytes| (false, bytes));
    (
        prop_oneof![text, binary],
        prop::collection::vec(any::<prop::sample::Index>(), 0..5),
    )
        .prop_map(|((is_text, payload), cuts)| {
            let mut cuts: Vec<_> = cuts
                .iter()
                .map(|cut| cut.index(payload.len() + 1))
                .collect();
            cuts.sort_unstable();
            (is_text, payload, cuts)
        })
}

/// Appends a message in fragments with a ping after each; returns the expected events.
fn push_message(
    role: Role,
    is_text: bool,
    payload: &[u8],
    cuts: &[usize],
    stream: &mut Vec<u8>,
) -> Vec<String> {
    let mut events = Vec::new();
    let mut opcode = if is_text {
        Opcode::Text
    } else {
        Opcode::Binary
    };
    let mut start = 0;
    for &cut in cuts {
        push_frame(role, false, opcode, &payload[start..cut], stream);
        push_frame(role, true, Opcode::Ping, b"between", stream);
        events.push(format!("{:?}", Event::Fragment));
        events.push(format!("{:?}", Event::Ping(b"between")));
        opcode = Opcode::Continuation;
        start = cut;
    }
    push_frame(role, true, opcode, &payload[start..], stream);
    let event = if is_text {
        Event::Text(payload)
    } else {
        Event::Binary(payload)
    };
    events.push(format!("{event:?}"));
    events
}

proptest! {
    #[test]
    fn messages_are_decoded_at_any_fragmentation_and_split(
        role in prop_oneof![Just(Role::Client), Just(Role::Server)],
        messages in prop::collection::vec(any_message(), 1..6),
        splits in prop::collection::vec(any::<prop::sample::Index>(), 0..10),
    ) {
        let mut stream = Vec::new();
        let mut expected = Vec::new();
        for (is_text, payload, cuts) in &messages {
            expected.extend(push_message(role, *is_text, payload, cuts, &mut stream));
        }
        let mut splits: Vec<_> = splits.iter().map(|split| split.index(stream.len())).collect();
        splits.extend([0, stream.len()]);
        splits.sort_unstable();
        let mut endpoint = Endpoint::new(role);
        let mut events = Vec::new();
        for part in splits.windows(2) {
            events.extend(endpoint.receive(&stream[part[0]..part[1]]).unwrap());
        }
        prop_assert_eq!(events, expected);
        prop_assert!(endpoint.decoder.is_between_messages());
        prop_assert!(endpoint.buffer.is_empty());
    }
}
