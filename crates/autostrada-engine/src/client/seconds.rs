//! The per-second series of all threads together.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::{AddAssign, Sub};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};

use autostrada_measure::{FailureKind, Nanos, Series};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::buckets::Buckets;
use super::connection_stats::ConnectionStats;
use super::merge::{Merge, merge};
use super::timetable::Timetable;
use super::workload::{Latencies, Records};

/// Counts of a load: since its start, or in one second.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub struct Tally {
    /// Messages received; the same messages count as in the result.
    pub messages: u64,
    /// Payload bytes of these messages.
    pub bytes: u64,
    /// Messages sent.
    pub sent: u64,
    /// Connections opened.
    pub opened: u64,
    /// Connections that ended, for any reason, before the trial did.
    pub closed: u64,
    /// Bytes read, below the protocol and above TLS.
    pub read_bytes: u64,
    /// Bytes written, below the protocol and above TLS.
    pub written_bytes: u64,
    /// Number of times that one or more message numbers were skipped.
    pub gaps: u64,
    /// Skipped message numbers. A message that arrives late is subtracted again, so the value of a
    /// second may be negative.
    pub missing: i64,
    /// Messages whose number had already been received.
    pub duplicates: u64,
    /// Messages that arrived after a message with a higher number.
    pub reordered: u64,
    /// Messages whose type or content was not the expected one.
    pub wrong: u64,
    /// Failures of all kinds.
    pub failures: u64,
    /// Failures in the order of [`FailureKind::ALL`].
    #[serde(skip)]
    pub failures_by_kind: [u64; FailureKind::ALL.len()],
    /// CPU time of the threads, without busy waiting.
    #[serde(skip)]
    pub busy_ns: Nanos,
}

impl Tally {
    /// Returns the counts of a thread since its start, which has been busy for `busy_ns`.
    pub fn of(records: &Records, stats: &ConnectionStats, busy_ns: Nanos) -> Self {
        let sequence = &records.sequence;
        let mut failures_by_kind = [0; FailureKind::ALL.len()];
        for (kind, failure) in records.failures.iter().chain(stats.failures.iter()) {
            failures_by_kind[kind as usize] += failure.count;
        }
        Self {
            messages: records.messages,
            bytes: records.bytes,
            sent: records.sent_total,
            opened: stats.opened,
            closed: stats.closed,
            read_bytes: stats.traffic.read_bytes,
            written_bytes: stats.traffic.written_bytes,
            gaps: sequence.gaps,
            missing: sequence.missing.cast_signed(),
            duplicates: sequence.duplicates,
            reordered: sequence.reordered,
            wrong: records.wrong,
            failures: failures_by_kind.iter().sum(),
            failures_by_kind,
            busy_ns,
        }
    }

    /// Combines each count of two tallies with a function.
    fn zip(self, other: Self, count: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            messages: count(self.messages, other.messages),
            bytes: count(self.bytes, other.bytes),
            sent: count(self.sent, other.sent),
            opened: count(self.opened, other.opened),
            closed: count(self.closed, other.closed),
            read_bytes: count(self.read_bytes, other.read_bytes),
            written_bytes: count(self.written_bytes, other.written_bytes),
            gaps: count(self.gaps, other.gaps),
            missing: count(self.missing.cast_unsigned(), other.missing.cast_unsigned())
                .cast_signed(),
            duplicates: count(self.duplicates, other.duplicates),
            reordered: count(self.reordered, other.reordered),
            wrong: count(self.wrong, other.wrong),
            failures: count(self.failures, other.failures),
            failures_by_kind: std::array::from_fn(|kind| {
                count(self.failures_by_kind[kind], other.failures_by_kind[kind])
            }),
            busy_ns: count(self.busy_ns, other.busy_ns),
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        *self = self.zip(other, u64::wrapping_add);
    }
}

impl Sub for Tally {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.zip(other, u64::wrapping_sub)
    }
}

/// Counts and latencies of one second, of one thread or of all.
#[derive(Debug, Default)]
pub struct Counted {
    tally: Tally,
    latencies: Latencies,
}

/// What `load` counted in one second.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
pub struct LoadSecond {
    /// Number of the second, counted from 0; second 0 begins when the first connection is open.
    pub second: u64,
    #[serde(flatten)]
    pub tally: Tally,
    /// Response time: from when a message was due until its answer was read, in nanoseconds, in
    /// coarse buckets.
    pub response_time_ns: Buckets,
    /// Service time: from when a message was sent until its answer was read, in nanoseconds, in
    /// coarse buckets.
    pub service_time_ns: Buckets,
    /// Send delay: from when a message was due until it was sent, in nanoseconds, in coarse
    /// buckets.
    pub send_delay_ns: Buckets,
    /// Delivery time: from the instant in a message of a feed until it was received, in
    /// nanoseconds, in coarse buckets.
    pub delivery_time_ns: Buckets,
}

impl LoadSecond {
    fn new(second: u64, Counted { tally, latencies }: &Counted) -> Self {
        Self {
            second,
            tally: *tally,
            response_time_ns: latencies.recorder.response_time_ns.coarse_buckets(),
            service_time_ns: latencies.recorder.service_time_ns.coarse_buckets(),
            send_delay_ns: latencies.recorder.send_delay_ns.coarse_buckets(),
            delivery_time_ns: latencies.delivery_time_ns.coarse_buckets(),
        }
    }

    /// Returns the response times, or the delivery times of a feed.
    pub fn times(&self) -> &Buckets {
        if self.response_time_ns.is_empty() {
            &self.delivery_time_ns
        } else {
            &self.response_time_ns
        }
    }
}

merge!(LoadSecond {
    second: first,
    tally: sum,
    response_time_ns: buckets,
    service_time_ns: buckets,
    send_delay_ns: buckets,
    delivery_time_ns: buckets,
});

/// A report of one thread to the thread that adds up the seconds.
#[derive(Debug)]
pub enum ThreadEvent {
    /// The first thread begins the workload, by the timetable of all threads.
    Started(Timetable),
    /// The thread has counted a second.
    Second {
        /// Index of the thread, from 0.
        thread: usize,
        /// Number of the second.
        second: u64,
        /// Counts and latencies of this second.
        counted: Box<Counted>,
    },
    /// The thread has ended: it reports neither this second nor a later one.
    Over(u64),
}

/// The per-second series of one thread. It reads the counts once a second, not at each message.
#[derive(Debug)]
pub struct Seconds {
    thread: usize,
    sender: Sender<ThreadEvent>,
    /// Cleared histograms for reuse: allocating them each second would cause a pause.
    returned: Receiver<Latencies>,
    /// Instant at which the first connection of all threads opened.
    started_at: Arc<OnceLock<Nanos>>,
    series: Option<Series>,
    /// Number of the second that is reported next.
    next: u64,
    reported: Tally,
}

impl Seconds {
    /// Starts the first second of all threads if it has not started yet.
    pub fn begin(&self, opened_at: Nanos) {
        self.started_at.get_or_init(|| opened_at);
    }

    /// Reports that the workload begins; the first thread does so for all.
    pub fn report_start(&self, timetable: &Timetable) {
        if self.thread == 0 {
            let _ = self.sender.send(ThreadEvent::Started(timetable.clone()));
        }
    }

    /// Returns the instant at which the current second ends, or `Nanos::MAX` before the first
    /// second has started.
    pub fn ends_at(&mut self) -> Nanos {
        if self.series.is_none() {
            self.series = self.started_at.get().copied().map(Series::new);
        }
        self.series.as_ref().map_or(Nanos::MAX, Series::ends_at)
    }

    /// Reports all seconds that have ended and leaves `latencies` empty.
    ///
    /// If several seconds have ended since the last call, the first of them has all counts and
    /// latencies.
    pub fn report(&mut self, tally: Tally, latencies: &mut Latencies, now: Nanos) {
        self.ends_at();
        let empty = self.returned.try_recv().unwrap_or_default();
        let mut latencies = Some(std::mem::replace(latencies, empty));
        while let Some(second) = self.series.as_mut().and_then(|series| series.finish(now)) {
            let counted = Counted {
                tally: tally - self.reported,
                latencies: latencies.take().unwrap_or_default(),
            };
            self.reported = tally;
            self.next = second + 1;
            // Sending fails only if the receiving thread has ended, and then so does the trial.
            let _ = self.sender.send(ThreadEvent::Second {
                thread: self.thread,
                second,
                counted: Box::new(counted),
            });
        }
    }
}

impl Drop for Seconds {
    fn drop(&mut self) {
        let _ = self.sender.send(ThreadEvent::Over(self.next));
    }
}

/// Creates the series of each thread, the channel of their events, and their sum.
pub fn seconds(threads: usize) -> (Vec<Seconds>, Receiver<ThreadEvent>, SecondsSum) {
    let (sender, events) = channel();
    let started_at = Arc::new(OnceLock::new());
    let (returns, returned): (Vec<_>, Vec<_>) = (0..threads).map(|_| channel()).unzip();
    let one = |(thread, returned)| Seconds {
        thread,
        sender: sender.clone(),
        returned,
        started_at: Arc::clone(&started_at),
        series: None,
        next: 0,
        reported: Tally::default(),
    };
    let seconds = returned.into_iter().enumerate().map(one).collect();
    let sum = SecondsSum::new(returns);
    (0..threads).for_each(|thread| sum.return_latencies(thread, Latencies::default()));
    (seconds, events, sum)
}

/// The sum of the seconds of all threads; a second is complete once all threads have reported it.
#[derive(Debug)]
pub struct SecondsSum {
    /// For each thread: the channel that returns its histograms for reuse.
    returns: Vec<Sender<Latencies>>,
    /// For each thread that has ended: the first second that it did not report.
    over: Vec<u64>,
    /// For each second: the number of threads that have reported it, the index of the first of
    /// them, and the sum of their counts.
    waiting: BTreeMap<u64, (usize, usize, Counted)>,
    /// Latencies of all seconds that [`take`](Self::take) has returned.
    pub reported: Latencies,
}

impl SecondsSum {
    fn new(returns: Vec<Sender<Latencies>>) -> Self {
        Self {
            returns,
            over: Vec::new(),
            waiting: BTreeMap::new(),
            reported: Latencies::default(),
        }
    }

    /// Adds the report of one thread.
    pub fn add(&mut self, event: ThreadEvent) {
        match event {
            ThreadEvent::Started(_) => {}
            ThreadEvent::Over(next) => self.over.push(next),
            ThreadEvent::Second {
                thread,
                second,
                counted,
            } => match self.waiting.entry(second) {
                Entry::Vacant(vacant) => {
                    vacant.insert((1, thread, *counted));
                }
                Entry::Occupied(mut occupied) => {
                    let (threads, _, all) = occupied.get_mut();
                    *threads += 1;
                    all.tally += counted.tally;
                    all.latencies.merge(&counted.latencies);
                    self.return_latencies(thread, counted.latencies);
                }
            },
        }
    }

    /// Clears histograms and returns them to their thread for reuse.
    fn return_latencies(&self, thread: usize, mut latencies: Latencies) {
        latencies.clear();
        // Sending fails only if the thread has ended.
        let _ = self.returns[thread].send(latencies);
    }

    /// Takes the next complete second, or returns `None` if a running thread has not reported it.
    pub fn take(&mut self) -> Option<LoadSecond> {
        let first = self.waiting.first_entry()?;
        let second = *first.key();
        let over = self.over.iter().filter(|&&next| next <= second).count();
        let (threads, _, _) = first.get();
        if threads + over < self.returns.len() {
            return None;
        }
        let (_, thread, counted) = first.remove();
        self.reported.merge(&counted.latencies);
        let row = LoadSecond::new(second, &counted);
        self.return_latencies(thread, counted.latencies);
        Some(row)
    }
}

#[cfg(test)]
#[path = "tests/seconds.rs"]
mod tests;
