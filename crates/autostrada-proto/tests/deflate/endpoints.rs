//! Two endpoints in memory with every combination of parameters: RFC 7692, section 7.

use autostrada_proto::deflate::{
    CompressedTraffic, DeflateParameters, Deflater, Inflater, WindowBits,
};
use autostrada_proto::frame::Opcode;
use autostrada_proto::message::{Decoded, Event, MessageDecoder, MessageEncoder, Role};
use proptest::prelude::*;

const MAX_MESSAGE_BYTES: usize = 200_000;

/// One direction of a connection: the sender's encoder and the receiver's decoder.
struct Direction {
    encoder: MessageEncoder,
    decoder: MessageDecoder,
    sender: Role,
    received: Vec<u8>,
}

impl Direction {
    fn new(parameters: DeflateParameters, sender: Role, level: u32) -> Self {
        let receiver = match sender {
            Role::Client => Role::Server,
            Role::Server => Role::Client,
        };
        let inflater = Inflater::new(parameters, receiver);
        Self {
            encoder: MessageEncoder::new()
                .with_deflater(Deflater::new(parameters, sender, level), 1),
            decoder: MessageDecoder::new(receiver, MAX_MESSAGE_BYTES).with_inflater(inflater),
            sender,
            received: Vec::new(),
        }
    }

    /// Sends a message, asserts that it arrives unchanged, and returns its length on the wire.
    fn carry(&mut self, opcode: Opcode, payload: &[u8], step_bytes: usize) -> usize {
        let mut wire = Vec::new();
        let mut key = 0_u32;
        let masking_key = || {
            key = key.wrapping_add(0x9e37_79b9);
            (self.sender == Role::Client).then(|| key.to_ne_bytes())
        };
        self.encoder.encode(opcode, payload, masking_key, &mut wire);
        let mut has_arrived = false;
        for part in wire.chunks(step_bytes) {
            assert!(
                !has_arrived,
                "the message was complete before its last byte"
            );
            self.received.extend_from_slice(part);
            while let Decoded::Event {
                consumed_bytes,
                event,
            } = self.decoder.decode(&mut self.received).unwrap()
            {
                match (opcode, event) {
                    (_, Event::Fragment) => {}
                    (Opcode::Text, Event::Text(message))
                    | (Opcode::Binary, Event::Binary(message)) => {
                        assert_eq!(message, payload);
                        has_arrived = true;
                    }
                    (_, other) => panic!("{other:?} instead of {opcode:?}"),
                }
                self.received.drain(..consumed_bytes);
            }
        }
        assert!(has_arrived && self.received.is_empty());
        wire.len()
    }

    fn traffic(&self) -> CompressedTraffic {
        let sent = self.encoder.deflater().unwrap().traffic();
        assert_eq!(sent, self.decoder.inflater().unwrap().traffic());
        sent
    }
}

/// Pseudo-random, incompressible bytes.
fn noise(bytes: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    (0..bytes)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_be_bytes()[0]
        })
        .collect()
}

#[test]
fn context_is_taken_over_only_if_negotiated() {
    let text = noise(400);
    for flags in 0..4 {
        let parameters = DeflateParameters {
            server_no_context_takeover: flags & 1 != 0,
            client_no_context_takeover: flags & 2 != 0,
            ..DeflateParameters::default()
        };
        for (sender, is_alone) in [
            (Role::Server, parameters.server_no_context_takeover),
            (Role::Client, parameters.client_no_context_takeover),
        ] {
            let mut direction = Direction::new(parameters, sender, 6);
            let first = direction.carry(Opcode::Binary, &text, 100_000);
            let second = direction.carry(Opcode::Binary, &text, 100_000);
            assert!(first > 400);
            assert_eq!(second == first, is_alone, "{sender:?} {parameters:?}");
            assert!(is_alone || second < 30);
        }
    }
}

#[test]
fn compression_does_not_refer_beyond_the_window() {
    for bits in 9..=15 {
        let window_bytes = 1 << bits;
        let parameters = DeflateParameters {
            client_max_window_bits: WindowBits::new(bits).unwrap(),
            ..DeflateParameters::default()
        };
        let wire_bytes = |payload: &[u8]| {
            let mut direction = Direction::new(parameters, Role::Client, 9);
            direction.carry(Opcode::Binary, payload, 1_000_000)
        };
        // The compressed size of 100 six-bit bytes that repeat those `distance` bytes before.
        let repeat_after = |distance: usize| {
            let mut payload: Vec<_> = noise(distance).iter().map(|byte| byte >> 2).collect();
            let before = wire_bytes(&payload);
            payload.extend_from_within(..100);
            wire_bytes(&payload) - before
        };
        assert!(repeat_after(window_bytes - 300) < 20, "{bits}");
        assert!(repeat_after(window_bytes + 1) > 60, "{bits}");
    }
}

#[test]
fn traffic_is_counted_on_both_sides() {
    let mut direction = Direction::new(DeflateParameters::default(), Role::Server, 6);
    assert_eq!(direction.traffic(), CompressedTraffic::default());
    let wire_bytes = direction.carry(Opcode::Text, &[b'a'; 1000], 100_000);
    let traffic = CompressedTraffic {
        messages: 1,
        raw_bytes: 1000,
        compressed_bytes: wire_bytes as u64 - 2,
    };
    assert_eq!(direction.traffic(), traffic);
    direction.carry(Opcode::Text, b"", 100_000);
    assert_eq!(direction.traffic(), traffic);
}

#[test]
fn one_deflater_without_context_can_serve_many_connections() {
    let parameters = DeflateParameters {
        server_no_context_takeover: true,
        ..DeflateParameters::default()
    };
    let mut encoder =
        MessageEncoder::new().with_deflater(Deflater::new(parameters, Role::Server, 6), 0);
    for text in ["one two one two", "three", "", "one two one two"] {
        let mut wire = Vec::new();
        encoder.encode(Opcode::Text, text.as_bytes(), || None, &mut wire);
        let inflater = Inflater::new(parameters, Role::Client);
        let mut decoder = MessageDecoder::new(Role::Client, 100).with_inflater(inflater);
        let consumed_bytes = wire.len();
        assert_eq!(
            decoder.decode(&mut wire),
            Ok(Decoded::Event {
                consumed_bytes,
                event: Event::Text(text.as_bytes())
            })
        );
    }
}

#[test]
#[should_panic(expected = "window of 8 bits")]
fn an_unsupported_window_panics() {
    let parameters = DeflateParameters {
        client_max_window_bits: WindowBits::new(8).unwrap(),
        ..DeflateParameters::default()
    };
    let _ = Deflater::new(parameters, Role::Client, 6);
}

fn any_parameters() -> impl Strategy<Value = DeflateParameters> {
    let size = || (9..=15_u8).prop_map(|bits| WindowBits::new(bits).unwrap());
    (any::<bool>(), any::<bool>(), size(), size()).prop_map(|(server, client, s, c)| {
        DeflateParameters {
            server_no_context_takeover: server,
            client_no_context_takeover: client,
            server_max_window_bits: s,
            client_max_window_bits: c,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn messages_are_unchanged_by_compression(
        parameters in any_parameters(),
        sender in prop_oneof![Just(Role::Client), Just(Role::Server)],
        level in 0..=9_u32,
        fragment in prop_oneof![1..200_usize, 1..100_000_usize],
        messages in prop::collection::vec((0..8_u8, 0..70_000_usize), 1..6),
        step_bytes in 1..5_000_usize,
    ) {
        let mut direction = Direction::new(parameters, sender, level);
        direction.encoder = direction.encoder.with_fragments_of(fragment.try_into().unwrap());
        for (shift, length) in messages {
            // Few distinct bytes compress well, many do not.
            let payload: Vec<_> = noise(length).iter().map(|byte| byte >> shift).collect();
            let opcode = if shift == 0 { Opcode::Binary } else { Opcode::Text };
            direction.carry(opcode, &payload, step_bytes);
        }
        direction.traffic();
    }
}
