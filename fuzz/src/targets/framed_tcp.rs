//! Length-prefixed messages of framed TCP.

use autostrada_proto::decoded::Decoded;
use autostrada_proto::framed::{FramedDecoder, encode_framed};
use autostrada_proto::message::Event;

use super::close_code::is_of_failure;
use crate::memory::uncounted;
use crate::pieces::{Receiver, Step, receive};
use crate::settings::Settings;

struct Framed {
    decoder: FramedDecoder,
    limit_bytes: usize,
}

impl Receiver for Framed {
    type Received = Result<Vec<u8>, u16>;

    fn decode(&mut self, input: &mut [u8]) -> Step<Self::Received> {
        match self.decoder.decode(input) {
            Ok(Decoded::Incomplete { needed_bytes }) => Step::Incomplete(needed_bytes),
            Ok(Decoded::Event {
                consumed_bytes,
                event: Event::Binary(payload),
            }) => {
                assert!(payload.len() <= self.limit_bytes);
                Step::Consumed(consumed_bytes, uncounted(|| Ok(payload.to_vec())))
            }
            Ok(event) => panic!("every message is binary: {event:?}"),
            Err(error) => Step::Ended(Err(error.close_code())),
        }
    }

    fn bytes_max(&self) -> usize {
        0
    }

    fn needed_bytes_max(&self) -> usize {
        4 + self.limit_bytes
    }
}

/// Checks that decoded messages encode to the same bytes.
pub fn check(input: &[u8]) {
    let Some((settings, bytes)) = Settings::split(input) else {
        return;
    };
    let limit_bytes = settings.limit_bytes;
    let make = || Framed {
        decoder: FramedDecoder::new(limit_bytes),
        limit_bytes,
    };
    let mut written = Vec::new();
    for received in receive(make, bytes, settings.cuts) {
        match received {
            Ok(payload) => encode_framed(&payload, &mut written),
            Err(code) => assert!(is_of_failure(code)),
        }
    }
    assert!(bytes.starts_with(&written));
}
