//! Connections that send messages and receive them back.

mod slices;

use autostrada_measure::{FailureKind, Nanos, NumberClass, RecordError};
use autostrada_net::{clock, prefetch};

use super::LoadModel;
use super::counts::{ExchangeCounts, is_sustained};
use super::deliveries::Deliveries;
use super::in_flight::{ConnectionState, InFlight, MatchedAnswer, Numbered, Pending, Settled};
use super::matching::{Matching, Part, age_ns};
use super::messages::{Messages, Stamp};
use super::stretch::Stretch;
use crate::client::sending::Outbox;
use crate::client::timetable::Timetable;
use crate::client::workload::{Message, Records, Workload};
use slices::Slices;

/// The `echo` workload of one thread.
#[derive(Debug)]
pub struct Exchange {
    model: LoadModel,
    /// How an open loop deviates from its schedule.
    stretch: Stretch,
    messages: Messages,
    matching: Matching,
    /// Number of messages that are still to be sent, of a limited number.
    left: Option<u64>,
    states: Vec<ConnectionState>,
    /// For each connection, the order of its answers; empty if messages have no numbers.
    numbered: Vec<Numbered>,
    pending_count: usize,
    /// Whether the drain has ended: later answers are ignored.
    has_given_up: bool,
    timetable: Timetable,
    records: Records,
    counts: ExchangeCounts,
    slices: Slices,
}

impl Exchange {
    /// Creates the workload for this many connections, which sends at most `left` messages.
    pub fn new(
        model: LoadModel,
        messages: Messages,
        matching: Matching,
        left: Option<u64>,
        connections: usize,
    ) -> Self {
        let numbered = if messages.is_stamped { connections } else { 0 };
        Self {
            model,
            stretch: Stretch::NONE,
            messages,
            matching,
            left,
            states: vec![ConnectionState::default(); connections],
            numbered: vec![Numbered::default(); numbered],
            pending_count: 0,
            has_given_up: false,
            timetable: Timetable::default(),
            records: Records::default(),
            counts: ExchangeCounts::default(),
            slices: Slices::default(),
        }
    }

    /// Records which connections receive each message.
    pub fn track(&mut self, deliveries: Deliveries) {
        self.counts.deliveries = Some(Box::new(deliveries));
    }

    #[inline]
    fn send(
        &mut self,
        connection: usize,
        due: Nanos,
        outbox: &mut Outbox,
        now: Nanos,
    ) -> Result<(), RecordError> {
        if let Some(left) = &mut self.left {
            let Some(one_less) = left.checked_sub(1) else {
                return Ok(());
            };
            *left = one_less;
        }
        let state = &mut self.states[connection];
        let number = state.sent;
        let content = self
            .messages
            .send(connection, Stamp { number, due }, outbox);
        state.sent += 1;
        self.records.sent_total += 1;
        if self.matching.note_sent(connection, content) {
            state.in_flight.push(Pending { due, sent: now });
            self.pending_count += 1;
        }
        if self.timetable.window.contains(&due) {
            self.counts.sent += 1;
            if let Some(deliveries) = &mut self.counts.deliveries
                && let Some(instant) = self.matching.instant(content)
            {
                deliveries.record_sent(connection, instant);
            }
            if let LoadModel::Open(_) = self.model {
                self.records.latencies.recorder.record_sent(due, now)?;
            }
        }
        Ok(())
    }

    /// Removes the oldest message in flight of a connection.
    #[inline]
    fn settle_oldest(&mut self, connection: usize) -> Option<Settled> {
        let state = &mut self.states[connection];
        let pending = state.in_flight.pop()?;
        let number = state.settled;
        state.settled += 1;
        self.pending_count -= 1;
        Some(Settled { number, pending })
    }

    /// Removes the message that a received one answers, of those that are identified by their
    /// content.
    fn settle_identified(&mut self, connection: usize, content: &[u8]) -> Option<Settled> {
        let position = self.matching.take_answered(connection, content)?;
        let state = &mut self.states[connection];
        let pending = state.in_flight.remove(position)?;
        let number = state.settled;
        state.settled += 1;
        self.pending_count -= 1;
        Some(Settled { number, pending })
    }

    /// Whether a message was read before the oldest one in flight was sent, so that it answers
    /// nothing. Checked answers are told by their content.
    #[inline]
    fn is_too_early(&self, connection: usize, now: Nanos) -> bool {
        let oldest = self.states[connection].in_flight.oldest();
        !self.matching.is_checked() && oldest.is_some_and(|pending| pending.sent >= now)
    }

    /// Records the age of a message received within the window, by the instant in it.
    fn record_age(
        &mut self,
        connection: usize,
        sent_unix_ns: u64,
        now: Nanos,
    ) -> Result<(), RecordError> {
        let age_ns = age_ns(sent_unix_ns, clock::unix_ns());
        if let (Some(deliveries), Some(age_ns)) = (&mut self.counts.deliveries, age_ns) {
            let is_in_time = is_sustained(now.saturating_sub(age_ns), now, &self.timetable);
            deliveries.record_received(connection, sent_unix_ns, age_ns, is_in_time);
        }
        if !self.timetable.window.contains(&now) {
            return Ok(());
        }
        let Some(age_ns) = age_ns else {
            self.records.failures.record(FailureKind::Mismatch, now, || {
                format!(
                    "the instant {sent_unix_ns} is not within the last hour, in nanoseconds since \
                     1970 by this machine's clock"
                )
            });
            return Ok(());
        };
        self.counts.completed += 1;
        let recorder = &mut self.records.latencies.recorder;
        recorder.response_time_ns.record(age_ns)
    }

    /// Records a message of an answer of several messages; returns whether others follow. A message
    /// that no answer is due for is left to the caller.
    fn is_incomplete(
        &mut self,
        connection: usize,
        part: Part,
        now: Nanos,
    ) -> Result<bool, RecordError> {
        let Some(pending) = self.states[connection].in_flight.oldest() else {
            self.matching.forget(connection);
            return Ok(false);
        };
        if self.timetable.window.contains(&pending.due) {
            let streams = self.counts.streams.get_or_insert_default();
            match part.previous_at {
                None => streams.first_ns.record(now - pending.due)?,
                Some(previous_at) => streams.gap_ns.record(now - previous_at)?,
            }
        }
        Ok(!part.is_last)
    }

    /// Sets overtaken messages aside; returns the number of them that were due within the window.
    fn overtake(&mut self, connection: usize, missing: u64) -> u64 {
        let mut counted = 0;
        for _ in 0..missing {
            let Some(settled) = self.settle_oldest(connection) else {
                break;
            };
            counted += u64::from(self.timetable.window.contains(&settled.pending.due));
            let is_one_more = self.numbered[connection].remember_overtaken(settled);
            self.pending_count += usize::from(is_one_more);
            self.counts.unanswered += u64::from(!is_one_more);
        }
        counted
    }

    /// Removes an overtaken message that is answered, or returns `None` if it is not remembered.
    fn take_overtaken(&mut self, connection: usize, number: u64) -> Option<Settled> {
        let settled = self.numbered[connection].take_overtaken(number)?;
        self.pending_count -= 1;
        Some(settled)
    }

    /// Checks the number of an answer; returns `None` if the answer is wrong or a repetition.
    fn match_answer(
        &mut self,
        connection: usize,
        message: Message<'_>,
        now: Nanos,
    ) -> Option<MatchedAnswer> {
        let sent = self.states[connection].sent;
        let stamp = self.messages.read_stamp(message);
        let Some(stamp) = stamp.filter(|stamp| stamp.number < sent) else {
            self.records.record_wrong(message, now);
            return None;
        };
        let mut class = self.numbered[connection].sequence.classify(stamp.number);
        let (settled, replacements) = match &mut class {
            NumberClass::InOrder => (self.settle_oldest(connection), 1),
            NumberClass::Gap { missing } => {
                let replacements = *missing + 1;
                *missing = self.overtake(connection, *missing);
                (self.settle_oldest(connection), replacements)
            }
            NumberClass::Reordered => (self.take_overtaken(connection, stamp.number), 0),
            NumberClass::Duplicate | NumberClass::Unexpected => (None, 0),
        };
        let due = settled.map_or(stamp.due, |settled| settled.pending.due);
        if self.timetable.window.contains(&due) {
            self.records.sequence.count(class);
        }
        let is_awaited = settled.is_some() || replacements > 0;
        is_awaited.then_some(MatchedAnswer {
            settled,
            due: stamp.due,
            replacements,
        })
    }
}

impl Workload for Exchange {
    type Counts = ExchangeCounts;

    #[inline]
    fn prefetch(&self, connection: usize) {
        prefetch(&self.states[connection]);
    }

    fn begin(&mut self, timetable: &Timetable) {
        self.timetable = timetable.clone();
    }

    fn begin_slice(&mut self, timetable: &Timetable) {
        self.begin(timetable);
        self.has_given_up = false;
        self.slices.are_used = true;
    }

    fn swap_records(&mut self, others: &mut (Records, ExchangeCounts)) {
        self.swap_all(others);
    }

    fn answered(&self) -> u64 {
        self.counts.completed + self.counts.answered_in_drain
    }

    fn has_lost(&self) -> bool {
        !self.slices.given_up.is_empty()
    }

    fn started(
        &mut self,
        connection: usize,
        outbox: &mut Outbox,
        now: Nanos,
    ) -> Result<(), RecordError> {
        if let Some(deliveries) = &mut self.counts.deliveries {
            deliveries.note_opened();
        }
        if let LoadModel::Closed(messages) = self.model
            && !self.slices.given_up.contains(&connection)
        {
            for _ in 0..messages {
                self.send(connection, now, outbox, now)?;
            }
        }
        Ok(())
    }

    #[inline]
    fn received(
        &mut self,
        connection: usize,
        message: Message<'_>,
        outbox: &mut Outbox,
        now: Nanos,
    ) -> Result<(), RecordError> {
        self.records.count(1, message.payload.len() as u64, now);
        if let Some(sent_unix_ns) = self.matching.instant(message.payload) {
            return self.record_age(connection, sent_unix_ns, now);
        }
        if let Some(part) = self.matching.part(connection, message.payload, now)
            && self.is_incomplete(connection, part, now)?
        {
            return Ok(());
        }
        let (mut replacements, mut due) = (1, None);
        let settled = if self.messages.is_stamped {
            let Some(matched) = self.match_answer(connection, message, now) else {
                return Ok(());
            };
            (replacements, due) = (matched.replacements, Some(matched.due));
            matched.settled
        } else if self.matching.is_identified() {
            self.settle_identified(connection, message.payload)
        } else if self.is_too_early(connection, now) {
            None
        } else {
            self.settle_oldest(connection)
        };
        let Some(Settled { number, pending }) = settled else {
            if !self.matching.is_checked() {
                self.counts.others += u64::from(self.timetable.window.contains(&now));
                self.counts.surplus.count();
                return Ok(());
            }
            if self.has_given_up || self.slices.given_up.contains(&connection) {
                return Ok(());
            }
            let failures = &mut self.records.failures;
            failures.record(FailureKind::Mismatch, now, || {
                format!(
                    "received {} without an outstanding message",
                    message.describe()
                )
            });
            return Ok(());
        };
        let is_right = !self.matching.is_checked()
            || due.is_none_or(|due| due == pending.due)
                && self.messages.is_expected(number, message);
        if is_right {
            let recorder = &mut self.records.latencies.recorder;
            self.counts
                .record_answer(pending, now, &self.timetable, recorder)?;
        } else {
            self.records.record_wrong(message, now);
            self.counts.unanswered += u64::from(now >= self.timetable.window.end);
        }
        if matches!(self.model, LoadModel::Closed(_)) && now < self.timetable.window.end {
            for _ in 0..replacements {
                self.send(connection, now, outbox, now)?;
            }
        }
        Ok(())
    }

    /// An event that would be a wrong answer, or has its own instant, is as any other message.
    fn is_only_counted(&mut self, event: Message<'_>, now: Nanos) -> bool {
        if self.matching.is_checked() || !self.matching.is_awaited() {
            return false;
        }
        self.records.count(1, event.payload.len() as u64, now);
        self.counts.events += u64::from(self.timetable.window.contains(&now));
        true
    }

    fn next_due(&self) -> Option<(Nanos, usize)> {
        let LoadModel::Open(arrivals) = &self.model else {
            return None;
        };
        if self.left == Some(0) {
            return None;
        }
        let due = self.timetable.started_at + self.stretch.actual(arrivals.next_due()?)?;
        let connection = usize::try_from(arrivals.connection()).expect("one of ours");
        (due < self.timetable.window.end).then_some((due, connection))
    }

    fn send_due(&mut self, outbox: Option<&mut Outbox>, now: Nanos) -> Result<(), RecordError> {
        let Some((due, connection)) = self.next_due() else {
            return Ok(());
        };
        if let LoadModel::Open(arrivals) = &mut self.model {
            arrivals.advance();
        }
        if let Some(outbox) = outbox {
            return self.send(connection, due, outbox, now);
        }
        self.counts.unsent += u64::from(self.timetable.window.contains(&due));
        Ok(())
    }

    fn set_pace(&mut self, factor: f64, now: Nanos) {
        let actual_ns = now.saturating_sub(self.timetable.started_at);
        self.stretch = self.stretch.changed(factor, actual_ns);
        self.counts.is_changed = true;
    }

    fn skip_due(&mut self) {
        let Some((due, _)) = self.next_due() else {
            return;
        };
        if let LoadModel::Open(arrivals) = &mut self.model {
            arrivals.advance();
        }
        self.counts.overdue += u64::from(self.timetable.window.contains(&due));
    }

    fn stop_sending(&mut self, now: Nanos) {
        self.timetable.window.end = now;
    }

    /// Awaits them in a closed loop that takes any message for an answer. An open loop sends whether or
    /// not messages come, and so some of them answer nothing.
    fn await_surplus(&mut self, now: Nanos) -> Option<Nanos> {
        if !matches!(
            (&self.model, &self.matching),
            (LoadModel::Closed(_), Matching::Next)
        ) {
            return None;
        }
        let senders = self.states.iter().filter(|state| state.sent > 0);
        let (mut connections, mut answers) = (0, 0);
        for state in senders {
            connections += 1;
            answers += state.settled;
        }
        let elapsed_ns = self.timetable.window.end - self.timetable.started_at;
        let surplus = &mut self.counts.surplus;
        (connections > 0).then(|| surplus.begin(connections, answers, elapsed_ns, now))
    }

    fn is_surplus_ample(&self) -> bool {
        self.counts.surplus.is_ample()
    }

    fn closed(&mut self, connection: usize) {
        if let Some(deliveries) = &mut self.counts.deliveries {
            deliveries.note_closed();
        }
        let state = &mut self.states[connection];
        let mut lost = state.in_flight.len();
        state.in_flight = InFlight::default();
        self.matching.forget(connection);
        if let Some(numbered) = self.numbered.get_mut(connection) {
            lost += numbered.clear_overtaken();
        }
        self.pending_count -= lost;
        self.counts.unanswered += lost as u64;
    }

    fn give_up(&mut self, now: Nanos) {
        self.give_up_all(now);
    }

    fn records(&mut self) -> &mut Records {
        &mut self.records
    }

    fn into_records(mut self) -> (Records, ExchangeCounts) {
        // An interrupted trial has no drain.
        self.counts.unanswered += self.pending_count as u64;
        if self.matching.is_awaited() {
            self.add_answers();
        }
        (self.records, self.counts)
    }

    fn is_over(&self) -> bool {
        self.left == Some(0) && self.pending_count == 0
    }

    fn has_pending(&self) -> bool {
        let deliveries = self.counts.deliveries.as_ref();
        self.pending_count > 0 || deliveries.is_some_and(|all| all.are_awaited())
    }
}

#[cfg(test)]
#[path = "tests/exchange.rs"]
mod tests;
