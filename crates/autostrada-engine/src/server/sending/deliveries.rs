//! Sending of messages that are encoded one by one: compressed messages of `/N`, and feeds.

use autostrada_measure::{Nanos, Stopwatch};
use autostrada_net::clock;

use super::measurement::{Measurement, Traffic};
use super::send_accounting::{Count, SendAccounting};
use crate::send_buffer::SendBuffer;
use crate::server::usage_reader::UsageReader;

/// The messages that one connection was sent, and those that are still to be sent.
#[derive(Debug)]
pub struct Deliveries {
    /// The messages in the outbox, and those that the kernel has taken.
    pub accounting: SendAccounting,
    /// Number of messages that are still to be encoded.
    pub left: u64,
    /// Number of planned messages that were encoded.
    pub encoded: u64,
    /// Whether a feed may send further messages.
    pub is_feed_open: bool,
    measured: Option<Box<Measured>>,
}

/// Metrics of a connection that gets a result line.
#[derive(Debug)]
struct Measured {
    measurement: Measurement,
    write_calls: u64,
    last_sent_ns: Nanos,
    blocked: Stopwatch,
}

impl Deliveries {
    /// Plans `left` messages; without `measurement`, the connection gets no result line.
    pub fn new(outbox: &SendBuffer, left: u64, measurement: Option<Measurement>) -> Self {
        let measured = measurement.map(|measurement| {
            Box::new(Measured {
                measurement,
                write_calls: 0,
                last_sent_ns: 0,
                blocked: Stopwatch::default(),
            })
        });
        Self {
            accounting: SendAccounting::new(outbox.appended_total()),
            left,
            encoded: 0,
            is_feed_open: false,
            measured,
        }
    }

    /// Begins the measurement anew, if there is one.
    pub fn restart(&mut self, usage_reader: &UsageReader) {
        if let Some(measured) = &mut self.measured {
            let control_bytes = measured.measurement.control_bytes;
            measured.measurement = Measurement::begin(usage_reader, control_bytes);
        }
    }

    /// Plans `messages` messages in all; encoded ones are sent in any case.
    pub fn limit(&mut self, messages: u64) {
        self.left = messages.saturating_sub(self.encoded);
    }

    /// Records a write call that handed bytes to the kernel.
    pub fn note_write(&mut self, outbox: &SendBuffer) {
        self.accounting.count_complete(outbox.sent_total());
        if let Some(measured) = &mut self.measured {
            measured.write_calls += 1;
            measured.last_sent_ns = clock::now();
        }
    }

    /// Records that the socket has no room.
    pub fn block(&mut self) {
        if let Some(measured) = &mut self.measured {
            measured.blocked.start(clock::now());
        }
    }

    /// Records that the socket has room, or that the connection ends.
    pub fn unblock(&mut self, now: Nanos) {
        if let Some(measured) = &mut self.measured {
            measured.blocked.stop(now);
        }
    }

    /// Drops the messages of which the kernel has taken no byte.
    pub fn cancel(&mut self, outbox: &mut SendBuffer) {
        self.left = 0;
        self.accounting.cancel(outbox);
    }

    /// Returns the messages that the kernel has taken completely since the last call.
    pub fn take_new(&mut self) -> Count {
        self.accounting.take_new()
    }

    /// Takes the measurement; `None` if there is none, or after the first call.
    pub fn take_measurement(&mut self, outbox: &SendBuffer) -> Option<(Measurement, Traffic)> {
        let measured = *self.measured.take()?;
        let traffic = Traffic {
            count: self.accounting.sent,
            has_all: self.left == 0 && !self.is_feed_open && self.accounting.has_all(),
            wire_bytes: outbox
                .sent_total()
                .saturating_sub(measured.measurement.control_bytes),
            write_calls: measured.write_calls,
            last_sent_ns: measured.last_sent_ns,
            blocked_ns: measured.blocked.total_ns,
        };
        Some((measured.measurement, traffic))
    }
}
