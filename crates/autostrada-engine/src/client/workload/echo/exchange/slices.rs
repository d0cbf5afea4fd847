//! The `echo` workload in slices: a closed loop that stops, and is started again.

use autostrada_measure::{FailureKind, Nanos};

use super::Exchange;
use crate::client::start::Timetable;
use crate::client::workload::echo::LoadModel;
use crate::client::workload::echo::counts::ExchangeCounts;
use crate::client::workload::sliced::{SliceRecords, Sliced};

/// What a thread remembers from one slice to the next.
#[derive(Debug, Default)]
pub struct Slices {
    pub(super) records: SliceRecords<ExchangeCounts>,
    /// For each connection, its answers in the slices that do not count; in one of these, those in
    /// the slices that count.
    answers_apart: Vec<u64>,
    /// Connections on which a message was not answered in time. They are not used again: a late
    /// answer would be taken for that to another message.
    given_up: Vec<usize>,
}

impl Exchange {
    /// Begins a slice.
    pub(super) fn begin_one(&mut self, timetable: &Timetable, counts: bool) {
        self.timetable = timetable.clone();
        self.has_given_up = false;
        let slices = self.slices.get_or_insert_default();
        slices
            .records
            .begin(counts, &mut self.recorded, &mut self.counts);
        self.swap_answers();
        let (messages, failures) = (self.counts.completed, self.recorded.failures.count());
        if let Some(slices) = &mut self.slices {
            slices.records.note(messages, failures);
        }
    }

    /// Ends a slice; the answers of its drain belong to it.
    pub(super) fn end_one(&mut self) -> Sliced {
        self.counts.completed += std::mem::take(&mut self.counts.answered_in_drain);
        self.swap_answers();
        let Some(slices) = &mut self.slices else {
            return Sliced::default();
        };
        let failures = self.recorded.failures.count();
        let mut sliced = slices.records.sliced(self.counts.completed, failures);
        sliced.is_complete &= slices.given_up.is_empty();
        slices.records.end(&mut self.recorded, &mut self.counts);
        sliced
    }

    /// Whether a connection is not used in slices any more.
    pub(super) fn is_given_up(&self, connection: usize) -> bool {
        let slices = self.slices.as_ref();
        slices.is_some_and(|slices| slices.given_up.contains(&connection))
    }

    /// Returns the number of messages of a connection that were answered or found missing in the
    /// slices whose records are in use.
    pub(super) fn answers(&self, connection: usize) -> u64 {
        let slices = self.slices.as_ref();
        let apart = slices.and_then(|slices| slices.answers_apart.get(connection));
        self.states[connection].settled - apart.unwrap_or(&0)
    }

    /// Exchanges the answers of the slices that count for those of the others, as the records are.
    fn swap_answers(&mut self) {
        if let Some(slices) = &mut self.slices
            && !slices.records.is_counted()
        {
            slices.answers_apart.resize(self.states.len(), 0);
            for (apart, state) in slices.answers_apart.iter_mut().zip(&self.states) {
                *apart = state.settled - *apart;
            }
        }
    }

    /// Stops waiting for answers, and records a failure for each message that has none.
    pub(super) fn give_up_all(&mut self, now: Nanos) {
        let window = &self.timetable.window;
        self.counts.surplus.end(now);
        // In a closed loop, messages that wait since the warm-up count too: nothing replaces them.
        let is_closed_loop = matches!(self.model, LoadModel::Closed(_));
        for (connection, state) in self.states.iter_mut().enumerate() {
            if let Some(slices) = &mut self.slices
                && state.in_flight.len() > 0
            {
                slices.given_up.push(connection);
                self.matching.forget(connection);
            }
            while let Some(pending) = state.in_flight.pop() {
                if is_closed_loop || window.contains(&pending.due) {
                    let failures = &mut self.recorded.failures;
                    failures.record(FailureKind::Timeout, now, || {
                        "a message was not answered before the drain was over".to_owned()
                    });
                }
            }
        }
        for numbered in &mut self.numbered {
            numbered.clear_overtaken();
        }
        self.counts.unanswered += self.pending_count as u64;
        self.pending_count = 0;
        self.has_given_up = true;
    }
}
