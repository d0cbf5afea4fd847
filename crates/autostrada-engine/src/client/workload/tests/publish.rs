//! The instants at which messages are published, and what counts.

use autostrada_measure::Share;
use autostrada_proto::frame::Opcode;

use super::*;
use crate::client::sending::Encoding;

/// Returns the workload of two subscribers and one publisher whose window is from 0 to 1 ms.
fn publish(settings: &str) -> Publish {
    let plan = format!(
        r#"{{"feed": {{"kind": "sequence", "broadcast": true}}, "phases": {{"window_s": 1}}
            {settings}}}"#
    );
    let plan: PublishPlan = serde_json::from_str(&plan).unwrap();
    let thread = Thread {
        share: Share::new(0, 1, 3),
        all_connections: 3,
        protocol: &ProtocolPlan::WebSocket {},
        is_compressed: false,
        encoding: &mut Encoding::default(),
        users: None,
    };
    let mut publish = plan.workload(thread).unwrap();
    publish.begin(&Timetable {
        started_at: 100,
        window: 100..1_000_000,
        drained_at: 2_000_000,
    });
    publish
}

fn receive(publish: &mut Publish, connection: usize, number: &str, now: Nanos) {
    let message = Message {
        opcode: Opcode::Text,
        payload: number.as_bytes(),
    };
    let mut outbox = Outbox::default();
    publish
        .received(connection, message, &mut outbox, now)
        .unwrap();
}

#[test]
fn the_next_message_waits_for_all_subscribers() {
    let mut publish = publish("");
    let mut outbox = Outbox::default();
    assert_eq!(publish.next_due(), Some((100, 2)));
    publish.send_due(Some(&mut outbox), 150).unwrap();
    assert_eq!(publish.next_due(), None, "not before the end of the window");
    receive(&mut publish, 0, "0", 200);
    assert!(publish.has_pending());
    receive(&mut publish, 1, "0", 300);
    assert!(!publish.has_pending());
    assert_eq!(publish.next_due(), Some((150, 2)));
    publish.send_due(Some(&mut outbox), 400).unwrap();
    publish.stop_sending(500);
    assert_eq!(publish.next_due(), None);
    publish.give_up(600);
    let (records, counts) = publish.into_records();
    assert_eq!(
        (counts.published, counts.undelivered, counts.stalls),
        (2, 2, 0)
    );
    assert_eq!((records.messages, records.sent_total), (2, 2));
}

#[test]
fn with_an_interval_messages_are_due_whatever_was_received() {
    let mut publish = publish(r#", "publishers": 1"#);
    publish.interval_ns = Some(400_000);
    let mut outbox = Outbox::default();
    for due in [100, 400_100, 800_100] {
        assert_eq!(publish.next_due(), Some((due, 2)));
        publish.send_due(Some(&mut outbox), due + 7).unwrap();
    }
    assert_eq!(publish.next_due(), None);
    assert_eq!((publish.counts.published, publish.counts.overdue), (3, 0));
    assert_eq!(publish.counts.published_early, 2);
}

#[test]
fn what_is_too_late_is_not_published_and_counts_as_overdue() {
    let mut publish = publish("");
    publish.interval_ns = Some(400_000);
    publish.send_due(Some(&mut Outbox::default()), 200).unwrap();
    publish.skip_due();
    assert_eq!((publish.counts.published, publish.counts.overdue), (1, 1));
    assert_eq!(publish.undelivered(), 2);
}

#[test]
fn each_publisher_sends_each_message() {
    let mut publish = publish(r#", "publishers": 2"#);
    let mut outboxes = [Outbox::default(), Outbox::default()];
    for (turn, outbox) in outboxes.iter_mut().enumerate() {
        assert_eq!(publish.next_due().unwrap().1, 1 + turn);
        publish.send_due(Some(outbox), 150).unwrap();
    }
    let [first, second] = &outboxes;
    assert_eq!(first.rest(), second.rest());
    assert!(publish.has_pending());
    receive(&mut publish, 0, "0", 200);
    assert!(!publish.has_pending());
    receive(&mut publish, 1, "what a publisher gets is no delivery", 300);
    assert_eq!(publish.records().wrong, 0);
}
