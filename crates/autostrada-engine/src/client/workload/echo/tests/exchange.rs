//! Tests of the `echo` workload of one thread.

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
    /// Sends messages, each of which is due and sent 10 ns after the previous one.
    fn sent(model: LoadModel, messages: u64) -> Self {
        let plan = serde_json::from_str(r#"{"text": "x", "stamped": true}"#).unwrap();
        let share = Share::new(0, 1, 1);
        let generated = Messages::new(&plan, &mut Encoding::default(), share, None).unwrap();
        let mut numbers = Self {
            exchange: Exchange::new(model, generated, Matching::Same, None, 1),
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

    /// Receives the answer to a message.
    fn receive(&mut self, number: u64, now: Nanos) {
        let payload = format!("{number:020} {:020} x", due(number)).into_bytes();
        let message = Message {
            opcode: Opcode::Text,
            payload: &payload,
        };
        let Self { exchange, outbox } = self;
        exchange.received(0, message, outbox, now).unwrap();
    }

    /// Returns the counts in order, missing, duplicates, reordered.
    fn counts(&self) -> [u64; 4] {
        let counts = &self.exchange.records.sequence;
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

/// Returns the counts of an open loop with a window from 1 s to 2 s and a drain of 200 ms.
fn counted(response_ns: impl Fn(u64) -> Nanos, first_due: Nanos) -> ExchangeCounts {
    let plan = serde_json::from_str(r#"{"text": "x"}"#).unwrap();
    let share = Share::new(0, 1, 1);
    let messages = Messages::new(&plan, &mut Encoding::default(), share, None).unwrap();
    let rate = Rate::per_second(1000.0).unwrap();
    let model = LoadModel::Open(Schedule::Constant { rate }.arrivals(share));
    let mut exchange = Exchange::new(model, messages, Matching::Same, None, 1);
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
    exchange.into_records().1
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
    assert_eq!((counts.completed, counts.completed_early), (400, 200));
    assert_eq!(counts.sustained, 400);
    // Of 1,200 that were not answered when the window ended, for 200 ms.
    assert_eq!((counts.answered_in_drain, counts.unanswered), (80, 1120));
    assert_eq!((counts.sent, counts.echoed), (1000, 0));
}

#[test]
fn a_message_that_was_overtaken_keeps_its_own_instants() {
    let mut numbers = Numbers::sent(LoadModel::Closed(1), 5);
    for (number, now) in [(0, 200), (1, 200), (3, 200), (2, 1_024), (4, 1_024)] {
        numbers.receive(number, now);
    }
    assert_eq!(numbers.counts(), [1, 0, 0, 1]);
    let Exchange {
        records, counts, ..
    } = &numbers.exchange;
    assert_eq!(counts.echoed, 3);
    let times: Vec<_> = records
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
    numbers.receive(3, 200);
    assert_eq!(numbers.counts(), [0, 1, 0, 0]);
    assert!(numbers.exchange.has_pending());
    numbers.receive(5, 200);
    assert_eq!(numbers.counts(), [0, 2, 0, 0]);
    numbers.receive(4, 200);
    assert_eq!(numbers.counts(), [0, 1, 0, 1]);
    numbers.exchange.give_up(2_000);
    let failures = &numbers.exchange.records.failures;
    assert_eq!(failures.count(), 6, "of those that were sent for these");
}

#[test]
fn a_repeat_answers_nothing() {
    let mut numbers = Numbers::sent(LoadModel::Closed(1), 2);
    numbers.receive(0, 90);
    numbers.receive(0, 90);
    assert_eq!(numbers.exchange.states[0].settled, 1);
    numbers.receive(1, 90);
    // Each answer is followed by another message; a duplicate is not.
    assert_eq!(numbers.exchange.states[0].sent, 4);
}

#[test]
fn a_closed_loop_makes_up_for_what_is_missing_once() {
    let mut numbers = Numbers::sent(LoadModel::Closed(3), 3);
    numbers.receive(2, 500);
    assert_eq!(numbers.exchange.states[0].sent, 6);
    numbers.receive(0, 500);
    assert_eq!(numbers.exchange.states[0].sent, 6);
}

#[test]
fn few_are_remembered_of_many_that_were_overtaken() {
    let mut numbers = Numbers::sent(LoadModel::Closed(1), 1_000);
    numbers.exchange.stop_sending(0);
    numbers.receive(999, 20_000);
    assert_eq!(numbers.exchange.pending_count, 128);
    numbers.receive(998, 20_000);
    assert_eq!(numbers.exchange.pending_count, 128 - 1);
    numbers.exchange.closed(0);
    assert!(!numbers.exchange.has_pending());
}

/// One connection in a closed loop that takes any message for an answer, and its outbox.
fn any_answer(in_flight: usize) -> (Exchange, Outbox) {
    let plan = serde_json::from_str(r#"{"text": "x"}"#).unwrap();
    let share = Share::new(0, 1, 1);
    let messages = Messages::new(&plan, &mut Encoding::default(), share, None).unwrap();
    let model = LoadModel::Closed(in_flight);
    let mut exchange = Exchange::new(model, messages, Matching::Next, None, 1);
    exchange.begin(&Timetable {
        started_at: 0,
        window: 0..1000 * MS,
        drained_at: 2000 * MS,
    });
    let mut outbox = Outbox::default();
    exchange.started(0, &mut outbox, 0).unwrap();
    (exchange, outbox)
}

#[test]
fn messages_that_come_after_all_answers_are_surplus() {
    let word = Message {
        opcode: Opcode::Text,
        payload: b"word",
    };
    for (in_flight, further, surplus) in [(1, 20, 19), (1, 1, 0), (64, 84, 20), (64, 64, 0)] {
        let (mut exchange, mut outbox) = any_answer(in_flight);
        for at in 1..100 {
            exchange.received(0, word, &mut outbox, at * MS).unwrap();
        }
        exchange.stop_sending(100 * MS);
        let sent = exchange.records.sent_total;
        assert_eq!(exchange.pending_count, in_flight);
        // The answers to the messages in flight are awaited before.
        for at in 0..in_flight as u64 {
            exchange
                .received(0, word, &mut outbox, (101 + at) * MS)
                .unwrap();
        }
        assert!(!exchange.has_pending());
        assert!(exchange.await_surplus(200 * MS).is_some());
        for _ in in_flight..further {
            exchange.received(0, word, &mut outbox, 210 * MS).unwrap();
        }
        exchange.give_up(300 * MS);
        assert_eq!(exchange.records.sent_total, sent);
        assert_eq!(exchange.counts.others, 0);
        // The window is as long as the messages are awaited.
        assert_eq!(exchange.counts.surplus.within(100 * MS), surplus);
    }
}

#[test]
fn an_open_loop_awaits_no_surplus() {
    let (mut exchange, _) = any_answer(1);
    let rate = Rate::per_second(1000.0).unwrap();
    let arrivals = Schedule::Constant { rate }.arrivals(Share::new(0, 1, 1));
    exchange.model = LoadModel::Open(arrivals);
    assert_eq!(exchange.await_surplus(0), None);
}
