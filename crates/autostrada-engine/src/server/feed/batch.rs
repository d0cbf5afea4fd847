//! Messages of a feed, made once and written by each protocol once.

use autostrada_measure::Nanos;
use autostrada_proto::feed::{FeedEncoder, FeedKind, Stock, stocks_of_message};
use autostrada_proto::frame::Opcode;

use crate::server::protocol::{Protocol, SharedEncoders};
use crate::server::sending::Count;

/// The frames of some messages in a row.
#[derive(Debug, Default)]
pub struct Frames {
    /// One after another.
    pub bytes: Vec<u8>,
    /// Where each message ends.
    pub ends: Vec<MessageEnd>,
    /// Of all of them.
    pub count: Count,
}

/// Where a message ends.
#[derive(Debug, Clone, Copy)]
pub struct MessageEnd {
    /// Of the frames up to and with its own.
    pub frames_bytes: usize,
    /// Of this message alone.
    pub payload_bytes: u64,
}

/// Messages, and their frames for each class of connections that writes them as the same bytes.
#[derive(Debug)]
pub struct Batch {
    encoder: FeedEncoder,
    stocks: Vec<Stock>,
    stocks_count: usize,
    payloads: Vec<u8>,
    ends: Vec<usize>,
    by_class: Vec<(u8, Frames)>,
    /// For connections that share their bytes with no other.
    own: Frames,
}

impl Batch {
    /// Makes an empty one.
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

    /// Forgets all messages.
    pub fn clear(&mut self) {
        self.payloads.clear();
        self.ends.clear();
        for (_, frames) in &mut self.by_class {
            frames.clear();
        }
    }

    /// Appends a message.
    pub fn push(&mut self, number: u64, time_ns: Nanos) {
        self.stocks.clear();
        if self.encoder.kind == FeedKind::Stocks {
            stocks_of_message(number, self.stocks_count, &mut self.stocks);
        }
        self.encoder
            .encode(number, time_ns, &self.stocks, &mut self.payloads);
        self.ends.push(self.payloads.len());
    }

    /// The kind of all messages, and the payload of each.
    pub fn messages(&self) -> (Opcode, impl Iterator<Item = &[u8]>) {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let payloads = starts.zip(&self.ends);
        let payloads = payloads.map(|(start, &end)| &self.payloads[start..end]);
        (self.encoder.opcode(), payloads)
    }

    /// How long all payloads are.
    pub fn payload_bytes(&self) -> usize {
        self.payloads.len()
    }

    /// The frames of the messages, as a connection writes them.
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
