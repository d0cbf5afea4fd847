//! Messages of a feed, encoded once for all subscribers that get the same bytes.

use autostrada_measure::Nanos;
use autostrada_proto::feed::{FeedEncoder, FeedKind, Stock, stocks_of_message};
use autostrada_proto::frame::Opcode;

use crate::server::protocol::{Protocol, SharedEncoders};
use crate::server::sending::Count;

/// The frames of consecutive messages.
#[derive(Debug, Default)]
pub struct Frames {
    /// The frames, concatenated.
    pub bytes: Vec<u8>,
    /// The end of each message.
    pub ends: Vec<MessageEnd>,
    /// Number of messages, and their payload bytes.
    pub count: Count,
}

/// The end of a message in [`Frames::bytes`].
#[derive(Debug, Clone, Copy)]
pub struct MessageEnd {
    /// Length of all frames up to and including this message's, in bytes.
    pub frames_bytes: usize,
    /// Length of this message's payload, in bytes.
    pub payload_bytes: u64,
}

/// Messages, and their frames for each class of connections that get the same bytes.
#[derive(Debug)]
pub struct Batch {
    encoder: FeedEncoder,
    stocks: Vec<Stock>,
    stocks_count: usize,
    payloads: Vec<u8>,
    ends: Vec<usize>,
    by_class: Vec<(u8, Frames)>,
    /// Frames for a connection whose bytes differ from those of every other one.
    own: Frames,
}

impl Batch {
    /// Creates an empty batch; `stocks_count` is the number of records in a message of `stocks`.
    pub fn new(encoder: FeedEncoder, stocks_count: usize) -> Self {
        Self {
            encoder,
            stocks: Vec::new(),
            stocks_count,
            payloads: Vec::new(),
            ends: Vec::new(),
            by_class: Vec::new(),
            own: Frames::default(),
        }
    }

    /// Removes all messages.
    pub fn clear(&mut self) {
        self.payloads.clear();
        self.ends.clear();
        for (_, frames) in &mut self.by_class {
            frames.clear();
        }
    }

    /// Appends message `number` with the timestamp `time_ns`.
    pub fn push(&mut self, number: u64, time_ns: Nanos) {
        self.stocks.clear();
        if self.encoder.kind == FeedKind::Stocks {
            stocks_of_message(number, self.stocks_count, &mut self.stocks);
        }
        self.encoder
            .encode(number, time_ns, &self.stocks, &mut self.payloads);
        self.ends.push(self.payloads.len());
    }

    /// Returns the opcode of all messages, and the payload of each.
    pub fn messages(&self) -> (Opcode, impl Iterator<Item = &[u8]>) {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let payloads = starts.zip(&self.ends);
        let payloads = payloads.map(|(start, &end)| &self.payloads[start..end]);
        (self.encoder.opcode(), payloads)
    }

    /// Returns the length of all payloads together, in bytes.
    pub fn payload_bytes(&self) -> usize {
        self.payloads.len()
    }

    /// Returns the frames of the messages for a connection; encodes them if no connection of its
    /// class needed them before.
    pub fn frames(&mut self, protocol: &mut Protocol, encoders: &mut SharedEncoders) -> &Frames {
        let frames = match protocol.class() {
            None => {
                self.own.clear();
                &mut self.own
            }
            Some(class) => {
                let known = self.by_class.iter().position(|(known, _)| *known == class);
                let index = known.unwrap_or_else(|| {
                    self.by_class.push((class, Frames::default()));
                    self.by_class.len() - 1
                });
                &mut self.by_class[index].1
            }
        };
        if frames.ends.len() < self.ends.len() {
            let opcode = self.encoder.opcode();
            let mut start = 0;
            for &end in &self.ends {
                let payload = &self.payloads[start..end];
                protocol.encode_message(opcode, payload, encoders, &mut frames.bytes);
                frames.note(payload.len() as u64);
                start = end;
            }
        }
        frames
    }
}

impl Frames {
    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.count = Count::default();
    }

    fn note(&mut self, payload_bytes: u64) {
        self.ends.push(MessageEnd {
            frames_bytes: self.bytes.len(),
            payload_bytes,
        });
        self.count += Count {
            messages: 1,
            bytes: payload_bytes,
        };
    }
}
