//! What the workloads record, each its part of it.

use autostrada_measure::{
    Broadcasts, FailureKind, Failures, Histogram, Nanos, Recorder, Regularity, SequenceCounts,
};

use super::message::Message;

/// Buckets of a histogram: the lowest duration of each in nanoseconds, and its count.
pub type Buckets = Vec<(Nanos, u64)>;

/// All buckets that are not empty.
pub fn buckets(histogram: &Histogram) -> Buckets {
    histogram.buckets().collect()
}

/// What a thread has recorded.
#[derive(Debug, Default)]
pub struct Recorded {
    /// Messages that were received, wrong ones included; not those of slow connections.
    pub messages: u64,
    /// Their payload bytes.
    pub bytes: u64,
    /// The last of them.
    pub received_ns: Nanos,
    /// Messages whose type or content was not the one expected.
    pub wrong: u64,
    /// Messages that were sent, whenever they were due.
    pub sent_in_all: u64,
    /// How long it took.
    pub latencies: Latencies,
    /// Of messages with a number.
    pub sequence: SequenceCounts,
    /// Of a feed with an interval.
    pub regularity: Option<Regularity>,
    /// Of a broadcast.
    pub broadcasts: Option<Broadcasts>,
    /// Wrong messages, and answers that did not come.
    pub failures: Failures,
}

/// How long it took, since it was last told: a thread hands them on each second, and keeps none.
#[derive(Debug, Default)]
pub struct Latencies {
    /// Of messages that were due within the window.
    pub recorder: Recorder,
    /// From the instant in a message to its arrival.
    pub delivery_time_ns: Histogram,
}

impl Latencies {
    /// Adds what another thread, or another second, has recorded.
    pub fn merge(&mut self, other: &Self) {
        self.recorder.merge(&other.recorder);
        self.delivery_time_ns.merge(&other.delivery_time_ns);
    }

    /// Forgets all, and keeps the memory.
    pub fn clear(&mut self) {
        self.recorder.clear();
        self.delivery_time_ns.clear();
    }
}

impl Recorded {
    /// Counts a message.
    #[inline]
    pub fn count(&mut self, messages: u64, bytes: u64, now: Nanos) {
        self.messages += messages;
        self.bytes += bytes;
        self.received_ns = now;
    }

    /// Counts a message that should not have come.
    pub fn record_wrong(&mut self, message: Message<'_>, now: Nanos) {
        self.wrong += 1;
        self.failures
            .record(FailureKind::Mismatch, now, || message.describe());
    }

    /// Adds what another thread has recorded.
    pub fn merge(&mut self, other: &Self) {
        self.messages += other.messages;
        self.bytes += other.bytes;
        self.received_ns = self.received_ns.max(other.received_ns);
        self.wrong += other.wrong;
        self.sent_in_all += other.sent_in_all;
        self.latencies.merge(&other.latencies);
        self.sequence.merge(&other.sequence);
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
