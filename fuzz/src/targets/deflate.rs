//! Decompression of a peer's messages, and compression of messages.

use arbitrary::{Arbitrary, Unstructured};
use autostrada_proto::close::{INVALID_PAYLOAD, MESSAGE_TOO_BIG};
use autostrada_proto::deflate::{DeflateParameters, Deflater, WindowBits};
use autostrada_proto::frame::{FrameHeader, Opcode};
use autostrada_proto::message::{MessageEncoder, Role};
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};

use super::message::Endpoint;
use super::plain_message::Received;
use crate::pieces::{Pieces, receive};
use crate::settings::Settings;

/// The reserved bit of compressed messages.
const COMPRESSED: u8 = 0b100;
const LIMIT_BYTES: usize = 100_000;
/// The tail that is removed from every message: RFC 7692, section 7.2.1.
const TAIL: [u8; 4] = [0x00, 0x00, 0xff, 0xff];

/// Checks the bytes as compressed data, or as messages to compress.
pub fn check(input: &[u8]) {
    let Some((settings, bytes)) = Settings::split(input) else {
        return;
    };
    if settings.has(0) {
        check_inflated(settings, bytes);
    } else if let Ok(terms) = Terms::arbitrary(&mut Unstructured::new(bytes)) {
        check_deflated(&terms, settings.cuts);
    }
}

/// Receives the bytes as a compressed message, twice, in one frame or many; the result must
/// equal that of another inflater.
fn check_inflated(settings: Settings, bytes: &[u8]) {
    let limit_bytes = settings.limit_bytes;
    let read = |wire: &[u8]| {
        let make = || {
            Endpoint::new(
                Role::Client,
                limit_bytes,
                Some(DeflateParameters::default()),
            )
        };
        let mut received = receive(make, wire, settings.cuts);
        received.retain(|received| *received != Received::Fragment);
        received
    };
    let mut wire = Vec::new();
    push_message(std::iter::once(bytes), &mut wire);
    push_message(std::iter::once(bytes), &mut wire);
    let whole = read(&wire);
    wire.clear();
    push_message(Pieces::new(bytes, settings.cuts), &mut wire);
    push_message(Pieces::new(bytes, settings.cuts), &mut wire);
    let in_fragments = read(&wire);
    let too_big = Received::Failed(MESSAGE_TOO_BIG);
    if whole.contains(&too_big) || in_fragments.contains(&too_big) {
        // A compressed frame may exceed the limit although its message does not.
        return;
    }
    assert_eq!(whole, in_fragments);
    let mut inflater = OtherInflater::new(2 * limit_bytes + 1);
    for received in whole {
        // Ours also accepts a message that ends inside a block; on others both must agree.
        match inflater.inflate(bytes) {
            Some(message) => assert_eq!(received, Received::Binary(message)),
            None if matches!(received, Received::Binary(_)) => return,
            None => assert_eq!(received, Received::Failed(INVALID_PAYLOAD)),
        }
    }
}

/// Decompresses the messages of a connection with another library.
struct OtherInflater {
    decompressor: DecompressorOxide,
    /// The bytes since the stream began, and room for further ones.
    stream: Vec<u8>,
    stream_bytes: usize,
}

impl OtherInflater {
    /// Creates an inflater for at most `bytes_max` decompressed bytes in total.
    fn new(bytes_max: usize) -> Self {
        Self {
            decompressor: DecompressorOxide::new(),
            stream: vec![0; bytes_max],
            stream_bytes: 0,
        }
    }

    /// Decompresses a message; `None` if it is invalid, ends inside a block, or continues in the
    /// tail.
    fn inflate(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut message = Vec::new();
        let mut status = self.inflate_part(bytes, &mut message)?;
        if status != TINFLStatus::Done {
            let message_bytes = message.len();
            status = self.inflate_part(&TAIL, &mut message)?;
            let is_whole = status != TINFLStatus::NeedsMoreInput && message.len() == message_bytes;
            is_whole.then_some(())?;
        }
        Some(message)
    }

    /// Appends the content of a part of a message. Returns whether the part ends inside a block,
    /// between blocks, or after a final block, which ends the stream.
    fn inflate_part(&mut self, mut part: &[u8], message: &mut Vec<u8>) -> Option<TINFLStatus> {
        let flags = inflate_flags::TINFL_FLAG_HAS_MORE_INPUT
            | inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF
            | inflate_flags::TINFL_FLAG_STOP_ON_BLOCK_BOUNDARY;
        loop {
            let decompressor = &mut self.decompressor;
            let start = self.stream_bytes;
            let (status, consumed_bytes, made_bytes) =
                decompress(decompressor, part, &mut self.stream, start, flags);
            part = &part[consumed_bytes..];
            self.stream_bytes += made_bytes;
            message.extend_from_slice(&self.stream[start..self.stream_bytes]);
            match status {
                TINFLStatus::Done => {
                    *decompressor = DecompressorOxide::new();
                    self.stream_bytes = 0;
                }
                TINFLStatus::BlockBoundary | TINFLStatus::NeedsMoreInput => {}
                _ => return None,
            }
            if part.is_empty() {
                return Some(status);
            }
        }
    }
}

/// Appends one compressed message with these fragments.
fn push_message<'b>(fragments: impl Iterator<Item = &'b [u8]>, wire: &mut Vec<u8>) {
    let mut fragments = fragments.peekable();
    let (mut rsv, mut opcode) = (COMPRESSED, Opcode::Binary);
    loop {
        let fragment = fragments.next().unwrap_or_default();
        let fin = fragments.peek().is_none();
        FrameHeader {
            fin,
            rsv,
            opcode,
            masking_key: None,
            payload_length: fragment.len() as u64,
        }
        .encode(wire);
        wire.extend_from_slice(fragment);
        if fin {
            return;
        }
        (rsv, opcode) = (0, Opcode::Continuation);
    }
}

/// Parameters of a connection with compression, and the messages to send.
#[derive(Debug, Arbitrary)]
struct Terms<'i> {
    is_from_client: bool,
    server_no_context_takeover: bool,
    client_no_context_takeover: bool,
    window_bits: u8,
    level: u8,
    fragment_bytes: u8,
    min_compressed_bytes: u8,
    messages: Vec<Sent<'i>>,
}

#[derive(Debug, Arbitrary)]
struct Sent<'i> {
    copies: u8,
    payload: &'i [u8],
}

/// Compressed messages must decompress to the originals.
fn check_deflated(terms: &Terms<'_>, cuts: u16) {
    let window_bits = WindowBits::new(9 + terms.window_bits % 7).expect("the sum is at most 15");
    let parameters = DeflateParameters {
        server_no_context_takeover: terms.server_no_context_takeover,
        client_no_context_takeover: terms.client_no_context_takeover,
        server_max_window_bits: window_bits,
        client_max_window_bits: window_bits,
    };
    let (sender, receiver) = if terms.is_from_client {
        (Role::Client, Role::Server)
    } else {
        (Role::Server, Role::Client)
    };
    let deflater = Deflater::new(parameters, sender, u32::from(terms.level % 10));
    let fragment_bytes = usize::from(terms.fragment_bytes) + 1;
    let mut encoder = MessageEncoder::new()
        .with_fragments_of(
            fragment_bytes
                .try_into()
                .expect("the length is at least one"),
        )
        .with_deflater(deflater, usize::from(terms.min_compressed_bytes));
    let mut wire = Vec::new();
    let mut sent = Vec::new();
    for message in terms.messages.iter().take(64) {
        let copies = usize::from(message.copies % 20);
        let payload = message.payload.repeat(copies);
        let is_text = str::from_utf8(&payload).is_ok();
        let opcode = if is_text {
            Opcode::Text
        } else {
            Opcode::Binary
        };
        let key = || terms.is_from_client.then_some([0x12, 0x34, 0x56, 0x78]);
        encoder.encode(opcode, &payload, key, &mut wire);
        sent.push(if is_text {
            Received::Text(payload)
        } else {
            Received::Binary(payload)
        });
    }
    let make = || Endpoint::new(receiver, LIMIT_BYTES, Some(parameters));
    let mut messages = receive(make, &wire, cuts);
    messages.retain(|message| *message != Received::Fragment);
    assert_eq!(messages, sent);
}
