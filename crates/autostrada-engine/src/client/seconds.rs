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

/// Buckets of a histogram, in the order of their lowest durations.
type Buckets = Vec<(Nanos, u64)>;

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
            let mut all: BTreeMap<_, _> = ours.drain(..).collect();
            for (lowest, count) in theirs.drain(..) {
                *all.entry(lowest).or_default() += count;
            }
            ours.extend(all);
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
    response_time_ns: Buckets,
    service_time_ns: Buckets,
    lateness_ns: Buckets,
    delivery_time_ns: Buckets,
}

impl From<SecondOf<Counted>> for LoadSecond {
    fn from(second: SecondOf<Counted>) -> Self {
        let Counted { tally, durations } = second.counts;
        Self {
            second: second.second,
            tally,
            response_time_ns: durations.response_time_ns,
            service_time_ns: durations.service_time_ns,
            lateness_ns: durations.lateness_ns,
            delivery_time_ns: durations.delivery_time_ns,
        }
    }
}

/// What a thread tells.
#[derive(Debug)]
pub enum Told {
    /// A second is over.
    Second(SecondOf<Counted>),
    /// The thread is, and tells neither this second nor a later one.
    Over(u64),
}

/// One thread's series. It looks at its counts once a second, not at each message.
#[derive(Debug)]
pub struct Seconds {
    sender: Sender<Told>,
    /// The first connection that opened, of all threads.
    started_at: Arc<OnceLock<Nanos>>,
    series: Option<SeriesOf<()>>,
    /// The second that is told next.
    next: u64,
    told: Tally,
    told_durations: Durations,
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

    /// Tells the seconds that are over.
    pub fn tell(&mut self, tally: Tally, recorded: &Recorded, now: Nanos) {
        self.ends_at();
        while let Some(over) = self.series.as_mut().and_then(|series| series.finish(now)) {
            let counts = Counted {
                tally: tally - self.told,
                durations: self.new_durations(recorded),
            };
            self.told = tally;
            self.next = over.second + 1;
            // Where nobody listens any more the trial is over.
            let _ = self.sender.send(Told::Second(SecondOf {
                second: over.second,
                counts,
            }));
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

impl Drop for Seconds {
    fn drop(&mut self) {
        let _ = self.sender.send(Told::Over(self.next));
    }
}

/// What a histogram holds that was not told, which then is.
///
/// A pause of its thread: both lists are gone through once, in order.
fn since(histogram: &Histogram, told: &mut Buckets) -> Buckets {
    if histogram.count() == told.iter().map(|(_, count)| count).sum::<u64>() {
        return Buckets::new();
    }
    let all: Buckets = histogram.buckets().collect();
    let mut before = told.iter().peekable();
    let mut new = Buckets::new();
    for &(lowest, count) in &all {
        // Buckets are never emptied, so each that was told is among all.
        let told_count = before
            .next_if(|(told_lowest, _)| *told_lowest == lowest)
            .map_or(0, |(_, count)| *count);
        if count > told_count {
            new.push((lowest, count - told_count));
        }
    }
    *told = all;
    new
}

/// Makes the series of so many threads, and where they are told.
pub fn seconds(threads: usize) -> (Vec<Seconds>, Receiver<Told>) {
    let (sender, receiver) = channel();
    let started_at = Arc::new(OnceLock::new());
    let one = || Seconds {
        sender: sender.clone(),
        started_at: Arc::clone(&started_at),
        series: None,
        next: 0,
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
    /// By thread that is over: the first second that it has not told.
    over: Vec<u64>,
    waiting: BTreeMap<u64, (usize, Counted)>,
}

impl Merged {
    /// Of so many threads.
    pub fn new(threads: usize) -> Self {
        Self {
            threads,
            over: Vec::new(),
            waiting: BTreeMap::new(),
        }
    }

    /// Adds what one thread tells.
    pub fn add(&mut self, told: Told) {
        match told {
            Told::Over(next) => self.over.push(next),
            Told::Second(told) => {
                let (threads, counted) = self.waiting.entry(told.second).or_default();
                *threads += 1;
                *counted += told.counts;
            }
        }
    }

    /// Takes the next second that all threads have told, but for those that were over before.
    pub fn take(&mut self) -> Option<LoadSecond> {
        let first = self.waiting.first_entry()?;
        let second = *first.key();
        let over = self.over.iter().filter(|&&next| next <= second).count();
        let (threads, _) = first.get();
        if threads + over < self.threads {
            return None;
        }
        let (_, counts) = first.remove();
        Some(SecondOf { second, counts }.into())
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
        let mut merged = Merged::new(1);
        for told in &told {
            merged.add(told);
        }
        let rows: Vec<_> = std::iter::from_fn(|| merged.take()).collect();
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
        let mut merged = Merged::new(2);
        for told in told.try_iter() {
            merged.add(told);
        }
        let whole = merged.take().unwrap();
        assert_eq!(whole.tally.messages, 7);
        assert_eq!(whole.delivery_time_ns, [(5, 2), (6, 1)]);
        assert!(merged.take().is_none(), "one thread has still to tell it");
        threads.pop();
        for told in told.try_iter() {
            merged.add(told);
        }
        assert_eq!(merged.take().map(|row| row.second), Some(1));
    }

    #[test]
    fn a_thread_without_connections_tells_seconds_too() {
        let (mut threads, told) = seconds(2);
        assert_eq!(threads[1].ends_at(), Nanos::MAX);
        threads[0].begin(1_000);
        let mut merged = Merged::new(2);
        for thread in &mut threads {
            tell(thread, &recorded(1, &[]), 1_000_001_000);
        }
        for told in told.try_iter() {
            merged.add(told);
        }
        assert_eq!(merged.take().map(|row| row.tally.messages), Some(2));
    }
}
