//! The per-second series of all threads together.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::{AddAssign, Sub};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};

use autostrada_measure::{Nanos, SecondOf, SeriesOf};
use schemars::JsonSchema;
use serde::Serialize;

use super::connection_stats::ConnectionStats;
use super::workload::{Buckets, Latencies, Recorded};

/// What is counted: since the start, or in one second.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Tally {
    /// Messages received, as in the result.
    pub messages: u64,
    /// Payload bytes of these messages.
    pub bytes: u64,
    /// Messages sent.
    sent: u64,
    /// Connections opened.
    opened: u64,
    /// Connections that ended before the trial did.
    closed: u64,
    /// Bytes read, below the protocol and above TLS.
    read_bytes: u64,
    /// Bytes written, below the protocol and above TLS.
    written_bytes: u64,
    /// How often numbers of messages were left out.
    gaps: u64,
    /// How many numbers of messages did not come. One that comes late is taken off again, so a second
    /// may be below 0.
    missing: i64,
    /// Messages whose number had come before.
    duplicates: u64,
    /// Messages that came after one with a higher number.
    reordered: u64,
    /// Messages whose type or content was not the expected one.
    wrong: u64,
    /// Failures of all kinds.
    failures: u64,
}

impl Tally {
    /// What a thread has counted so far.
    pub fn of(recorded: &Recorded, stats: &ConnectionStats) -> Self {
        let sequence = &recorded.sequence;
        Self {
            messages: recorded.messages,
            bytes: recorded.bytes,
            sent: recorded.sent_in_all,
            opened: stats.opened,
            closed: stats.closed,
            read_bytes: stats.read_bytes,
            written_bytes: stats.written_bytes,
            gaps: sequence.gaps,
            missing: sequence.missing.cast_signed(),
            duplicates: sequence.duplicates,
            reordered: sequence.reordered,
            wrong: recorded.wrong,
            failures: recorded.failures.count() + stats.failures.count(),
        }
    }

    /// Goes through all counts of two tallies.
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

/// What one thread, or all, counted in one second.
#[derive(Debug, Default)]
pub struct Counted {
    tally: Tally,
    latencies: Latencies,
}

/// What `load` counted in one second.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LoadSecond {
    /// The number of the second, from 0 at the opening of the first connection.
    second: u64,
    #[serde(flatten)]
    tally: Tally,
    /// Time from when a message was due until its answer was read, in coarse buckets.
    response_time_ns: Buckets,
    /// Time from when a message was sent until its answer was read, in coarse buckets.
    service_time_ns: Buckets,
    /// Time from when a message was due until it was sent, in coarse buckets.
    send_delay_ns: Buckets,
    /// Time from the instant in a message of a feed until it was received, in coarse buckets.
    delivery_time_ns: Buckets,
}

impl From<&SecondOf<Counted>> for LoadSecond {
    fn from(second: &SecondOf<Counted>) -> Self {
        let Counted { tally, latencies } = &second.counts;
        Self {
            second: second.second,
            tally: *tally,
            response_time_ns: latencies.recorder.response_time_ns.coarse_buckets(),
            service_time_ns: latencies.recorder.service_time_ns.coarse_buckets(),
            send_delay_ns: latencies.recorder.send_delay_ns.coarse_buckets(),
            delivery_time_ns: latencies.delivery_time_ns.coarse_buckets(),
        }
    }
}

/// What a thread reports.
#[derive(Debug)]
pub enum ThreadEvent {
    /// A second is over.
    Second {
        /// The thread, counted from 0.
        thread: usize,
        /// What fell into it.
        counted: Box<SecondOf<Counted>>,
    },
    /// The thread has ended, and reports neither this second nor a later one.
    Over(u64),
}

/// One thread's series. It looks at its counts once a second, not at each message.
#[derive(Debug)]
pub struct Seconds {
    thread: usize,
    sender: Sender<ThreadEvent>,
    /// Latencies that were reported and are empty again: allocating them would cause a pause.
    returned: Receiver<Latencies>,
    /// The first connection that opened, of all threads.
    started_at: Arc<OnceLock<Nanos>>,
    series: Option<SeriesOf<()>>,
    /// The second that is reported next.
    next: u64,
    reported: Tally,
}

impl Seconds {
    /// Starts the first second of all threads, unless it has been started.
    pub fn begin(&self, opened_at: Nanos) {
        self.started_at.get_or_init(|| opened_at);
    }

    /// When the current second is over; never before the first has begun.
    pub fn ends_at(&mut self) -> Nanos {
        if self.series.is_none() {
            self.series = self.started_at.get().copied().map(SeriesOf::new);
        }
        self.series.as_ref().map_or(Nanos::MAX, SeriesOf::ends_at)
    }

    /// Reports the seconds that are over, of which the first has all latencies; none are left.
    pub fn report(&mut self, tally: Tally, latencies: &mut Latencies, now: Nanos) {
        self.ends_at();
        let empty = self.returned.try_recv().unwrap_or_default();
        let mut latencies = Some(std::mem::replace(latencies, empty));
        while let Some(over) = self.series.as_mut().and_then(|series| series.finish(now)) {
            let counts = Counted {
                tally: tally - self.reported,
                latencies: latencies.take().unwrap_or_default(),
            };
            self.reported = tally;
            self.next = over.second + 1;
            // Where nobody listens any more the trial is over.
            let _ = self.sender.send(ThreadEvent::Second {
                thread: self.thread,
                counted: Box::new(SecondOf {
                    second: over.second,
                    counts,
                }),
            });
        }
    }
}

impl Drop for Seconds {
    fn drop(&mut self) {
        let _ = self.sender.send(ThreadEvent::Over(self.next));
    }
}

/// Makes the series of so many threads, the channel of their events, and what adds them up.
pub fn seconds(threads: usize) -> (Vec<Seconds>, Receiver<ThreadEvent>, Merged) {
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
    let merged = Merged::new(returns);
    (0..threads).for_each(|thread| merged.give_back(thread, Latencies::default()));
    (seconds, events, merged)
}

/// Adds up the seconds of all threads; each is handed out when all have reported it.
#[derive(Debug)]
pub struct Merged {
    /// By thread: where its latencies go back to.
    returns: Vec<Sender<Latencies>>,
    /// By thread that is over: the first second that it has not reported.
    over: Vec<u64>,
    /// By second: how many threads have reported it, the first of them, and their sum.
    waiting: BTreeMap<u64, (usize, usize, Counted)>,
    /// All that was handed out.
    pub reported: Latencies,
}

impl Merged {
    fn new(returns: Vec<Sender<Latencies>>) -> Self {
        Self {
            returns,
            over: Vec::new(),
            waiting: BTreeMap::new(),
            reported: Latencies::default(),
        }
    }

    /// Adds what one thread reports.
    pub fn add(&mut self, event: ThreadEvent) {
        match event {
            ThreadEvent::Over(next) => self.over.push(next),
            ThreadEvent::Second { thread, counted } => {
                let SecondOf { second, counts } = *counted;
                match self.waiting.entry(second) {
                    Entry::Vacant(vacant) => {
                        vacant.insert((1, thread, counts));
                    }
                    Entry::Occupied(mut occupied) => {
                        let (threads, _, all) = occupied.get_mut();
                        *threads += 1;
                        all.tally += counts.tally;
                        all.latencies.merge(&counts.latencies);
                        self.give_back(thread, counts.latencies);
                    }
                }
            }
        }
    }

    /// Gives a thread its memory back, empty.
    fn give_back(&self, thread: usize, mut latencies: Latencies) {
        latencies.clear();
        // A thread that is over needs none.
        let _ = self.returns[thread].send(latencies);
    }

    /// Takes the next second that all threads have reported, but for those that had ended before.
    pub fn take(&mut self) -> Option<LoadSecond> {
        let first = self.waiting.first_entry()?;
        let second = *first.key();
        let over = self.over.iter().filter(|&&next| next <= second).count();
        let (threads, _, _) = first.get();
        if threads + over < self.returns.len() {
            return None;
        }
        let (_, thread, counts) = first.remove();
        self.reported.merge(&counts.latencies);
        let counted = SecondOf { second, counts };
        let row = LoadSecond::from(&counted);
        self.give_back(thread, counted.counts.latencies);
        Some(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reports that so many messages have come in all, and what was recorded since.
    fn report(seconds: &mut Seconds, messages: u64, delivered_ns: &[Nanos], now: Nanos) {
        let mut recorded = Recorded::default();
        recorded.count(messages, messages * 11, 0);
        let mut latencies = Latencies::default();
        for &duration_ns in delivered_ns {
            latencies.delivery_time_ns.record(duration_ns).unwrap();
        }
        seconds.report(
            Tally::of(&recorded, &ConnectionStats::default()),
            &mut latencies,
            now,
        );
        assert_eq!(latencies.delivery_time_ns.count(), 0);
    }

    #[test]
    fn a_second_is_what_came_since_the_one_before() {
        let (mut threads, events, mut merged) = seconds(1);
        let thread = &mut threads[0];
        report(thread, 5, &[], 10);
        thread.begin(1_000);
        report(thread, 7, &[3, 3], 1_000_001_000);
        report(thread, 7, &[], 2_000_001_000);
        report(thread, 9, &[3, 8], 3_000_001_000);
        drop(threads);
        for event in &events {
            merged.add(event);
        }
        let rows: Vec<_> = std::iter::from_fn(|| merged.take()).collect();
        let messages: Vec<_> = rows
            .iter()
            .map(|row| (row.second, row.tally.messages))
            .collect();
        assert_eq!(messages, [(0, 7), (1, 0), (2, 2)]);
        let delivered: Vec<_> = rows.into_iter().map(|row| row.delivery_time_ns).collect();
        assert_eq!(delivered, [vec![(3, 2)], vec![], vec![(3, 1), (8, 1)]]);
        assert_eq!(merged.reported.delivery_time_ns.count(), 4);
    }

    #[test]
    fn the_seconds_of_two_threads_are_added() {
        let (mut threads, events, mut merged) = seconds(2);
        threads[0].begin(0);
        threads[1].begin(500_000_000);
        report(&mut threads[0], 3, &[5], 2_000_000_000);
        report(&mut threads[1], 4, &[5, 6], 1_000_000_000);
        for event in events.try_iter() {
            merged.add(event);
        }
        let whole = merged.take().unwrap();
        assert_eq!(whole.tally.messages, 7);
        assert_eq!(whole.delivery_time_ns, [(5, 2), (6, 1)]);
        assert!(merged.take().is_none(), "one thread has still to report it");
        threads.pop();
        for event in events.try_iter() {
            merged.add(event);
        }
        assert_eq!(merged.take().map(|row| row.second), Some(1));
    }

    #[test]
    fn a_thread_without_connections_reports_seconds_too() {
        let (mut threads, events, mut merged) = seconds(2);
        assert_eq!(threads[1].ends_at(), Nanos::MAX);
        threads[0].begin(1_000);
        for thread in &mut threads {
            report(thread, 1, &[], 1_000_001_000);
        }
        for event in events.try_iter() {
            merged.add(event);
        }
        assert_eq!(merged.take().map(|row| row.tally.messages), Some(2));
    }
}
