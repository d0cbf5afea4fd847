//! Frames and their headers: examples and rules of RFC 6455, section 5.

use autostrada_proto::close::ProtocolError;
use autostrada_proto::frame::{FrameHeader, Opcode, encode_frame};
use proptest::prelude::*;

fn server_header(opcode: Opcode, payload_length: u64) -> FrameHeader {
    FrameHeader {
        fin: true,
        rsv: 0,
        opcode,
        masking_key: None,
        payload_length,
    }
}

/// Headers and their encodings: section 5.7, and the limits of each length encoding.
fn examples() -> Vec<(FrameHeader, &'static [u8])> {
    let text = |payload_length| server_header(Opcode::Text, payload_length);
    let binary = |payload_length| server_header(Opcode::Binary, payload_length);
    let masking_key = Some([0x37, 0xfa, 0x21, 0x3d]);
    vec![
        (text(5), b"\x81\x05"),
        (
            FrameHeader {
                masking_key,
                ..text(5)
            },
            b"\x81\x85\x37\xfa\x21\x3d",
        ),
        (
            FrameHeader {
                fin: false,
                ..text(3)
            },
            b"\x01\x03",
        ),
        (server_header(Opcode::Continuation, 2), b"\x80\x02"),
        (server_header(Opcode::Ping, 5), b"\x89\x05"),
        (
            FrameHeader {
                masking_key,
                ..server_header(Opcode::Pong, 5)
            },
            b"\x8a\x85\x37\xfa\x21\x3d",
        ),
        (binary(256), b"\x82\x7e\x01\x00"),
        (binary(65_536), b"\x82\x7f\x00\x00\x00\x00\x00\x01\x00\x00"),
        (server_header(Opcode::Close, 0), b"\x88\x00"),
        (server_header(Opcode::Ping, 125), b"\x89\x7d"),
        (binary(125), b"\x82\x7d"),
        (binary(126), b"\x82\x7e\x00\x7e"),
        (binary(65_535), b"\x82\x7e\xff\xff"),
        (
            FrameHeader {
                masking_key,
                ..binary((1 << 63) - 1)
            },
            b"\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff\x37\xfa\x21\x3d",
        ),
    ]
}

#[test]
fn headers_are_encoded_as_in_the_rfc() {
    for (header, bytes) in examples() {
        let mut out = Vec::new();
        header.encode(&mut out);
        assert_eq!(out, bytes);
    }
}

#[test]
fn headers_are_decoded_independently_of_the_bytes_after_them() {
    for (header, bytes) in examples() {
        for rest in [b"".as_slice(), b"Hello", &[0xff; 20]] {
            let input = [bytes, rest].concat();
            assert_eq!(FrameHeader::decode(&input), Ok(Some((header, bytes.len()))));
        }
    }
}

#[test]
fn whole_frames_are_encoded_as_in_the_rfc() {
    let mut out = Vec::new();
    encode_frame(Opcode::Text, None, b"Hello", &mut out);
    assert_eq!(out, b"\x81\x05Hello");
    out.clear();
    encode_frame(
        Opcode::Text,
        Some([0x37, 0xfa, 0x21, 0x3d]),
        b"Hello",
        &mut out,
    );
    assert_eq!(out, b"\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58");
}

#[test]
fn a_frame_is_appended_to_the_buffer() {
    let mut out = b"before".to_vec();
    encode_frame(Opcode::Ping, Some([1; 4]), b"", &mut out);
    assert_eq!(out, b"before\x89\x80\x01\x01\x01\x01");
}

#[test]
fn headers_that_no_endpoint_may_send_are_errors() {
    let cases: [(&[u8], ProtocolError); 12] = [
        (b"\xc1\x00", ProtocolError::ReservedBits),
        (b"\xa1\x00", ProtocolError::ReservedBits),
        (b"\x91\x00", ProtocolError::ReservedBits),
        (b"\x83\x00", ProtocolError::UnknownOpcode(0x3)),
        (b"\x8b\x00", ProtocolError::UnknownOpcode(0xb)),
        (b"\x09\x00", ProtocolError::FragmentedControlFrame),
        (b"\x08\x00", ProtocolError::FragmentedControlFrame),
        (b"\x89\x7e", ProtocolError::ControlFrameTooLong),
        (b"\x88\xff", ProtocolError::ControlFrameTooLong),
        (b"\x82\x7e\x00\x7d", ProtocolError::LengthNotMinimal),
        (
            b"\x82\x7f\x00\x00\x00\x00\x00\x00\xff\xff",
            ProtocolError::LengthNotMinimal,
        ),
        (
            b"\x82\x7f\x80\x00\x00\x00\x00\x00\x00\x00",
            ProtocolError::LengthOutOfRange,
        ),
    ];
    for (bytes, error) in cases {
        assert_eq!(FrameHeader::decode(bytes), Err(error), "{bytes:x?}");
        assert_eq!(error.close_code(), 1002);
    }
}

#[test]
fn a_header_has_only_one_encoding() {
    for first in 0..=u8::MAX {
        for second in 0..=u8::MAX {
            let input = [first, second, 0x00, 0x7e, 0, 1, 0, 0, 0, 0, 1, 2, 3, 4];
            if let Ok(Some((header, header_bytes))) = FrameHeader::decode(&input) {
                let mut out = Vec::new();
                header.encode(&mut out);
                assert_eq!(out, input[..header_bytes]);
            }
        }
    }
}

#[test]
#[should_panic(expected = "control frames are short")]
fn a_long_control_frame_is_not_encoded() {
    encode_frame(Opcode::Ping, None, &[0; 126], &mut Vec::new());
}

fn any_header() -> impl Strategy<Value = FrameHeader> {
    let data = prop_oneof![
        Just(Opcode::Continuation),
        Just(Opcode::Text),
        Just(Opcode::Binary)
    ];
    let control = prop_oneof![Just(Opcode::Close), Just(Opcode::Ping), Just(Opcode::Pong)];
    // The shift makes lengths of every magnitude equally likely.
    let data_length = (0..u64::MAX, 1..64_u32).prop_map(|(length, shift)| length >> shift);
    prop_oneof![
        (any::<bool>(), data, data_length),
        (Just(true), control, 0..=125_u64),
    ]
    .prop_flat_map(|(fin, opcode, payload_length)| {
        any::<Option<[u8; 4]>>().prop_map(move |masking_key| FrameHeader {
            fin,
            rsv: 0,
            opcode,
            masking_key,
            payload_length,
        })
    })
}

proptest! {
    #[test]
    fn a_header_is_decoded_as_it_was_encoded(header in any_header()) {
        let mut bytes = Vec::new();
        header.encode(&mut bytes);
        prop_assert_eq!(FrameHeader::decode(&bytes), Ok(Some((header, bytes.len()))));
        for end in 0..bytes.len() {
            prop_assert_eq!(FrameHeader::decode(&bytes[..end]), Ok(None));
        }
    }
}
