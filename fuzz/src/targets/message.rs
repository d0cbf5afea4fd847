//! Messages of a connection: frames and fragments, masked and unmasked, compressed or not.

use autostrada_proto::close::Close;
use autostrada_proto::decoded::Decoded;
use autostrada_proto::deflate::{DeflateParameters, Inflater};
use autostrada_proto::frame::{Opcode, encode_frame};
use autostrada_proto::message::{Event, MessageDecoder, MessageEncoder, Role};

use super::close_code::is_of_failure;
use super::plain_message::{PlainEvents, Received, read_plainly};
use crate::memory::uncounted;
use crate::pieces::{Receiver, Step, receive};
use crate::settings::Settings;

/// Constant memory of an inflater's backend: 47,552 bytes, rounded up.
const INFLATER_BYTES: usize = 64 * 1024;
/// Maximum length of a frame header.
const HEADER_BYTES: usize = 14;

/// A receiving endpoint.
pub struct Endpoint {
    decoder: MessageDecoder,
    limit_bytes: usize,
    inflater_bytes: usize,
}

impl Endpoint {
    /// Creates an endpoint that accepts compressed messages if `deflate` is given.
    pub fn new(role: Role, limit_bytes: usize, deflate: Option<DeflateParameters>) -> Self {
        let decoder = MessageDecoder::new(role, limit_bytes);
        Self {
            decoder: match deflate {
                Some(parameters) => decoder.with_inflater(Inflater::new(parameters, role)),
                None => decoder,
            },
            limit_bytes,
            inflater_bytes: if deflate.is_some() { INFLATER_BYTES } else { 0 },
        }
    }
}

impl Receiver for Endpoint {
    type Received = Received;

    fn decode(&mut self, input: &mut [u8]) -> Step<Received> {
        match self.decoder.decode(input) {
            Ok(Decoded::Incomplete { needed_bytes }) => Step::Incomplete(needed_bytes),
            Ok(Decoded::Event {
                consumed_bytes,
                event,
            }) => {
                if let Event::Text(message) | Event::Binary(message) = event {
                    assert!(message.len() <= self.limit_bytes);
                }
                if let Event::Text(text) = event {
                    assert!(str::from_utf8(text).is_ok());
                }
                let received = uncounted(|| event.into());
                match received {
                    Received::Close(_) => Step::Ended(received),
                    _ => Step::Consumed(consumed_bytes, received),
                }
            }
            Err(error) => {
                assert!(is_of_failure(error.close_code()));
                Step::Ended(Received::Failed(error.close_code()))
            }
        }
    }

    fn bytes_max(&self) -> usize {
        self.limit_bytes + self.inflater_bytes
    }

    fn needed_bytes_max(&self) -> usize {
        // Compressed bytes may be slightly longer than their message.
        HEADER_BYTES + self.limit_bytes + self.limit_bytes / 8 + 125
    }
}

/// Checks the messages in the received bytes.
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
    let limit_bytes = settings.limit_bytes;
    let make = || Endpoint::new(role, limit_bytes, deflate);
    let received = receive(make, bytes, settings.cuts);
    if deflate.is_none() {
        check_plainly(role, limit_bytes, bytes, &received);
    }
    check_written(settings, role, &received);
}

/// A simple reference reader must give the same events.
fn check_plainly(role: Role, limit_bytes: usize, bytes: &[u8], received: &[Received]) {
    let PlainEvents {
        received: plain,
        failed,
    } = read_plainly(role, limit_bytes, bytes);
    let (received, has_failed) = match received {
        [received @ .., Received::Failed(_)] => (received, true),
        received => (received, false),
    };
    assert_eq!(received, plain);
    assert_eq!(has_failed, failed);
}

/// Decoded messages, encoded with other fragments, must decode to the same messages.
fn check_written(settings: Settings, role: Role, received: &[Received]) {
    let fragment_bytes = usize::from(settings.choices) + 1;
    let mut encoder = MessageEncoder::new().with_fragments_of(
        fragment_bytes
            .try_into()
            .expect("the length is at least one"),
    );
    let mut frames: u32 = 0;
    let mut key = || {
        frames += 1;
        (role == Role::Server).then(|| frames.wrapping_mul(0x9e37_79b9).to_ne_bytes())
    };
    let mut written = Vec::new();
    let mut expected = Vec::new();
    for received in received {
        match received {
            Received::Text(text) => encoder.encode(Opcode::Text, text, &mut key, &mut written),
            Received::Binary(bytes) => {
                encoder.encode(Opcode::Binary, bytes, &mut key, &mut written);
            }
            Received::Ping(payload) => encode_frame(Opcode::Ping, key(), payload, &mut written),
            Received::Pong(payload) => encode_frame(Opcode::Pong, key(), payload, &mut written),
            Received::Close(close) => {
                let mut payload = Vec::new();
                if let Some((code, reason)) = close {
                    let code = *code;
                    Close { code, reason }.encode(&mut payload);
                }
                encode_frame(Opcode::Close, key(), &payload, &mut written);
            }
            Received::Fragment | Received::Failed(_) => continue,
        }
        expected.push(received.clone());
    }
    let make = || Endpoint::new(role, settings.limit_bytes, None);
    let mut read = receive(make, &written, settings.cuts);
    read.retain(|received| *received != Received::Fragment);
    assert_eq!(read, expected);
}
