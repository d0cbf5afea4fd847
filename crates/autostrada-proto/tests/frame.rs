//! Frames and their headers: examples and rules of RFC 6455, section 5.

use autostrada_proto::close::ProtocolError;
use autostrada_proto::frame::{FrameHeader, Opcode, encode_frame};

/// The key of the RFC's examples.
const KEY: [u8; 4] = [0x37, 0xfa, 0x21, 0x3d];

#[test]
fn headers_are_encoded_and_decoded_as_in_the_rfc() {
    let binary = Opcode::Binary;
    // The examples of section 5.7, and the limits of each length encoding.
    let examples: [(bool, Opcode, Option<_>, u64, &[u8]); 14] = [
        (true, Opcode::Text, None, 5, b"\x81\x05"),
        (
            true,
            Opcode::Text,
            Some(KEY),
            5,
            b"\x81\x85\x37\xfa\x21\x3d",
        ),
        (false, Opcode::Text, None, 3, b"\x01\x03"),
        (true, Opcode::Continuation, None, 2, b"\x80\x02"),
        (true, Opcode::Ping, None, 5, b"\x89\x05"),
        (
            true,
            Opcode::Pong,
            Some(KEY),
            5,
            b"\x8a\x85\x37\xfa\x21\x3d",
        ),
        (true, binary, None, 256, b"\x82\x7e\x01\x00"),
        (true, binary, None, 65_536, b"\x82\x7f\0\0\0\0\0\x01\0\0"),
        (true, Opcode::Close, None, 0, b"\x88\x00"),
        (true, Opcode::Ping, None, 125, b"\x89\x7d"),
        (true, binary, None, 125, b"\x82\x7d"),
        (true, binary, None, 126, b"\x82\x7e\x00\x7e"),
        (true, binary, None, 65_535, b"\x82\x7e\xff\xff"),
        (
            true,
            binary,
            Some(KEY),
            (1 << 63) - 1,
            b"\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff\x37\xfa\x21\x3d",
        ),
    ];
    for (fin, opcode, masking_key, payload_length, bytes) in examples {
        let header = FrameHeader {
            fin,
            rsv: 0,
            opcode,
            masking_key,
            payload_length,
        };
        let mut out = Vec::new();
        header.encode(&mut out);
        assert_eq!(out, bytes);
        for end in 0..bytes.len() {
            assert_eq!(FrameHeader::decode(&bytes[..end]), Ok(None));
        }
        for rest in [b"".as_slice(), b"Hello", &[0xff; 20]] {
            let input = [bytes, rest].concat();
            assert_eq!(FrameHeader::decode(&input), Ok(Some((header, bytes.len()))));
        }
    }
}

#[test]
fn whole_frames_are_appended_as_in_the_rfc() {
    let mut out = b"before".to_vec();
    encode_frame(Opcode::Text, None, b"Hello", &mut out);
    encode_frame(Opcode::Text, Some(KEY), b"Hello", &mut out);
    assert_eq!(
        out,
        b"before\x81\x05Hello\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58"
    );
}

#[test]
fn headers_that_no_endpoint_may_send_are_errors() {
    use ProtocolError as E;
    let cases: [(&[u8], E); 12] = [
        (b"\xc1\x00", E::ReservedBits),
        (b"\xa1\x00", E::ReservedBits),
        (b"\x91\x00", E::ReservedBits),
        (b"\x83\x00", E::UnknownOpcode(0x3)),
        (b"\x8b\x00", E::UnknownOpcode(0xb)),
        (b"\x09\x00", E::FragmentedControlFrame),
        (b"\x08\x00", E::FragmentedControlFrame),
        (b"\x89\x7e", E::ControlFrameTooLong),
        (b"\x88\xff", E::ControlFrameTooLong),
        (b"\x82\x7e\x00\x7d", E::LengthNotMinimal),
        (b"\x82\x7f\0\0\0\0\0\0\xff\xff", E::LengthNotMinimal),
        (b"\x82\x7f\x80\0\0\0\0\0\0\0", E::LengthOutOfRange),
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
