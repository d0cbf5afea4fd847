//! Tests of `timer.rs`.

use std::time::Duration;

use super::*;
use crate::limits;
use mio::{Events, Poll};

/// Returns the tokens of the next events.
fn awaited(poll: &mut Poll) -> Vec<Token> {
    let mut events = Events::with_capacity(4);
    poll.poll(&mut events, Some(Duration::from_secs(60)))
        .unwrap();
    events.iter().map(mio::event::Event::token).collect()
}

#[test]
fn wakes_the_poller_each_time_it_is_set_and_not_before() {
    let mut poll = Poll::new().unwrap();
    let timer = Timer::new().unwrap();
    timer.register(poll.registry(), Token(7)).unwrap();
    for _ in 0..2 {
        let at = clock::now() + 2_000_000;
        timer.set(at).unwrap();
        assert_eq!(awaited(&mut poll), [Token(7)]);
        assert!(clock::now() >= at);
    }
}

#[test]
fn wakes_a_poller_of_another_descriptor_table_each_time() {
    let timer = Timer::new().unwrap();
    let (ready, is_ready) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            limits::copy_descriptor_table().unwrap();
            let mut poll = Poll::new().unwrap();
            timer.register(poll.registry(), Token(7)).unwrap();
            for _ in 0..2 {
                ready.send(()).unwrap();
                assert_eq!(awaited(&mut poll), [Token(7)]);
            }
        });
        for _ in 0..2 {
            is_ready.recv().unwrap();
            timer.expire().unwrap();
        }
        waiting.join().unwrap();
    });
}
