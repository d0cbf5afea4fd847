//! The records that all workloads share.

use autostrada_measure::{
    Broadcasts, FailureKind, Failures, Histogram, Nanos, RecordError, Recorder, Regularity,
    SequenceCounts,
};

use super::message::Message;

/// Buckets of a histogram, as pairs of the lowest duration of the bucket in nanoseconds and its
/// count. Empty buckets are left out.
pub type Buckets = Vec<(Nanos, u64)>;

/// Returns all buckets of a histogram that are not empty.
pub fn buckets(histogram: &Histogram) -> Buckets {
    histogram.buckets().collect()
}

/// The records of a thread, or the sum of all threads.
#[derive(Debug, Default)]
pub struct Recorded {
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
    ///
    /// # Errors
    ///
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

    fn merge(&mut self, other: &Self) {
        self.sent += other.sent;
        self.answered += other.answered;
        self.time_ns.merge(&other.time_ns);
    }
}

/// Latencies of messages. A thread reports them each second and starts again with empty ones.
#[derive(Debug, Default)]
pub struct Latencies {
    /// Latencies of messages that were due within the window.
    pub recorder: Recorder,
    /// Time from the instant in a message until it was received.
    pub delivery_time_ns: Histogram,
}

impl Latencies {
    /// Adds the latencies of another thread, or of another second.
    pub fn merge(&mut self, other: &Self) {
        self.recorder.merge(&other.recorder);
        self.delivery_time_ns.merge(&other.delivery_time_ns);
    }

    /// Removes all latencies and keeps the memory.
    pub fn clear(&mut self) {
        self.recorder.clear();
        self.delivery_time_ns.clear();
    }
}

impl Recorded {
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

    /// Adds the records of another thread.
    pub fn merge(&mut self, other: &Self) {
        self.messages += other.messages;
        self.bytes += other.bytes;
        self.received_ns = self.received_ns.max(other.received_ns);
        self.wrong += other.wrong;
        self.sent_total += other.sent_total;
        self.latencies.merge(&other.latencies);
        self.sequence.merge(&other.sequence);
        self.round_trips.merge(&other.round_trips);
        merge_option(
            &mut self.regularity,
            other.regularity.as_ref(),
            Regularity::merge,
        );
        merge_option(
            &mut self.broadcasts,
            other.broadcasts.as_ref(),
            Broadcasts::merge,
        );
        self.failures.merge(&other.failures);
    }
}

fn merge_option<T: Clone>(ours: &mut Option<T>, theirs: Option<&T>, merge: impl Fn(&mut T, &T)) {
    match (ours, theirs) {
        (_, None) => {}
        (Some(ours), Some(theirs)) => merge(ours, theirs),
        (ours, theirs) => *ours = theirs.cloned(),
    }
}
