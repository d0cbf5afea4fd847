//! The per-second series of all threads together.

use std::collections::BTreeMap;
use std::ops::{AddAssign, Sub};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};

use autostrada_measure::{Histogram, Nanos, SecondOf, SeriesOf};
use serde::Serialize;

use super::seen::Seen;
use super::workload::Recorded;

/// What is counted: since the start, or in one second.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Received.
    pub messages: u64,
    /// Of their payloads.
    pub bytes: u64,
    sent: u64,
    opened: u64,
    closed: u64,
    read_bytes: u64,
    written_bytes: u64,
    gaps: u64,
    /// Messages that were missing and came late are taken off again, so a second may be below 0.
    missing: i64,
    repeats: u64,
    disorders: u64,
    wrong: u64,
    failures: u64,
}

impl Tally {
    /// What a thread has counted so far.
    pub fn of(recorded: &Recorded, seen: &Seen) -> Self {
        let sequence = &recorded.sequence;
        Self {
            messages: recorded.messages,
            bytes: recorded.bytes,
            sent: recorded.sent_in_all,
            opened: seen.opened,
            closed: seen.closed,
            read_bytes: seen.read_bytes,
            written_bytes: seen.written_bytes,
            gaps: sequence.gaps,
            missing: sequence.missing.cast_signed(),
            repeats: sequence.repeats,
            disorders: sequence.disorders,
            wrong: recorded.wrong,
            failures: recorded.failures.count() + seen.failures.count(),
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
            repeats: count(self.repeats, other.repeats),
            disorders: count(self.disorders, other.disorders),
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

/// Buckets of a histogram by their lowest duration, of one second alone.
type Buckets = BTreeMap<Nanos, u64>;

/// The durations of one second.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Durations {
    response_time_ns: Buckets,
    service_time_ns: Buckets,
    lateness_ns: Buckets,
    delivery_time_ns: Buckets,
}

impl Durations {
    fn all(&mut self) -> [&mut Buckets; 4] {
        [
            &mut self.response_time_ns,
            &mut self.service_time_ns,
            &mut self.lateness_ns,
            &mut self.delivery_time_ns,
        ]
    }

    fn merge(&mut self, mut other: Self) {
        for (ours, theirs) in self.all().into_iter().zip(other.all()) {
            for (lowest, count) in std::mem::take(theirs) {
                *ours.entry(lowest).or_default() += count;
            }
        }
    }
}

/// What one thread, or all, counted in one second.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counted {
    tally: Tally,
    durations: Durations,
}

impl AddAssign for Counted {
    fn add_assign(&mut self, other: Self) {
        self.tally += other.tally;
        self.durations.merge(other.durations);
    }
}

/// One second as it is printed.
#[derive(Debug, Serialize)]
pub struct LoadSecond {
    second: u64,
    #[serde(flatten)]
    tally: Tally,
    response_time_ns: Vec<(Nanos, u64)>,
    service_time_ns: Vec<(Nanos, u64)>,
    lateness_ns: Vec<(Nanos, u64)>,
    delivery_time_ns: Vec<(Nanos, u64)>,
}

impl From<SecondOf<Counted>> for LoadSecond {
    fn from(second: SecondOf<Counted>) -> Self {
        let Counted { tally, durations } = second.counts;
        let listed = |buckets: Buckets| buckets.into_iter().collect();
        Self {
            second: second.second,
            tally,
            response_time_ns: listed(durations.response_time_ns),
            service_time_ns: listed(durations.service_time_ns),
            lateness_ns: listed(durations.lateness_ns),
            delivery_time_ns: listed(durations.delivery_time_ns),
        }
    }
}

/// One thread's series. It looks at its counts once a second, not at each message.
#[derive(Debug)]
pub struct Seconds {
    sender: Sender<SecondOf<Counted>>,
    /// The first connection that opened, of all threads.
    started_at: Arc<OnceLock<Nanos>>,
    series: Option<SeriesOf<()>>,
    told: Tally,
    told_durations: Durations,
}

impl Seconds {
    /// Starts the first second, unless it has been started.
    pub fn begin(&mut self, opened_at: Nanos) {
        if self.series.is_none() {
            let started_at = *self.started_at.get_or_init(|| opened_at);
            self.series = Some(SeriesOf::new(started_at));
        }
    }

    /// When the current second is over; never before the first has begun.
    pub fn ends_at(&self) -> Nanos {
        self.series.as_ref().map_or(Nanos::MAX, SeriesOf::ends_at)
    }

    /// Tells the seconds that are over.
    pub fn tell(&mut self, tally: Tally, recorded: &Recorded, now: Nanos) {
        while let Some(over) = self.series.as_mut().and_then(|series| series.finish(now)) {
            let counts = Counted {
                tally: tally - self.told,
                durations: self.new_durations(recorded),
            };
            self.told = tally;
            // Where nobody listens any more the trial is over.
            let _ = self.sender.send(SecondOf {
                second: over.second,
                counts,
            });
        }
    }

    fn new_durations(&mut self, recorded: &Recorded) -> Durations {
        let mut new = Durations::default();
        let histograms = [
            &recorded.recorder.response_time_ns,
            &recorded.recorder.service_time_ns,
            &recorded.recorder.lateness_ns,
            &recorded.delivery_time_ns,
        ];
        let told = self.told_durations.all().into_iter();
        for ((histogram, told), new) in histograms.into_iter().zip(told).zip(new.all()) {
            *new = since(histogram, told);
        }
        new
    }
}

/// What a histogram holds that was not told, which then is.
fn since(histogram: &Histogram, told: &mut Buckets) -> Buckets {
    if histogram.count() == told.values().sum::<u64>() {
        return Buckets::new();
    }
    let mut new = Buckets::new();
    for (lowest, count) in histogram.buckets() {
        let before = told.insert(lowest, count).unwrap_or(0);
        if count > before {
            new.insert(lowest, count - before);
        }
    }
    new
}

/// Makes the series of so many threads, and where they are told.
pub fn seconds(threads: usize) -> (Vec<Seconds>, Receiver<SecondOf<Counted>>) {
    let (sender, receiver) = channel();
    let started_at = Arc::new(OnceLock::new());
    let one = || Seconds {
        sender: sender.clone(),
        started_at: Arc::clone(&started_at),
        series: None,
        told: Tally::default(),
        told_durations: Durations::default(),
    };
    (
        std::iter::repeat_with(one).take(threads).collect(),
        receiver,
    )
}

/// Adds up the seconds of all threads; each is handed out when all have told it.
#[derive(Debug)]
pub struct Merged {
    threads: usize,
    waiting: BTreeMap<u64, (usize, Counted)>,
}

impl Merged {
    /// Of so many threads.
    pub fn new(threads: usize) -> Self {
        Self {
            threads,
            waiting: BTreeMap::new(),
        }
    }

    /// Adds one thread's second; returns it when it was the last thread's.
    pub fn add(&mut self, told: SecondOf<Counted>) -> Option<LoadSecond> {
        let second = told.second;
        let (threads, counted) = self.waiting.entry(second).or_default();
        *threads += 1;
        *counted += told.counts;
        if *threads < self.threads {
            return None;
        }
        let (_, counts) = self.waiting.remove(&second)?;
        Some(SecondOf { second, counts }.into())
    }

    /// What not all threads have told, because some were over before.
    pub fn rest(self) -> impl Iterator<Item = LoadSecond> {
        self.waiting
            .into_iter()
            .map(|(second, (_, counts))| SecondOf { second, counts }.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(messages: u64, delivered_ns: &[Nanos]) -> Recorded {
        let mut recorded = Recorded::default();
        recorded.count(messages, messages * 11, 0);
        for &duration_ns in delivered_ns {
            recorded.delivery_time_ns.record(duration_ns).unwrap();
        }
        recorded
    }

    fn tell(seconds: &mut Seconds, recorded: &Recorded, now: Nanos) {
        seconds.tell(Tally::of(recorded, &Seen::default()), recorded, now);
    }

    #[test]
    fn a_second_is_what_came_since_the_one_before() {
        let (mut threads, told) = seconds(1);
        let thread = &mut threads[0];
        tell(thread, &recorded(5, &[]), 10);
        thread.begin(1_000);
        tell(thread, &recorded(7, &[3, 3]), 1_000_001_000);
        tell(thread, &recorded(7, &[3, 3]), 2_000_001_000);
        tell(thread, &recorded(9, &[3, 3, 3, 8]), 3_000_001_000);
        drop(threads);
        let rows: Vec<_> = told.iter().map(LoadSecond::from).collect();
        let messages: Vec<_> = rows
            .iter()
            .map(|row| (row.second, row.tally.messages))
            .collect();
        assert_eq!(messages, [(0, 7), (1, 0), (2, 2)]);
        let delivered: Vec<_> = rows.into_iter().map(|row| row.delivery_time_ns).collect();
        assert_eq!(delivered, [vec![(3, 2)], vec![], vec![(3, 1), (8, 1)]]);
    }

    #[test]
    fn the_seconds_of_two_threads_are_added() {
        let (mut threads, told) = seconds(2);
        threads[0].begin(0);
        threads[1].begin(500_000_000);
        tell(&mut threads[0], &recorded(3, &[5]), 2_000_000_000);
        tell(&mut threads[1], &recorded(4, &[5, 6]), 1_000_000_000);
        drop(threads);
        let mut merged = Merged::new(2);
        let whole: Vec<_> = told
            .iter()
            .filter_map(|second| merged.add(second))
            .collect();
        assert_eq!((whole.len(), whole[0].tally.messages), (1, 7));
        assert_eq!(whole[0].delivery_time_ns, [(5, 2), (6, 1)]);
        let rest: Vec<_> = merged.rest().map(|row| row.second).collect();
        assert_eq!(rest, [1]);
    }
}
