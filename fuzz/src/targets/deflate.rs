//! Decompression of a peer's messages.

use std::iter;

use autostrada_proto::close::{INVALID_PAYLOAD, MESSAGE_TOO_BIG};
use autostrada_proto::deflate::DeflateParameters;
use autostrada_proto::frame::{FrameHeader, Opcode};
use autostrada_proto::message::Role;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};

use super::message::receive_messages;
use super::plain_message::FrameEvent;
use crate::pieces::pieces;
use crate::settings::Settings;

/// The reserved bit of compressed messages.
const COMPRESSED: u8 = 0b100;
/// The tail that is removed from every message: RFC 7692, section 7.2.1.
const TAIL: [u8; 4] = [0x00, 0x00, 0xff, 0xff];
/// An empty block that ends a stream.
const LAST_BLOCK: [u8; 5] = [0x01, 0x00, 0x00, 0xff, 0xff];

/// Receives the bytes as a compressed message, twice, in one frame or many; the messages must be
/// the same, and those of another inflater.
pub fn check(input: &[u8]) {
    let Some((settings, bytes)) = Settings::split(input) else {
        return;
    };
    let whole = receive_twice(settings, || iter::once(bytes));
    let in_fragments = receive_twice(settings, || pieces(bytes, settings.cuts));
    let too_big = FrameEvent::Failed(MESSAGE_TOO_BIG);
    if whole.contains(&too_big) || in_fragments.contains(&too_big) {
        // A compressed frame may exceed the limit although its message does not.
        return;
    }
    assert_eq!(whole, in_fragments);
    check_by_other(&whole, bytes, 2 * settings.limit_bytes);
}

fn receive_twice<'b, I: Iterator<Item = &'b [u8]>>(
    settings: Settings,
    fragments: impl Fn() -> I,
) -> Vec<FrameEvent> {
    let mut wire = Vec::new();
    push_message(fragments(), &mut wire);
    push_message(fragments(), &mut wire);
    let deflate = Some(DeflateParameters::default());
    let mut received = receive_messages(Role::Client, settings, deflate, &wire);
    received.retain(|received| *received != FrameEvent::Fragment);
    received
}

/// Appends one compressed message with these fragments.
fn push_message<'b>(fragments: impl Iterator<Item = &'b [u8]>, wire: &mut Vec<u8>) {
    let mut fragments = fragments.peekable();
    let (mut rsv, mut opcode) = (COMPRESSED, Opcode::Binary);
    while let Some(fragment) = fragments.next() {
        FrameHeader {
            fin: fragments.peek().is_none(),
            rsv,
            opcode,
            masking_key: None,
            payload_length: fragment.len() as u64,
        }
        .encode(wire);
        wire.extend_from_slice(fragment);
        (rsv, opcode) = (0, Opcode::Continuation);
    }
}

/// Compares messages, all compressed to the same bytes, with the content that another library
/// finds in the stream of a connection.
fn check_by_other(all_received: &[FrameEvent], bytes: &[u8], content_bytes_max: usize) {
    let mut stream = Vec::new();
    let mut content = Vec::new();
    for received in all_received {
        stream.extend_from_slice(bytes);
        let other = inflate(&stream, content_bytes_max);
        if other.status == TINFLStatus::Done {
            // Blocks that end a stream are left to the examples of the crate.
            return;
        }
        stream.extend(TAIL);
        if let FrameEvent::Binary(message) = received {
            if other.status != TINFLStatus::NeedsMoreInput {
                // Only the other one finds a fault of a block in which the message ends.
                return;
            }
            content.extend_from_slice(message);
            assert_eq!(content, other.content);
        } else {
            assert_eq!(*received, FrameEvent::Failed(INVALID_PAYLOAD));
            // A message that is valid ends between blocks, and its tail adds nothing.
            let ended = [stream.as_slice(), &LAST_BLOCK].concat();
            let closed = inflate(&ended, content_bytes_max);
            let is_whole = closed.status == TINFLStatus::Done && closed.read_bytes == ended.len();
            assert!(!is_whole || closed.content != other.content);
        }
    }
}

/// What another library finds in a stream.
struct InflateResult {
    status: TINFLStatus,
    read_bytes: usize,
    content: Vec<u8>,
}

fn inflate(stream: &[u8], content_bytes_max: usize) -> InflateResult {
    let flags = inflate_flags::TINFL_FLAG_HAS_MORE_INPUT
        | inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    // The tail of an invalid message may add some bytes.
    let mut content = vec![0; content_bytes_max + 1_000];
    let mut decompressor = DecompressorOxide::new();
    let (status, read_bytes, content_bytes) =
        decompress(&mut decompressor, stream, &mut content, 0, flags);
    content.truncate(content_bytes);
    InflateResult {
        status,
        read_bytes,
        content,
    }
}
