//! Invalid and too long compressed messages: RFC 7692, sections 7.2.2 and 8.

use autostrada_proto::close::ProtocolError;
use autostrada_proto::deflate::{DeflateParameters, Deflater, Inflater};
use autostrada_proto::frame::{FrameHeader, Opcode};
use autostrada_proto::message::{Decoded, MessageDecoder, MessageEncoder, Role};

fn decoder(max_message_bytes: usize) -> MessageDecoder {
    let inflater = Inflater::new(DeflateParameters::default(), Role::Client);
    MessageDecoder::new(Role::Client, max_message_bytes).with_inflater(inflater)
}

fn compressed(opcode: Opcode, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    MessageEncoder::new()
        .with_deflater(
            Deflater::new(DeflateParameters::default(), Role::Server, 9),
            0,
        )
        .encode(opcode, payload, || None, &mut out);
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

fn error_of(decoder: &mut MessageDecoder, mut frames: Vec<u8>) -> Option<ProtocolError> {
    decoder.decode(&mut frames).err()
}

#[test]
fn the_limit_applies_to_the_decompressed_message() {
    for payload in [
        vec![0; 1000],
        (0..1000_u32)
            .map(|i| (i * i / 7).to_le_bytes()[0])
            .collect(),
    ] {
        let frames = compressed(Opcode::Binary, &payload);
        assert_eq!(error_of(&mut decoder(1000), frames.clone()), None);
        for max_message_bytes in [999, 500, 1, 0] {
            let error = error_of(&mut decoder(max_message_bytes), frames.clone());
            assert_eq!(error, Some(ProtocolError::MessageTooLong));
        }
    }
}

#[test]
fn the_limit_applies_to_the_sum_of_compressed_fragments() {
    let mut frames = Vec::new();
    let parameters = DeflateParameters::default();
    MessageEncoder::new()
        .with_fragments_of(2.try_into().unwrap())
        .with_deflater(Deflater::new(parameters, Role::Server, 6), 0)
        .encode(Opcode::Text, &[b'a'; 300], || None, &mut frames);
    for (max_message_bytes, expected) in [(300, None), (299, Some(ProtocolError::MessageTooLong))] {
        let mut decoder = decoder(max_message_bytes);
        let mut rest = frames.clone();
        let mut error = None;
        while !rest.is_empty() && error.is_none() {
            match decoder.decode(&mut rest) {
                Ok(Decoded::Event { consumed_bytes, .. }) => drop(rest.drain(..consumed_bytes)),
                Ok(Decoded::Incomplete { .. }) => panic!("the input is complete"),
                Err(found) => error = Some(found),
            }
        }
        assert_eq!(error, expected);
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
        decoder(1000).decode(&mut header(1189)),
        Ok(Decoded::Incomplete { needed_bytes })
    );
    let error = error_of(&mut decoder(1000), header(1190));
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
        let error = error_of(&mut decoder(1000), frame(payload));
        assert_eq!(error, Some(ProtocolError::InvalidDeflate), "{payload:x?}");
    }
    assert_eq!(ProtocolError::InvalidDeflate.close_code(), 1007);
}

#[test]
fn a_compressed_text_must_be_utf8() {
    for text in [b"\xff".as_slice(), b"abc\xed\xa0\x80", b"abc\xf0\x9f\x98"] {
        let error = error_of(&mut decoder(1000), compressed(Opcode::Text, text));
        assert_eq!(error, Some(ProtocolError::InvalidUtf8));
        let frames = compressed(Opcode::Binary, text);
        assert_eq!(error_of(&mut decoder(1000), frames), None);
    }
}
