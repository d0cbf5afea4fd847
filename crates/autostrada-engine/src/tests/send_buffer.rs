//! Tests of `send_buffer.rs`.

use super::*;

fn buffer(bytes: &[u8]) -> SendBuffer {
    let mut buffer = SendBuffer::default();
    buffer.bytes().extend_from_slice(bytes);
    buffer
}

#[test]
fn keeps_what_was_not_sent() {
    let mut buffer = buffer(b"abcdef");
    buffer.advance(2);
    buffer.bytes().extend_from_slice(b"gh");
    assert_eq!(buffer.rest(), b"cdefgh");
    assert_eq!((buffer.sent_total(), buffer.appended_total()), (2, 8));
    buffer.truncate(5);
    assert_eq!(buffer.rest(), b"cde");
    buffer.truncate(1);
    assert!(buffer.rest().is_empty());
    buffer.advance(0);
    buffer.bypass(3);
    assert_eq!((buffer.sent_total(), buffer.appended_total()), (5, 5));
}

#[test]
fn sent_bytes_are_dropped_although_others_always_wait() {
    let mut buffer = SendBuffer::default();
    for _ in 0..100 {
        buffer.bytes().extend_from_slice(&vec![7; 50_000]);
        buffer.advance(49_000);
    }
    assert_eq!(buffer.rest().len(), 100_000);
    assert!(buffer.bytes.len() < 300_000, "{}", buffer.bytes.len());
}

#[test]
fn a_buffer_is_kept_only_while_something_is_left() {
    let mut spares = SpareBuffers::default();
    spares.put(Vec::with_capacity(64));
    let mut buffer = SendBuffer::default();
    buffer.borrow_from(&mut spares);
    assert_eq!(spares.bytes, 0);
    buffer.bytes().extend_from_slice(b"abc");
    buffer.advance(1);
    buffer.return_to(&mut spares);
    assert_eq!((spares.bytes, buffer.rest()), (0, &b"bc"[..]));
    buffer.advance(2);
    buffer.return_to(&mut spares);
    assert_eq!((spares.bytes, buffer.bytes().capacity()), (64, 0));
    buffer.return_to(&mut spares);
    assert_eq!(spares.buffers.len(), 1);
}

#[test]
fn buffers_that_are_kept_have_a_bound() {
    let mut spares = SpareBuffers::default();
    for _ in 0..5 {
        spares.put(Vec::with_capacity(SPARE_BYTES_MAX / 4));
    }
    assert_eq!((spares.buffers.len(), spares.bytes), (4, SPARE_BYTES_MAX));
    assert_eq!(spares.take().capacity(), SPARE_BYTES_MAX / 4);
}
