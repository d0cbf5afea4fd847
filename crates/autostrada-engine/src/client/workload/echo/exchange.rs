//! Connections that send messages and get them back.

use autostrada_measure::{Arrivals, FailureKind, Nanos, RecordError, Verdict};

use super::counts::ExchangeCounts;
use super::in_flight::{Conversation, InFlight, Numbered, Pending, Settled};
use super::messages::{Messages, Stamp};
use crate::client::sending::Outbox;
use crate::client::start::Timetable;
use crate::client::workload::{Message, Recorded, Workload};

/// Which message has come, of those with numbers.
struct Found {
    /// Nothing, where it is not awaited.
    settled: Option<Settled>,
    /// What it says.
    due: Nanos,
    /// How many others a closed loop has to send for it.
    vacant: u64,
}

/// When messages are sent.
#[derive(Debug)]
pub enum LoadModel {
    /// So many messages are in flight on each connection: a closed loop.
    Closed(usize),
    /// Whatever was answered, messages go out when they are due: an open loop.
    Open(Arrivals),
}

/// The workload.
#[derive(Debug)]
pub struct Exchange {
    model: LoadModel,
    messages: Messages,
    conversations: Vec<Conversation>,
    /// By connection, where messages have numbers.
    numbered: Vec<Numbered>,
    pending_count: usize,
    /// What comes from here on comes too late.
    has_given_up: bool,
    timetable: Timetable,
    recorded: Recorded,
    counts: ExchangeCounts,
}

impl Exchange {
    /// For so many connections.
    pub fn new(model: LoadModel, messages: Messages, connections: usize) -> Self {
        let numbered = if messages.is_stamped() {
            connections
        } else {
            0
        };
        Self {
            model,
            messages,
            conversations: vec![Conversation::default(); connections],
            numbered: vec![Numbered::default(); numbered],
            pending_count: 0,
            has_given_up: false,
            timetable: Timetable::default(),
            recorded: Recorded::default(),
            counts: ExchangeCounts::default(),
        }
    }

    #[inline]
    fn send(
        &mut self,
        connection: usize,
        due: Nanos,
        outbox: &mut Outbox,
        now: Nanos,
    ) -> Result<(), RecordError> {
        let conversation = &mut self.conversations[connection];
        let number = conversation.sent;
        self.messages.send(Stamp { number, due }, outbox);
        conversation.in_flight.push(Pending { due, sent: now });
        conversation.sent += 1;
        self.pending_count += 1;
        self.recorded.sent_in_all += 1;
        if self.timetable.window.contains(&due) {
            self.counts.sent += 1;
            if let LoadModel::Open(_) = self.model {
                self.recorded.latencies.recorder.record_sent(due, now)?;
            }
        }
        Ok(())
    }

    /// Takes the oldest message of a connection that was not answered.
    #[inline]
    fn settle(&mut self, connection: usize) -> Option<Settled> {
        let conversation = &mut self.conversations[connection];
        let pending = conversation.in_flight.pop()?;
        let number = conversation.settled;
        conversation.settled += 1;
        self.pending_count -= 1;
        Some(Settled { number, pending })
    }

    /// Sets messages aside that were overtaken; returns how many of them were due in the window.
    fn overtake(&mut self, connection: usize, missing: u64) -> u64 {
        let mut counted = 0;
        for _ in 0..missing {
            let Some(settled) = self.settle(connection) else {
                break;
            };
            counted += u64::from(self.timetable.window.contains(&settled.pending.due));
            let is_one_more = self.numbered[connection].set_aside(settled);
            self.pending_count += usize::from(is_one_more);
            self.counts.unanswered += u64::from(!is_one_more);
        }
        counted
    }

    /// Takes out a message that was overtaken, and comes.
    fn take_overtaken(&mut self, connection: usize, number: u64) -> Option<Settled> {
        let settled = self.numbered[connection].take_overtaken(number)?;
        self.pending_count -= 1;
        Some(settled)
    }

    /// Judges the number of a message; `None` where it answers nothing that is awaited.
    fn find(&mut self, connection: usize, message: Message<'_>, now: Nanos) -> Option<Found> {
        let sent = self.conversations[connection].sent;
        let stamp = self.messages.read_stamp(message);
        let Some(stamp) = stamp.filter(|stamp| stamp.number < sent) else {
            self.recorded.record_wrong(message, now);
            return None;
        };
        let mut verdict = self.numbered[connection].sequence.check(stamp.number);
        let (settled, vacant) = match &mut verdict {
            Verdict::InOrder => (self.settle(connection), 1),
            Verdict::Gap { missing } => {
                let vacant = *missing + 1;
                *missing = self.overtake(connection, *missing);
                (self.settle(connection), vacant)
            }
            Verdict::Reordered => (self.take_overtaken(connection, stamp.number), 0),
            Verdict::Duplicate | Verdict::Unexpected => (None, 0),
        };
        let due = settled.map_or(stamp.due, |settled| settled.pending.due);
        if self.timetable.window.contains(&due) {
            self.recorded.sequence.count(verdict);
        }
        let is_awaited = settled.is_some() || vacant > 0;
        is_awaited.then_some(Found {
            settled,
            due: stamp.due,
            vacant,
        })
    }
}

impl Workload for Exchange {
    type Counts = ExchangeCounts;

    fn begin(&mut self, timetable: &Timetable) {
        self.timetable = timetable.clone();
    }

    fn started(
        &mut self,
        connection: usize,
        outbox: &mut Outbox,
        now: Nanos,
    ) -> Result<(), RecordError> {
        if let LoadModel::Closed(messages) = self.model {
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
        self.recorded.count(1, message.payload.len() as u64, now);
        let (mut vacant, mut due) = (1, None);
        let settled = if self.messages.is_stamped() {
            let Some(found) = self.find(connection, message, now) else {
                return Ok(());
            };
            (vacant, due) = (found.vacant, Some(found.due));
            found.settled
        } else {
            self.settle(connection)
        };
        let Some(Settled { number, pending }) = settled else {
            if self.has_given_up {
                return Ok(());
            }
            let failures = &mut self.recorded.failures;
            failures.record(FailureKind::Mismatch, now, || {
                format!("{} came, and nothing was sent for it", message.describe())
            });
            return Ok(());
        };
        let is_due_right = due.is_none_or(|due| due == pending.due);
        if !is_due_right || !self.messages.is_right(number, message) {
            self.recorded.record_wrong(message, now);
            self.counts.unanswered += u64::from(now >= self.timetable.window.end);
        } else {
            let recorder = &mut self.recorded.latencies.recorder;
            self.counts
                .record_answer(pending, now, &self.timetable, recorder)?;
        }
        if matches!(self.model, LoadModel::Closed(_)) && now < self.timetable.window.end {
            for _ in 0..vacant {
                self.send(connection, now, outbox, now)?;
            }
        }
        Ok(())
    }

    fn next_due(&self) -> Option<(Nanos, usize)> {
        let LoadModel::Open(arrivals) = &self.model else {
            return None;
        };
        let due = self.timetable.started_at + arrivals.next_due()?;
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

    fn closed(&mut self, connection: usize) {
        let conversation = &mut self.conversations[connection];
        let mut lost = conversation.in_flight.len();
        conversation.in_flight = InFlight::default();
        if let Some(numbered) = self.numbered.get_mut(connection) {
            lost += numbered.forget();
        }
        self.pending_count -= lost;
        self.counts.unanswered += lost as u64;
    }

    fn give_up(&mut self, now: Nanos) {
        let window = &self.timetable.window;
        // A closed loop sends nothing more on a connection that waits since the warm-up.
        let is_closed_loop = matches!(self.model, LoadModel::Closed(_));
        for conversation in &mut self.conversations {
            while let Some(pending) = conversation.in_flight.pop() {
                if is_closed_loop || window.contains(&pending.due) {
                    let failures = &mut self.recorded.failures;
                    failures.record(FailureKind::Timeout, now, || {
                        "a message was not answered before the drain was over".to_owned()
                    });
                }
            }
        }
        for numbered in &mut self.numbered {
            numbered.forget();
        }
        self.counts.unanswered += self.pending_count as u64;
        self.pending_count = 0;
        self.has_given_up = true;
    }

    fn recorded(&mut self) -> &mut Recorded {
        &mut self.recorded
    }

    fn into_recorded(mut self) -> (Recorded, ExchangeCounts) {
        // An interrupted trial has no drain.
        self.counts.unanswered += self.pending_count as u64;
        (self.recorded, self.counts)
    }

    fn has_pending(&self) -> bool {
        self.pending_count > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::sending::Encoding;
    use autostrada_measure::{Rate, Schedule, Share};
    use autostrada_proto::frame::Opcode;

    /// One connection whose messages have numbers, in a window of 1000 ns from 100 on.
    struct Numbers {
        exchange: Exchange,
        outbox: Outbox,
    }

    impl Numbers {
        /// Message `n` is due, and sent, 10 ns after the one before it.
        fn sent(model: LoadModel, messages: u64) -> Self {
            let plan = serde_json::from_str(r#"{"text": "x", "stamped": true}"#).unwrap();
            let messages_made = Messages::new(&plan, &mut Encoding::default()).unwrap();
            let mut numbers = Self {
                exchange: Exchange::new(model, messages_made, 1),
                outbox: Outbox::default(),
            };
            numbers.exchange.begin(&Timetable {
                started_at: 0,
                window: 100..1100,
                drained_at: 2000,
            });
            for number in 0..messages {
                let due = due(number);
                let Numbers { exchange, outbox } = &mut numbers;
                exchange.send(0, due, outbox, due).unwrap();
            }
            numbers
        }

        /// A message comes back.
        fn hear(&mut self, number: u64, now: Nanos) {
            let payload = format!("{number:020} {:020} x", due(number)).into_bytes();
            let message = Message {
                opcode: Opcode::Text,
                payload: &payload,
            };
            let Self { exchange, outbox } = self;
            exchange.received(0, message, outbox, now).unwrap();
        }

        /// In order, missing, duplicates, reordered.
        fn counts(&self) -> [u64; 4] {
            let counts = &self.exchange.recorded.sequence;
            [
                counts.in_order,
                counts.missing,
                counts.duplicates,
                counts.reordered,
            ]
        }
    }

    fn due(number: u64) -> Nanos {
        80 + 10 * number
    }

    const MS: Nanos = 1_000_000;

    /// What is counted of 1,000 messages a second on one connection, each answered after its number
    /// of nanoseconds. The window is from 1 s to 2 s, the drain lasts for 200 ms.
    fn counted(response_ns: impl Fn(u64) -> Nanos, first_due: Nanos) -> ExchangeCounts {
        let plan = serde_json::from_str(r#"{"text": "x"}"#).unwrap();
        let messages = Messages::new(&plan, &mut Encoding::default()).unwrap();
        let rate = Rate::per_second(1000.0).unwrap();
        let arrivals = Schedule::Constant { rate }.arrivals(Share::new(0, 1, 1));
        let mut exchange = Exchange::new(LoadModel::Open(arrivals), messages, 1);
        exchange.begin(&Timetable {
            started_at: first_due,
            window: 1000 * MS..2000 * MS,
            drained_at: 2200 * MS,
        });
        let mut outbox = Outbox::default();
        let mut dues = Vec::new();
        while let Some((due, _)) = exchange.next_due() {
            exchange.send_due(Some(&mut outbox), due).unwrap();
            dues.push(due);
        }
        exchange.stop_sending(2000 * MS);
        let answer = Message {
            opcode: Opcode::Text,
            payload: b"x",
        };
        for (number, due) in (0..).zip(dues) {
            let now = due + response_ns(number);
            if now < 2200 * MS {
                exchange.received(0, answer, &mut outbox, now).unwrap();
            }
        }
        exchange.give_up(2200 * MS);
        exchange.into_recorded().1
    }

    #[test]
    fn a_server_that_keeps_up_achieves_all_that_was_due_however_short_the_window() {
        for first_due in [0, 1000 * MS] {
            let counts = counted(|_| 5 * MS, first_due);
            assert_eq!((counts.sent, counts.echoed), (1000, 1000));
            assert_eq!(counts.sustained, 1000);
            // Without a warm-up, the first answer comes 5 ms after the window has begun.
            let completed = if first_due == 0 { 1000 } else { 995 };
            assert_eq!(counts.completed, completed);
            assert_eq!((counts.answered_in_drain, counts.unanswered), (5, 0));
        }
    }

    #[test]
    fn what_a_server_that_falls_behind_achieves_is_its_own_rate() {
        // It answers 400 messages a second from the beginning of the warm-up on.
        let counts = counted(|number| number * 1_500_000 + 1, 0);
        assert_eq!(counts.completed, 400);
        assert_eq!(counts.sustained, 400);
        // Of 1,200 that were not answered when the window ended, for 200 ms.
        assert_eq!((counts.answered_in_drain, counts.unanswered), (80, 1120));
        assert_eq!((counts.sent, counts.echoed), (1000, 0));
    }

    #[test]
    fn a_message_that_was_overtaken_keeps_its_own_instants() {
        let mut numbers = Numbers::sent(LoadModel::Closed(1), 5);
        for (number, now) in [(0, 200), (1, 200), (3, 200), (2, 1_024), (4, 1_024)] {
            numbers.hear(number, now);
        }
        assert_eq!(numbers.counts(), [1, 0, 0, 1]);
        let Exchange {
            recorded, counts, ..
        } = &numbers.exchange;
        assert_eq!(counts.echoed, 3);
        let times: Vec<_> = recorded
            .latencies
            .recorder
            .service_time_ns
            .buckets()
            .collect();
        assert_eq!(times, [(200 - 110, 1), (1_024 - 120, 1), (1_024 - 100, 1)]);
    }

    #[test]
    fn what_is_missing_counts_where_it_was_due_itself() {
        let mut numbers = Numbers::sent(LoadModel::Closed(1), 6);
        // The first two were due before the window.
        numbers.hear(3, 200);
        assert_eq!(numbers.counts(), [0, 1, 0, 0]);
        assert!(numbers.exchange.has_pending());
        numbers.hear(5, 200);
        assert_eq!(numbers.counts(), [0, 2, 0, 0]);
        numbers.hear(4, 200);
        assert_eq!(numbers.counts(), [0, 1, 0, 1]);
        numbers.exchange.give_up(2_000);
        let failures = &numbers.exchange.recorded.failures;
        assert_eq!(failures.count(), 6, "of those that were sent for these");
    }

    #[test]
    fn a_repeat_answers_nothing() {
        let mut numbers = Numbers::sent(LoadModel::Closed(1), 2);
        numbers.hear(0, 90);
        numbers.hear(0, 90);
        assert_eq!(numbers.exchange.conversations[0].settled, 1);
        numbers.hear(1, 90);
        // Each answer is followed by another message; a duplicate is not.
        assert_eq!(numbers.exchange.conversations[0].sent, 4);
    }

    #[test]
    fn a_closed_loop_makes_up_for_what_is_missing_once() {
        let mut numbers = Numbers::sent(LoadModel::Closed(3), 3);
        numbers.hear(2, 500);
        assert_eq!(numbers.exchange.conversations[0].sent, 6);
        numbers.hear(0, 500);
        assert_eq!(numbers.exchange.conversations[0].sent, 6);
    }

    #[test]
    fn few_are_remembered_of_many_that_were_overtaken() {
        let mut numbers = Numbers::sent(LoadModel::Closed(1), 1_000);
        numbers.exchange.stop_sending(0);
        numbers.hear(999, 20_000);
        assert_eq!(numbers.exchange.pending_count, 128);
        numbers.hear(998, 20_000);
        assert_eq!(numbers.exchange.pending_count, 128 - 1);
        numbers.exchange.closed(0);
        assert!(!numbers.exchange.has_pending());
    }
}
