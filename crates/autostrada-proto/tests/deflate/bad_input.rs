//! Invalid and too long compressed messages: RFC 7692, sections 7.2.2 and 8.

use autostrada_proto::close::ProtocolError;
use autostrada_proto::frame::{FrameHeader, Opcode};
use autostrada_proto::message::Decoded;

use super::{client, decode, server};

fn compressed(opcode: Opcode, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    server().encode(opcode, payload, || None, &mut out);
    out
}

/// The frame of a compressed message with this payload, which may be invalid.
fn frame(payload: &[u8]) -> Vec<u8> {
    let header = FrameHeader {
        fin: true,
        rsv: 0b100,
        opcode: Opcode::Binary,
        masking_key: None,
        payload_length: payload.len() as u64,
    };
    let mut out = Vec::new();
    header.encode(&mut out);
    out.extend_from_slice(payload);
    out
}

/// The error of frames at a client with this limit.
fn error_of(max_message_bytes: usize, frames: &[u8]) -> Option<ProtocolError> {
    decode(client(max_message_bytes), frames).err()
}

#[test]
fn the_limit_applies_to_the_decompressed_message_and_to_the_sum_of_fragments() {
    let scattered: Vec<u8> = (0..1000_u32)
        .map(|i| (i * i / 7).to_le_bytes()[0])
        .collect();
    let mut fragments = Vec::new();
    server().with_fragments_of(2.try_into().unwrap()).encode(
        Opcode::Text,
        &[b'a'; 1000],
        || None,
        &mut fragments,
    );
    for frames in [
        compressed(Opcode::Binary, &[0; 1000]),
        compressed(Opcode::Binary, &scattered),
        fragments,
    ] {
        assert_eq!(error_of(1000, &frames), None);
        for max_message_bytes in [999, 500, 1, 0] {
            let error = error_of(max_message_bytes, &frames);
            assert_eq!(error, Some(ProtocolError::MessageTooLong));
        }
    }
}

#[test]
fn a_compressed_length_above_the_limit_is_an_error_before_the_payload() {
    let header = |payload_length| {
        let mut out = frame(b"");
        out.truncate(1);
        out.push(0x7e);
        out.extend_from_slice(&u16::to_be_bytes(payload_length));
        out
    };
    // 1,000 bytes in nine-bit codes, plus a margin.
    let needed_bytes = 4 + 1189;
    assert_eq!(
        client(1000).decode(&mut header(1189)),
        Ok(Decoded::Incomplete { needed_bytes })
    );
    let error = error_of(1000, &header(1190));
    assert_eq!(error, Some(ProtocolError::MessageTooLong));
}

#[test]
fn invalid_deflate_is_an_error() {
    for payload in [
        // A reserved block type, contradicting lengths, a distance beyond the window.
        b"\xff\xff\xff".as_slice(),
        b"\x00\x05\x00\x00\x00Hello\x00",
        b"\xf2\x00\x11\x00\x00",
        // A truncated block, which would include the tail.
        b"\x00\x05\x00\xfa\xffHel",
        b"\xf2\x48\xcd\xc9",
    ] {
        let error = error_of(1000, &frame(payload));
        assert_eq!(error, Some(ProtocolError::InvalidDeflate), "{payload:x?}");
    }
    assert_eq!(ProtocolError::InvalidDeflate.close_code(), 1007);
}

#[test]
fn a_compressed_text_must_be_utf8() {
    for text in [b"\xff".as_slice(), b"abc\xed\xa0\x80", b"abc\xf0\x9f\x98"] {
        let error = error_of(1000, &compressed(Opcode::Text, text));
        assert_eq!(error, Some(ProtocolError::InvalidUtf8));
        let frames = compressed(Opcode::Binary, text);
        assert_eq!(error_of(1000, &frames), None);
    }
}
