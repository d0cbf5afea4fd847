//! The messages that are sent: one, or several in turn, optionally stamped with number and instant.

use std::io::Write;
use std::sync::Arc;

use autostrada_measure::{Nanos, Share};
use autostrada_net::clock;
use autostrada_proto::frame::Opcode;
use serde_json::value::RawValue;

use crate::client::sending::{Encoding, Outbox};
use crate::client::template::{Parts, Template};
use crate::client::workload::Message;
use crate::plan::{MessageKind, PayloadPlan, PlanError, Source, Users};

/// Minimum total length of all random messages: more than the window of deflate, so that repeated
/// messages do not compress.
const RANDOM_BYTES_MIN: usize = 64 * 1024;

/// Maximum number of random messages.
const RANDOM_MESSAGES_MAX: usize = 4096;

/// The characters of a random text.
const ALPHABET: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Length of the stamp of a text: two numbers of 20 digits, each followed by a space.
const TEXT_STAMP_BYTES: usize = 42;

/// Length of the stamp of a binary message: two numbers of 8 bytes.
const BINARY_STAMP_BYTES: usize = 16;

/// The number and instant at the beginning of a stamped message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Number of the message on its connection, from 0.
    pub number: u64,
    /// Instant at which the message was due.
    pub due: Nanos,
}

#[derive(Debug)]
struct Prepared {
    payload: Vec<u8>,
    /// The encoded message; empty if it cannot be encoded in advance.
    bytes: Vec<u8>,
    /// The parts that differ; `None` if all messages of this turn are equal.
    template: Option<Template>,
}

/// The messages of all connections of a thread.
#[derive(Debug)]
pub struct Messages {
    opcode: Opcode,
    /// The messages that are sent in turn: message `n` of each connection has the index `n` modulo
    /// the length. Never empty.
    turns: Vec<Prepared>,
    /// Whether each message begins with its number and instant.
    pub is_stamped: bool,
    /// Buffer in which a message is assembled that is stamped or has parts that differ.
    scratch: Vec<u8>,
    /// The thread's share of the connections.
    share: Share,
    /// The users of all connections; `None` without users.
    users: Option<Arc<Users>>,
    random: SplitMix64,
}

impl Messages {
    /// Reads or generates the messages of a share of the connections; `encoding` is the encoding of
    /// those that negotiate no extension.
    pub fn new(
        plan: &PayloadPlan,
        encoding: &mut Encoding,
        share: Share,
        users: Option<Arc<Users>>,
    ) -> Result<Self, PlanError> {
        let kind = plan.kind();
        // Framed TCP has no texts: all received messages are binary.
        let opcode = match (kind, &encoding) {
            (MessageKind::Text, Encoding::Frames(_) | Encoding::SocketIo(_)) => Opcode::Text,
            _ => Opcode::Binary,
        };
        let contents = match plan.source()? {
            Source::Given(messages) => messages,
            Source::Random { bytes } => random_messages(bytes, kind, plan.seed),
        };
        let columns = users.as_ref().map_or(&[][..], |users| &users.columns);
        let has_json = matches!(encoding, Encoding::SocketIo(encoding) if encoding.has_json);
        let is_repeatable = encoding.is_repeatable() && !plan.stamped;
        let prepare = |payload: Vec<u8>| {
            let template = if plan.template {
                let template = Template::compile(&payload, columns)
                    .map_err(|error| PlanError::new(format!("payload: {error}")))?;
                Some(template).filter(|template| !template.is_constant())
            } else {
                None
            };
            if has_json && opcode == Opcode::Text {
                let parts = Parts::of_opening(0, users.as_ref().map(|users| users.of(0)));
                let text = template.as_ref().map(|template| template.written(&parts));
                check_json(text.as_deref().map_or(&payload, str::as_bytes))?;
            }
            let mut bytes = Vec::new();
            if is_repeatable && template.is_none() {
                encoding.encode(opcode, &payload, &mut bytes);
            }
            Ok(Prepared {
                payload,
                bytes,
                template,
            })
        };
        let turns: Result<_, PlanError> = contents.into_iter().map(prepare).collect();
        Ok(Self {
            opcode,
            turns: turns?,
            is_stamped: plan.stamped,
            scratch: Vec::new(),
            share,
            users,
            random: SplitMix64(clock::unix_ns() ^ share.of_all(0)),
        })
    }

    #[inline]
    fn turn(&self, number: u64) -> &Prepared {
        match &self.turns[..] {
            [only] => only,
            several => {
                let length = several.len() as u64;
                let at = usize::try_from(number % length).expect("below a length");
                &several[at]
            }
        }
    }

    /// Sends the message with the number of this stamp on the connection with this index within the
    /// thread; returns its content.
    #[inline]
    pub fn send(&mut self, connection: usize, stamp: Stamp, outbox: &mut Outbox) -> &[u8] {
        if self.is_stamped || self.turn(stamp.number).template.is_some() {
            return self.send_assembled(connection, stamp, outbox);
        }
        let message = self.turn(stamp.number);
        let prepared = Some(&message.bytes[..]).filter(|bytes| !bytes.is_empty());
        outbox.send(self.opcode, &message.payload, prepared);
        &message.payload
    }

    fn send_assembled(&mut self, connection: usize, stamp: Stamp, outbox: &mut Outbox) -> &[u8] {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        if self.is_stamped {
            encode_stamp(self.opcode, stamp, &mut scratch);
        }
        let random = [self.random.next(), self.random.next()];
        let turn = self.turn(stamp.number);
        match &turn.template {
            None => scratch.extend_from_slice(&turn.payload),
            Some(template) => {
                let connection = self.share.of_all(connection as u64);
                let parts = Parts {
                    number: stamp.number,
                    unix_ns: clock::unix_ns(),
                    connection,
                    random,
                    user: self.users.as_ref().map(|users| users.of(connection)),
                };
                template.write(&parts, &mut scratch);
            }
        }
        outbox.send(self.opcode, &scratch, None);
        self.scratch = scratch;
        &self.scratch
    }

    /// Reads the stamp of a received message, or returns `None` if it has none.
    pub fn read_stamp(&self, message: Message<'_>) -> Option<Stamp> {
        decode_stamp(self.opcode, message.payload)
    }

    /// Whether a received message equals the message with this number, except for its stamp.
    #[inline]
    pub fn is_expected(&self, number: u64, message: Message<'_>) -> bool {
        let content = if self.is_stamped {
            message
                .payload
                .get(stamp_bytes(self.opcode)..)
                .unwrap_or_default()
        } else {
            message.payload
        };
        message.opcode == self.opcode && content == self.turn(number).payload
    }
}

/// Refuses a text that begins as a JSON object or array and is none.
fn check_json(text: &[u8]) -> Result<(), PlanError> {
    let first = text.trim_ascii_start().first();
    match serde_json::from_slice::<&RawValue>(text) {
        Err(error) if matches!(first, Some(b'{' | b'[')) => Err(PlanError::new(format!(
            "payload: a message that begins with a bracket is not JSON: {error}: correct it, or send \
             it as a text in double quotes"
        ))),
        _ => Ok(()),
    }
}

fn stamp_bytes(opcode: Opcode) -> usize {
    match opcode {
        Opcode::Text => TEXT_STAMP_BYTES,
        _ => BINARY_STAMP_BYTES,
    }
}

fn encode_stamp(opcode: Opcode, stamp: Stamp, out: &mut Vec<u8>) {
    if opcode == Opcode::Text {
        write!(out, "{:020} {:020} ", stamp.number, stamp.due).expect("a vector takes all bytes");
        return;
    }
    out.extend_from_slice(&stamp.number.to_be_bytes());
    out.extend_from_slice(&stamp.due.to_be_bytes());
}

fn decode_stamp(opcode: Opcode, payload: &[u8]) -> Option<Stamp> {
    let [number, due] = if opcode == Opcode::Text {
        let text = std::str::from_utf8(payload.get(..TEXT_STAMP_BYTES)?).ok()?;
        let mut fields = text.split(' ').map(str::parse);
        [fields.next()?.ok()?, fields.next()?.ok()?]
    } else {
        let (number, rest) = payload.split_first_chunk()?;
        let (due, _) = rest.split_first_chunk()?;
        [u64::from_be_bytes(*number), u64::from_be_bytes(*due)]
    };
    Some(Stamp { number, due })
}

fn random_messages(bytes: usize, kind: MessageKind, seed: u64) -> Vec<Vec<u8>> {
    let count = (RANDOM_BYTES_MIN / bytes.max(1) + 1).min(RANDOM_MESSAGES_MAX);
    let mut random = SplitMix64(seed);
    let mut byte = || match kind {
        MessageKind::Binary => random.next_byte(),
        MessageKind::Text => ALPHABET[usize::from(random.next_byte()) % ALPHABET.len()],
    };
    (0..count)
        .map(|_| (0..bytes).map(|_| byte()).collect())
        .collect()
}

/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
#[derive(Debug)]
struct SplitMix64(u64);

impl SplitMix64 {
    fn next_byte(&mut self) -> u8 {
        let [byte, ..] = self.next().to_be_bytes();
        byte
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}

#[cfg(test)]
#[path = "tests/messages.rs"]
mod tests;
