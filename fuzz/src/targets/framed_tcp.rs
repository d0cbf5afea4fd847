//! Length-prefixed messages of framed TCP.

use autostrada_proto::close::MESSAGE_TOO_BIG;
use autostrada_proto::decoded::Decoded;
use autostrada_proto::framed::{FramedDecoder, encode_framed};
use autostrada_proto::message::Event;

use crate::memory::without_counting;
use crate::pieces::{Limits, Step, receive};
use crate::settings::Settings;

/// Checks that decoded messages encode to the same bytes.
pub fn check(input: &[u8]) {
    let Some((settings, bytes)) = Settings::split(input) else {
        return;
    };
    let limit_bytes = settings.limit_bytes;
    let limits = Limits {
        held_bytes: 0,
        needed_bytes: 4 + limit_bytes,
    };
    let make = || {
        let decoder = FramedDecoder::new(limit_bytes);
        move |input: &mut [u8]| decode(&decoder, input)
    };
    let mut written = Vec::new();
    for received in receive(make, limits, bytes, settings.cuts) {
        match received {
            Ok(payload) => {
                assert!(payload.len() <= limit_bytes);
                encode_framed(&payload, &mut written);
            }
            Err(code) => assert_eq!(code, MESSAGE_TOO_BIG),
        }
    }
    assert!(bytes.starts_with(&written));
}

fn decode(decoder: &FramedDecoder, input: &[u8]) -> Step<Result<Vec<u8>, u16>> {
    match decoder.decode(input) {
        Ok(Decoded::Incomplete { needed_bytes }) => Step::Incomplete(needed_bytes),
        Ok(Decoded::Event {
            consumed_bytes,
            event: Event::Binary(payload),
        }) => Step::Consumed(consumed_bytes, without_counting(|| Ok(payload.to_vec()))),
        Ok(event) => panic!("every message is binary: {event:?}"),
        Err(error) => Step::Ended(Err(error.close_code())),
    }
}
