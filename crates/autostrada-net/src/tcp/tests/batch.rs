//! Tests of `batch.rs`.

use std::io::{Read, Write};

use super::*;
use crate::tcp::loopback::{await_input, pair};

/// Runs a test, unless the kernel forbids batches, as some containers do.
fn with_batch(test: impl FnOnce(Batch)) {
    let batch = Batch::new();
    if batch.is_available() {
        test(batch);
    }
}

#[test]
fn many_sockets_are_written_to_and_read_from() {
    with_batch(|mut batch| {
        let mut pairs: Vec<_> = (0..Batch::CALLS_MAX).map(|_| pair()).collect();
        for round in 0..3 {
            let text = |index: usize| format!("{round}-{index}");
            batch.clear();
            for (index, (near, _)) in pairs.iter().enumerate() {
                assert!(batch.write(index, near, text(index).as_bytes()));
            }
            batch.execute();
            for (index, (near, far)) in pairs.iter_mut().enumerate() {
                let done = batch.done(index).unwrap();
                assert!(done.is_complete(), "{done:?}");
                let mut received = vec![0; text(index).len()];
                far.read_exact(&mut received).unwrap();
                assert_eq!(received, text(index).as_bytes());
                far.write_all(&received).unwrap();
                await_input(near);
            }
            batch.clear();
            for (index, (near, _)) in pairs.iter().enumerate().rev() {
                assert!(batch.read(index, near));
            }
            batch.execute();
            for position in 0..pairs.len() {
                let done = batch.done(position).unwrap();
                let text = text(done.key);
                assert_eq!(done.key, pairs.len() - 1 - position);
                assert_eq!(done.moved.unwrap(), Some(Transfer::Bytes(text.len())));
                assert_eq!(&done.bytes[..text.len()], text.as_bytes());
            }
            assert!(batch.done(pairs.len()).is_none());
        }
    });
}

#[test]
fn each_call_has_the_result_of_its_own_socket() {
    with_batch(|mut batch| {
        let (silent, _open) = pair();
        let (ended, far) = pair();
        drop(far);
        await_input(&ended);
        let (reset, mut far) = pair();
        assert!(batch.write(0, &reset, b"unread"));
        batch.execute();
        far.read_exact(&mut [0]).unwrap();
        // Closing a socket with unread bytes resets the connection.
        drop(far);
        await_input(&reset);
        let (mut full, _full_far) = pair();
        while full.write(&[7; 4096]).unwrap() != Transfer::WouldBlock {}
        batch.clear();
        for (key, stream) in [&silent, &ended, &reset].into_iter().enumerate() {
            assert!(batch.read(key, stream));
        }
        assert!(batch.write(3, &full, b"no room"));
        batch.execute();
        let moved = |position| batch.done(position).unwrap().moved;
        assert_eq!(moved(0).unwrap(), Some(Transfer::WouldBlock));
        assert_eq!(moved(1).unwrap(), Some(Transfer::Ended));
        let error = moved(2).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
        assert_eq!(moved(3).unwrap(), Some(Transfer::WouldBlock));
        assert!(!batch.done(3).unwrap().is_complete());
    });
}

#[test]
fn a_batch_has_bounds() {
    with_batch(|mut batch| {
        let (near, _far) = pair();
        assert!(!batch.write(0, &near, &vec![0; BYTES_MAX + 1]));
        for key in 0..Batch::CALLS_MAX {
            assert!(batch.read(key, &near));
        }
        assert!(!batch.read(0, &near));
    });
}

#[test]
fn nothing_is_executed_where_the_kernel_forbids_it() {
    let mut batch = Batch::with_ring(None);
    let (near, _far) = pair();
    assert!(!batch.read(0, &near));
    assert!(!batch.write(0, &near, b"x"));
    batch.execute();
    assert!(batch.done(0).is_none());
}
