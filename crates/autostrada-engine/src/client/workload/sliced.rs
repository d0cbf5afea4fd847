//! The records of a workload that is carried out in slices, of which some do not count.

use std::mem::swap;

use super::recorded::Recorded;

/// What one thread did in one slice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sliced {
    /// Correct answers.
    pub messages: u64,
    /// Whether nothing failed in it.
    pub is_complete: bool,
}

/// The records of the slices that do not count, and what was recorded when the current one began.
#[derive(Debug, Default)]
pub struct SliceRecords<C> {
    /// The records of the slices that do not count; in one of these, of those that count.
    others: Option<Box<(Recorded, C)>>,
    counts: bool,
    messages: u64,
    failures: u64,
}

impl<C: Default> SliceRecords<C> {
    /// Begins a slice, for which `recorded` and `of_kind` are then used.
    pub fn begin(&mut self, counts: bool, recorded: &mut Recorded, of_kind: &mut C) {
        self.counts = counts;
        self.swap_unless_counted(recorded, of_kind);
    }

    /// Notes how many messages and failures were recorded before the slice.
    pub fn note(&mut self, messages: u64, failures: u64) {
        (self.messages, self.failures) = (messages, failures);
    }

    /// Returns what was recorded since, from the numbers of messages and failures.
    pub fn sliced(&self, messages: u64, failures: u64) -> Sliced {
        Sliced {
            messages: messages - self.messages,
            is_complete: failures == self.failures,
        }
    }

    /// Ends a slice: `recorded` and `of_kind` are again those of the slices that count.
    pub fn end(&mut self, recorded: &mut Recorded, of_kind: &mut C) {
        self.swap_unless_counted(recorded, of_kind);
    }

    /// Whether the current slice counts.
    pub fn is_counted(&self) -> bool {
        self.counts
    }

    fn swap_unless_counted(&mut self, recorded: &mut Recorded, of_kind: &mut C) {
        if !self.counts {
            let others = self.others.get_or_insert_default();
            swap(recorded, &mut others.0);
            swap(of_kind, &mut others.1);
        }
    }

    /// Adds the failures of the slices that do not count.
    pub fn add_failures(&self, recorded: &mut Recorded) {
        if let Some(others) = &self.others {
            recorded.failures.merge(&others.0.failures);
            recorded.wrong += others.0.wrong;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use autostrada_measure::FailureKind;

    #[test]
    fn of_a_slice_that_does_not_count_only_failures_remain() {
        let (mut recorded, mut of_kind) = (Recorded::default(), 0_u32);
        let mut slices = SliceRecords::default();
        for (counts, failures) in [(false, 0), (true, 0), (false, 1)] {
            slices.begin(counts, &mut recorded, &mut of_kind);
            slices.note(recorded.messages, recorded.failures.count());
            recorded.count(5, 50, 9);
            of_kind += 1;
            for _ in 0..failures {
                let text = || "why".to_owned();
                recorded.failures.record(FailureKind::Timeout, 9, text);
            }
            let expected = Sliced {
                messages: 5,
                is_complete: failures == 0,
            };
            let count = recorded.failures.count();
            assert_eq!(slices.sliced(recorded.messages, count), expected);
            slices.end(&mut recorded, &mut of_kind);
        }
        slices.add_failures(&mut recorded);
        assert_eq!((recorded.messages, of_kind), (5, 1));
        assert_eq!(recorded.failures.count(), 1);
    }
}
