//! The records that all workloads share.

use autostrada_measure::{
    Broadcasts, FailureKind, Failures, Histogram, Nanos, RecordError, Recorder, Regularity,
    SequenceCounts,
};

use super::message::Message;
use crate::client::merge::merge;

/// The records of a thread, or the sum of all threads.
#[derive(Debug, Default)]
pub struct Records {
    /// Number of messages received, including wrong ones, without those of slow connections.
    pub messages: u64,
    /// Payload bytes of these messages.
    pub bytes: u64,
    /// Instant at which the last of these messages was received.
    pub received_ns: Nanos,
    /// Number of messages whose type or content was not the expected one.
    pub wrong: u64,
    /// Number of messages sent, whenever they were due.
    pub sent_total: u64,
    /// Latencies since the last report.
    pub latencies: Latencies,
    /// Order of numbered messages.
    pub sequence: SequenceCounts,
    /// Regularity of a feed with an interval, otherwise `None`.
    pub regularity: Option<Regularity>,
    /// Deliveries of a broadcast, otherwise `None`.
    pub broadcasts: Option<Broadcasts>,
    /// Round trips of WebSocket pings.
    pub round_trips: RoundTrips,
    /// Wrong messages and missing answers.
    pub failures: Failures,
}

/// Round trips of WebSocket pings, whose payload is the instant at which they were sent.
#[derive(Debug, Default)]
pub struct RoundTrips {
    /// Number of pings sent.
    pub sent: u64,
    /// Number of pings answered.
    pub answered: u64,
    /// Time from a ping to its pong.
    pub time_ns: Histogram,
}

impl RoundTrips {
    /// Records a pong; ignores one that answers no ping.
    /// Returns an error if the round trip took longer than an hour.
    #[cold]
    pub fn record(&mut self, payload: &[u8], now: Nanos) -> Result<(), RecordError> {
        let sent_at = payload.try_into().map_or(Nanos::MAX, Nanos::from_be_bytes);
        if self.is_awaiting() && sent_at <= now {
            self.answered += 1;
            self.time_ns.record(now - sent_at)?;
        }
        Ok(())
    }

    /// Whether a ping is not answered.
    pub fn is_awaiting(&self) -> bool {
        self.answered < self.sent
    }
}

merge!(RoundTrips {
    sent: sum,
    answered: sum,
    time_ns: each,
});

/// Latencies of messages. A thread reports them each second and starts again with empty ones.
#[derive(Debug, Default)]
pub struct Latencies {
    /// Latencies of messages that were due within the window.
    pub recorder: Recorder,
    /// Time from the instant in a message until it was received.
    pub delivery_time_ns: Histogram,
}

merge!(Latencies {
    recorder: each,
    delivery_time_ns: each,
});

impl Latencies {
    /// Removes all latencies and keeps the memory.
    pub fn clear(&mut self) {
        self.recorder.clear();
        self.delivery_time_ns.clear();
    }
}

impl Records {
    /// Counts messages that were received at the same instant.
    #[inline]
    pub fn count(&mut self, messages: u64, bytes: u64, now: Nanos) {
        self.messages += messages;
        self.bytes += bytes;
        self.received_ns = now;
    }

    /// Counts a wrong message, and records it as a failure of kind `mismatch`.
    pub fn record_wrong(&mut self, message: Message<'_>, now: Nanos) {
        self.wrong += 1;
        self.failures
            .record(FailureKind::Mismatch, now, || message.describe());
    }
}

merge!(Records {
    messages: sum,
    bytes: sum,
    received_ns: most,
    wrong: sum,
    sent_total: sum,
    latencies: each,
    sequence: each,
    regularity: each,
    broadcasts: each,
    round_trips: each,
    failures: each,
});
