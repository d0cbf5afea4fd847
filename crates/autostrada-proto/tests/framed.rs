//! Framed TCP: four-byte lengths and their limit.

use autostrada_proto::close::ProtocolError;
use autostrada_proto::framed::{FramedDecoder, encode_framed};
use autostrada_proto::message::{Decoded, Event};

fn framed(payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    encode_framed(payload, &mut out);
    out
}

#[test]
fn a_length_is_written_before_its_payload() {
    assert_eq!(framed(b"Hello"), b"\0\0\0\x05Hello");
    assert_eq!(framed(b""), b"\0\0\0\0");
    let long = framed(&vec![7; 0x01_02_03]);
    assert_eq!(long[..5], *b"\x00\x01\x02\x03\x07");
    assert_eq!(long.len(), 4 + 0x01_02_03);
}

#[test]
fn every_prefix_reports_the_needed_bytes() {
    let decoder = FramedDecoder::new(100);
    let bytes = framed(b"Hello");
    for end in 0..bytes.len() {
        let needed_bytes = if end < 4 { 4 } else { 9 };
        let incomplete = Ok(Decoded::Incomplete { needed_bytes });
        assert_eq!(decoder.decode(&bytes[..end]), incomplete);
    }
    let event = Event::Binary(b"Hello");
    let whole = Ok(Decoded::Event {
        consumed_bytes: 9,
        event,
    });
    assert_eq!(decoder.decode(&bytes), whole);
    assert_eq!(decoder.decode(&[bytes, b"\xff".to_vec()].concat()), whole);
}

#[test]
fn a_length_above_the_limit_is_an_error_before_the_payload() {
    let decoder = FramedDecoder::new(5);
    assert!(decoder.decode(&framed(b"Hello")).is_ok());
    for length in [b"\0\0\0\x06".as_slice(), b"\xff\xff\xff\xff"] {
        assert_eq!(decoder.decode(length), Err(ProtocolError::MessageTooLong));
    }
    let unbounded = FramedDecoder::new(usize::MAX);
    let needed_bytes = (1 << 32) + 3;
    let incomplete = Ok(Decoded::Incomplete { needed_bytes });
    assert_eq!(unbounded.decode(b"\xff\xff\xff\xff"), incomplete);
}
