//! The per-second series of all threads together.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};

use autostrada_measure::{Nanos, Second, SecondOf, SeriesOf};

use super::workload::Counts;

/// One thread's series. It looks at its counts once a second, not at each message.
#[derive(Debug)]
pub struct Seconds {
    sender: Sender<SecondOf<Counts>>,
    series: Option<SeriesOf<()>>,
    told: Counts,
}

impl Seconds {
    /// Starts the first second, unless it has been started.
    pub fn begin(&mut self, started_at: Nanos) {
        self.series.get_or_insert_with(|| SeriesOf::new(started_at));
    }

    /// When the current second is over; never before the first has begun.
    pub fn ends_at(&self) -> Nanos {
        self.series.as_ref().map_or(Nanos::MAX, SeriesOf::ends_at)
    }

    /// Tells the seconds that are over.
    pub fn tell(&mut self, counts: Counts, now: Nanos) {
        while let Some(over) = self.series.as_mut().and_then(|series| series.finish(now)) {
            let second = SecondOf {
                second: over.second,
                counts: counts - self.told,
            };
            self.told = counts;
            // Where nobody listens any more the trial is over.
            let _ = self.sender.send(second);
        }
    }
}

/// Makes the series of so many threads, and where they are told.
pub fn seconds(threads: usize) -> (Vec<Seconds>, Receiver<SecondOf<Counts>>) {
    let (sender, receiver) = channel();
    let one = || Seconds {
        sender: sender.clone(),
        series: None,
        told: Counts::default(),
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
    waiting: BTreeMap<u64, (usize, Counts)>,
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
    pub fn add(&mut self, told: SecondOf<Counts>) -> Option<Second> {
        let (threads, counts) = self.waiting.entry(told.second).or_default();
        *threads += 1;
        *counts += told.counts;
        let (is_whole, counts) = (*threads == self.threads, *counts);
        is_whole.then(|| {
            self.waiting.remove(&told.second);
            row(told.second, counts)
        })
    }

    /// What not all threads have told, because some were over before.
    pub fn rest(self) -> impl Iterator<Item = Second> {
        self.waiting
            .into_iter()
            .map(|(second, (_, counts))| row(second, counts))
    }
}

fn row(second: u64, counts: Counts) -> Second {
    Second {
        second,
        messages: counts.messages,
        bytes: counts.bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn counts(messages: u64) -> Counts {
        Counts {
            messages,
            bytes: messages * 11,
        }
    }

    #[test]
    fn a_second_is_what_came_since_the_one_before() {
        let (mut threads, told) = seconds(1);
        let thread = &mut threads[0];
        thread.tell(counts(5), 10);
        thread.begin(1_000);
        thread.tell(counts(7), 1_000_001_000);
        thread.tell(counts(7), 3_000_001_000);
        drop(threads);
        let rows: Vec<_> = told
            .iter()
            .map(|row| (row.second, row.counts.messages))
            .collect();
        assert_eq!(rows, [(0, 7), (1, 0), (2, 0)]);
    }

    #[test]
    fn the_seconds_of_two_threads_are_added() {
        let mut merged = Merged::new(2);
        let told = |second, messages| SecondOf {
            second,
            counts: counts(messages),
        };
        assert_eq!(merged.add(told(0, 3)), None);
        assert_eq!(merged.add(told(1, 1)), None);
        assert_eq!(merged.add(told(0, 4)).unwrap().messages, 7);
        let rest: Vec<_> = merged.rest().collect();
        assert_eq!((rest.len(), rest[0].second, rest[0].bytes), (1, 1, 11));
    }
}
