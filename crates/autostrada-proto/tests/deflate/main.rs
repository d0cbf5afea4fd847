//! permessage-deflate (RFC 7692): negotiation, examples, two endpoints, invalid input.

use autostrada_proto::close::ProtocolError;
use autostrada_proto::deflate::{DeflateParameters, Deflater, Inflater};
use autostrada_proto::message::{Decoded, MessageDecoder, MessageEncoder, Role};

mod bad_input;
mod endpoints;
mod examples;
mod negotiation;

/// The decoder of a client, with a limit.
fn client(max_message_bytes: usize) -> MessageDecoder {
    let inflater = Inflater::new(DeflateParameters::default(), Role::Client);
    MessageDecoder::new(Role::Client, max_message_bytes).with_inflater(inflater)
}

/// The encoder of a server, which compresses every message.
fn server() -> MessageEncoder {
    let deflater = Deflater::new(DeflateParameters::default(), Role::Server, 6);
    MessageEncoder::new().with_deflater(deflater, 0)
}

/// Decodes consecutive frames; returns the `Debug` texts of their events.
fn decode(mut decoder: MessageDecoder, frames: &[u8]) -> Result<Vec<String>, ProtocolError> {
    let mut input = frames.to_vec();
    let mut rest = input.as_mut_slice();
    let mut events = Vec::new();
    while !rest.is_empty() {
        let Decoded::Event {
            consumed_bytes,
            event,
        } = decoder.decode(rest)?
        else {
            panic!("{rest:x?} is not a whole frame");
        };
        events.push(format!("{event:?}"));
        rest = &mut rest[consumed_bytes..];
    }
    Ok(events)
}
