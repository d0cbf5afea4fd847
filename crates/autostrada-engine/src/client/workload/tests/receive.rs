//! Tests of `receive.rs`.

use super::*;

const FRAME: &[u8] = b"\x81\x05hello";

fn hello() -> Expected {
    Expected::Same {
        opcode: Opcode::Text,
        payload: b"hello".to_vec(),
        frame: Some(RepeatedFrame::new(Opcode::Text, b"hello")),
    }
}

fn receive(expected: Expected, messages: u64) -> Receive {
    Receive::new(expected, ReceiveLimit::Messages(messages), 1)
}

fn text(payload: &[u8]) -> Message<'_> {
    Message {
        opcode: Opcode::Text,
        payload,
    }
}

#[test]
fn closes_at_the_limit_and_counts_nothing_after() {
    let mut receive = receive(hello(), 3);
    let mut outbox = Outbox::default();
    let bytes = receive.consume_known(0, &FRAME.repeat(2), &mut outbox, 5);
    assert_eq!((bytes, outbox.is_closing()), (14, false));
    let bytes = receive.consume_known(0, &FRAME.repeat(2), &mut outbox, 7);
    assert_eq!((bytes, outbox.is_closing()), (7, true));
    assert_eq!(receive.consume_known(0, FRAME, &mut outbox, 8), 0);
    receive.received(0, text(b"hello"), &mut outbox, 9).unwrap();
    let records = receive.records();
    assert_eq!((records.messages, records.bytes), (3, 15));
    assert_eq!(records.received_ns, 7);
    assert!(receive.is_over());
}

#[test]
fn type_and_content_must_be_those_expected() {
    let mut receive = receive(hello(), 9);
    let mut outbox = Outbox::default();
    let binary = Message {
        opcode: Opcode::Binary,
        payload: b"hello",
    };
    receive.received(0, text(b"hello"), &mut outbox, 1).unwrap();
    receive.received(0, binary, &mut outbox, 1).unwrap();
    receive.received(0, text(b"hell"), &mut outbox, 1).unwrap();
    let records = receive.records();
    assert_eq!((records.messages, records.wrong), (3, 2));
    let (_, failure) = records.failures.iter().next().unwrap();
    assert_eq!(failure.example, "binary of 5 bytes, \"hello\"");
}

#[test]
fn any_message_counts_where_none_is_expected() {
    let mut receive = receive(Expected::Any, 9);
    let mut outbox = Outbox::default();
    assert_eq!(receive.consume_known(0, b"\x81\x00", &mut outbox, 1), 0);
    receive
        .received(0, text(b"anything"), &mut outbox, 1)
        .unwrap();
    let records = receive.records();
    assert_eq!((records.bytes, records.wrong), (8, 0));
}

#[test]
fn in_a_window_only_what_comes_within_it_counts() {
    let mut receive = Receive::new(hello(), ReceiveLimit::Window, 1);
    let mut outbox = Outbox::default();
    receive.begin(&Timetable {
        started_at: 10,
        window: 10..20,
        drained_at: 20,
    });
    for now in [9, 10, 19, 20] {
        receive
            .received(0, text(b"hello"), &mut outbox, now)
            .unwrap();
    }
    assert_eq!(receive.records().messages, 2);
    assert!(!receive.is_over());
    assert!(receive.expects_close(1000) && !receive.expects_close(1001));
}
