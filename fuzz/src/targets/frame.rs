//! Frame headers and repeated frames.

use autostrada_proto::frame::{FrameHeader, Opcode};
use autostrada_proto::repeat::RepeatedFrame;

use super::close_code::is_of_failure;
use crate::settings::Settings;

/// Checks the header at the front, and counting of copies of a frame.
pub fn check(input: &[u8]) {
    let Some((settings, bytes)) = Settings::split(input) else {
        return;
    };
    check_header(bytes);
    check_repeated(settings, bytes);
}

/// A header must be decoded as soon as it is complete, and encode to the same bytes.
fn check_header(bytes: &[u8]) {
    let decoded = FrameHeader::decode(bytes);
    for end in 0..bytes.len().min(14) {
        match (FrameHeader::decode(&bytes[..end]), &decoded) {
            (Ok(None), _) => {}
            (Ok(Some((header, header_bytes))), whole) => {
                assert!(header_bytes <= end);
                assert_eq!(&Ok(Some((header, header_bytes))), whole);
            }
            (Err(error), whole) => assert_eq!(&Err(error), whole),
        }
    }
    match decoded {
        Ok(None) => assert!(bytes.len() < 14),
        Ok(Some((header, header_bytes))) => {
            let mut written = Vec::new();
            header.encode(&mut written);
            assert_eq!(written, bytes[..header_bytes]);
        }
        Err(error) => assert!(is_of_failure(error.close_code())),
    }
}

/// The count must equal that of comparing copies one by one.
fn check_repeated(settings: Settings, bytes: &[u8]) {
    let payload_bytes = usize::from(settings.choices) % (bytes.len() + 1);
    let (payload, rest) = bytes.split_at(payload_bytes);
    let opcode = if str::from_utf8(payload).is_ok() {
        Opcode::Text
    } else {
        Opcode::Binary
    };
    let repeated = RepeatedFrame::new(opcode, payload);
    let mut received = repeated.repeat_to_about(usize::from(settings.cuts));
    received.extend_from_slice(rest);
    if let Some(byte) = received.get_mut(settings.limit_bytes) {
        *byte ^= settings.choices;
    }
    let counted = repeated.count_at_front(&received);
    let copies = received
        .chunks_exact(repeated.frame().len())
        .take_while(|chunk| *chunk == repeated.frame())
        .count();
    assert_eq!(counted, copies);
}
