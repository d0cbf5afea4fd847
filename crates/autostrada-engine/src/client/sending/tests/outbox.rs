//! Tests of `outbox.rs`.

use super::*;

#[test]
fn answers_that_nobody_reads_have_a_bound_and_what_we_send_has_none() {
    let mut outbox = Outbox::default();
    let waiting_bytes = outbox.waiting_bytes();
    outbox.send(Opcode::Binary, &vec![7; ANSWERS_BYTES_MAX + 1], None);
    assert!(outbox.check_room().is_err());
    outbox.count_own_bytes(waiting_bytes);
    assert!(outbox.check_room().is_ok());
    outbox.send(Opcode::Binary, &vec![7; ANSWERS_BYTES_MAX], None);
    assert!(outbox.check_room().is_err());
}

#[test]
fn many_unsent_bytes_are_backpressure_until_the_connection_closes() {
    let mut outbox = Outbox::default();
    outbox.bytes().resize(BACKPRESSURE_BYTES, 7);
    assert!(!outbox.has_backpressure());
    outbox.bytes().push(7);
    assert!(outbox.has_backpressure());
    outbox.advance(1);
    assert!(!outbox.has_backpressure());
    outbox.bytes().push(7);
    outbox.close(1000);
    assert!(!outbox.has_backpressure());
}

#[test]
fn frames_are_separated_after_a_partly_sent_request() {
    let mut outbox = Outbox::default();
    outbox.bytes().extend_from_slice(b"GET / HTTP/1.1");
    outbox.advance(4);
    outbox.begin_frames();
    outbox.send(Opcode::Text, b"abc", None);
    outbox.send(Opcode::Text, b"defgh", None);
    for bytes in [10, 9, 11] {
        assert_eq!(outbox.rest_of_frame().len(), bytes);
        outbox.advance(bytes);
    }
}

#[test]
fn nothing_follows_a_closing_frame() {
    let mut outbox = Outbox::default();
    outbox.close(1000);
    assert_eq!(outbox.rest().len(), 8);
    outbox.send(Opcode::Text, b"late", None);
    outbox.pong(b"late");
    outbox.close(1001);
    assert_eq!(outbox.rest().len(), 8);
    assert!(outbox.is_closing());
}

#[test]
fn one_frame_after_another_is_sent_even_in_parts() {
    let mut outbox = Outbox::default();
    outbox.send(Opcode::Text, b"abc", None);
    outbox.send(Opcode::Text, b"defgh", None);
    assert_eq!(outbox.rest_of_frame().len(), 9);
    outbox.advance(4);
    assert_eq!(outbox.rest_of_frame().len(), 5);
    outbox.advance(5);
    assert_eq!(outbox.rest_of_frame().len(), 11);
    outbox.advance(11);
    assert!(outbox.rest_of_frame().is_empty());
}
