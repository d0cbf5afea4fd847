//! Tests of `send_accounting.rs`.

use super::*;

fn count(messages: u64, bytes: u64) -> Count {
    Count { messages, bytes }
}

#[test]
fn a_message_counts_when_its_last_byte_is_taken() {
    let mut accounting = SendAccounting::new(100);
    for end in [113, 126, 139] {
        accounting.note(end, 11);
    }
    accounting.note(141, 0);
    accounting.count_complete(112);
    assert_eq!(accounting.take_new(), count(0, 0));
    accounting.count_complete(127);
    assert_eq!(accounting.take_new(), count(2, 22));
    assert!(!accounting.has_all());
    accounting.count_complete(141);
    assert_eq!(accounting.take_new(), count(2, 11));
    assert_eq!(accounting.sent, count(4, 33));
    assert!(accounting.has_all());
    accounting.note_sent(160, count(1, 17));
    assert_eq!(accounting.sent, count(5, 50));
}

#[test]
fn bytes_between_two_messages_are_no_message() {
    let mut accounting = SendAccounting::new(0);
    accounting.note(10, 8);
    accounting.note(25, 8);
    accounting.note(35, 8);
    accounting.count_complete(24);
    assert_eq!(accounting.sent, count(1, 8));
    accounting.count_complete(25);
    assert_eq!(accounting.sent, count(2, 16));
}

#[test]
fn a_message_that_was_sent_in_part_is_not_cancelled() {
    for (sent_bytes, left) in [(0, &b""[..]), (3, b"de"), (5, b""), (7, b"hij")] {
        let mut outbox = SendBuffer::default();
        let mut accounting = SendAccounting::new(0);
        outbox.bytes().extend_from_slice(b"abcdefghijklmno");
        for end in [5, 10, 15] {
            accounting.note(end, 1);
        }
        outbox.advance(sent_bytes);
        accounting.count_complete(outbox.sent_total());
        accounting.cancel(&mut outbox);
        assert_eq!(outbox.rest(), left, "{sent_bytes}");
        accounting.count_complete(outbox.appended_total());
        assert!(accounting.has_all());
        assert_eq!(accounting.sent.messages, (sent_bytes as u64).div_ceil(5));
    }
}
