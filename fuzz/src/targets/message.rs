//! Messages of a connection: frames and fragments, masked and unmasked, compressed or not.

use autostrada_proto::close::{INVALID_PAYLOAD, MESSAGE_TOO_BIG, PROTOCOL_ERROR};
use autostrada_proto::decoded::Decoded;
use autostrada_proto::deflate::{DeflateParameters, Inflater};
use autostrada_proto::message::{Event, MessageDecoder, Role};

use super::plain_message::{FrameEvent, read_plainly};
use crate::memory::without_counting;
use crate::pieces::{Limits, Step, receive};
use crate::settings::Settings;

/// Constant memory of an inflater's backend: 47,552 bytes, rounded up.
const INFLATER_BYTES: usize = 64 * 1024;
/// Maximum length of a frame header.
const HEADER_BYTES: usize = 14;

/// Receives messages, compressed ones if `deflate` is given.
pub fn receive_messages(
    role: Role,
    settings: Settings,
    deflate: Option<DeflateParameters>,
    bytes: &[u8],
) -> Vec<FrameEvent> {
    let limit_bytes = settings.limit_bytes;
    let limits = Limits {
        held_bytes: limit_bytes + deflate.map_or(0, |_| INFLATER_BYTES),
        // Compressed bytes may be slightly longer than their message.
        needed_bytes: HEADER_BYTES + limit_bytes + limit_bytes / 8 + 125,
    };
    let make = || {
        let mut decoder = MessageDecoder::new(role, limit_bytes);
        if let Some(parameters) = deflate {
            decoder = decoder.with_inflater(Inflater::new(parameters, role));
        }
        move |input: &mut [u8]| decode(&mut decoder, limit_bytes, input)
    };
    receive(make, limits, bytes, settings.cuts)
}

fn decode(decoder: &mut MessageDecoder, limit_bytes: usize, input: &mut [u8]) -> Step<FrameEvent> {
    match decoder.decode(input) {
        Ok(Decoded::Incomplete { needed_bytes }) => Step::Incomplete(needed_bytes),
        Ok(Decoded::Event {
            consumed_bytes,
            event,
        }) => {
            if let Event::Text(message) | Event::Binary(message) = event {
                assert!(message.len() <= limit_bytes);
            }
            if let Event::Text(text) = event {
                assert!(str::from_utf8(text).is_ok());
            }
            let received = without_counting(|| event.into());
            match received {
                FrameEvent::Close(_) => Step::Ended(received),
                _ => Step::Consumed(consumed_bytes, received),
            }
        }
        Err(error) => {
            let code = error.close_code();
            assert!([PROTOCOL_ERROR, INVALID_PAYLOAD, MESSAGE_TOO_BIG].contains(&code));
            Step::Ended(FrameEvent::Failed(code))
        }
    }
}

/// Checks the messages in the received bytes; a simple reference reader must give the same.
pub fn check(input: &[u8]) {
    let Some((settings, bytes)) = Settings::split(input) else {
        return;
    };
    let role = if settings.has(0) {
        Role::Client
    } else {
        Role::Server
    };
    let deflate = settings.has(1).then(|| DeflateParameters {
        server_no_context_takeover: settings.has(2),
        client_no_context_takeover: settings.has(2),
        ..DeflateParameters::default()
    });
    let mut received = receive_messages(role, settings, deflate, bytes);
    if deflate.is_none() {
        let has_failed = received
            .pop_if(|last| matches!(last, FrameEvent::Failed(_)))
            .is_some();
        let plain = read_plainly(role, settings.limit_bytes, bytes);
        assert_eq!((received, has_failed), plain);
    }
}
