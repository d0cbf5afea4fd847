//! The `echo` workload in slices: a closed loop that stops, and is started again.

use std::iter::repeat;
use std::mem::{swap, take};

use autostrada_measure::{FailureKind, Nanos};

use super::Exchange;
use crate::client::workload::Records;
use crate::client::workload::echo::LoadModel;
use crate::client::workload::echo::counts::ExchangeCounts;

/// What a thread remembers from one slice to the next.
#[derive(Debug, Default)]
pub struct Slices {
    /// Whether the load is divided into slices.
    pub(super) are_used: bool,
    /// For each connection, its answers in the slices whose records are not in use.
    answers_apart: Vec<u64>,
    /// Connections on which a message was not answered in time. They are not used again: a late
    /// answer would be taken for that to another message.
    pub(super) given_up: Vec<usize>,
}

impl Exchange {
    /// Exchanges the records for others, with the answers of each connection.
    pub(super) fn swap_all(&mut self, others: &mut (Records, ExchangeCounts)) {
        swap(&mut self.records, &mut others.0);
        swap(&mut self.counts, &mut others.1);
        let apart = &mut self.slices.answers_apart;
        apart.resize(self.states.len(), 0);
        for (apart, state) in apart.iter_mut().zip(&self.states) {
            *apart = state.settled - *apart;
        }
    }

    /// Adds the answers of each connection on which messages were sent to the counts.
    pub(super) fn add_answers(&mut self) {
        let apart = self.slices.answers_apart.iter().chain(repeat(&0));
        for (state, apart) in self.states.iter().zip(apart) {
            if state.sent > 0 {
                self.counts.answers.add(state.settled - apart);
            }
        }
    }

    /// Stops waiting for answers, and records a failure for each message that has none.
    pub(super) fn give_up_all(&mut self, now: Nanos) {
        let window = &self.timetable.window;
        self.counts.surplus.end(now);
        if self.slices.are_used {
            self.counts.completed += take(&mut self.counts.answered_in_drain);
        }
        // In a closed loop, messages that wait since the warm-up count too: nothing replaces them.
        let is_closed_loop = matches!(self.model, LoadModel::Closed(_));
        for (connection, state) in self.states.iter_mut().enumerate() {
            if state.in_flight.len() > 0 {
                self.slices.given_up.push(connection);
                self.matching.forget(connection);
            }
            while let Some(pending) = state.in_flight.pop() {
                if is_closed_loop || window.contains(&pending.due) {
                    let failures = &mut self.records.failures;
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
