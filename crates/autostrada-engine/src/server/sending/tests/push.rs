//! Tests of `push.rs`.

use super::*;
use crate::plan::PingPlan;
use autostrada_net::{Listener, SocketOptions};
use std::io::Read;
use std::net::TcpStream;

const FRAME: &[u8] = b"\x81\x05hello";

/// A push with its connection, and the peer that reads.
struct Pushing {
    push: Push,
    outbox: SendBuffer,
    pings: Option<Pings>,
    transport: Transport,
}

impl Pushing {
    fn new(messages: u64, frames_per_write: FramesPerWrite) -> (Self, TcpStream) {
        let address = "127.0.0.1:0".parse().unwrap();
        let listener = Listener::bind(address, &SocketOptions::default()).unwrap();
        let peer = TcpStream::connect(listener.local_address().unwrap()).unwrap();
        let stream = listener.accept().unwrap().expect("a client has connected");
        let prepared = Arc::new(Prepared::new(FRAME, 5, frames_per_write));
        let pushing = Self {
            push: Push::new(&prepared, messages, None),
            outbox: SendBuffer::default(),
            pings: None,
            transport: Transport::Plain(stream),
        };
        (pushing, peer)
    }

    fn send(&mut self) -> io::Result<Sent> {
        let pings = self.pings.as_mut();
        self.push.send(&mut self.transport, &mut self.outbox, pings)
    }

    fn send_until_blocked(&mut self) {
        while self.send().unwrap() != Sent::Blocked {}
    }

    fn end(self, mut peer: TcpStream) -> Vec<u8> {
        drop(self.transport);
        let mut bytes = Vec::new();
        peer.read_to_end(&mut bytes).unwrap();
        bytes
    }
}

fn count(messages: u64) -> Count {
    Count {
        messages,
        bytes: messages * 5,
    }
}

#[test]
fn all_messages_are_written_in_one_call_and_counted_once() {
    let (mut pushing, peer) = Pushing::new(3, FramesPerWrite::Many);
    assert!(!pushing.push.has_sent_all());
    assert_eq!(pushing.send().unwrap(), Sent::All);
    let push = &mut pushing.push;
    assert!(push.has_sent_all());
    assert_eq!((push.take_new(), push.take_new()), (count(3), count(0)));
    assert_eq!((push.write_calls, push.sent_bytes), (1, 21));
    assert_ne!(push.last_sent_ns, 0);
    assert_eq!(pushing.end(peer), FRAME.repeat(3));
}

#[test]
fn one_frame_a_write_is_one_call_a_message() {
    let (mut pushing, peer) = Pushing::new(10, FramesPerWrite::One);
    assert_eq!(pushing.send().unwrap(), Sent::All);
    let push = &mut pushing.push;
    assert_eq!((push.write_calls, push.take_new()), (10, count(10)));
    assert_eq!(pushing.end(peer), FRAME.repeat(10));
}

#[test]
fn a_turn_ends_before_everything_is_sent() {
    let (mut pushing, peer) = Pushing::new(100, FramesPerWrite::One);
    assert_eq!(pushing.send().unwrap(), Sent::TurnOver);
    assert_eq!(pushing.push.take_new(), count(u64::from(WRITES_PER_TURN)));
    assert_eq!(pushing.send().unwrap(), Sent::All);
    assert_eq!(pushing.end(peer), FRAME.repeat(100));
}

#[test]
fn pings_stand_between_messages_and_are_not_counted() {
    for frames_per_write in [FramesPerWrite::Many, FramesPerWrite::One] {
        let (mut pushing, peer) = Pushing::new(5, frames_per_write);
        let plan = PingPlan {
            after: vec![2, 4],
            every_ms: 25.0,
        };
        pushing.pings = Some(Pings::new(&plan, FRAME.len(), 0));
        while pushing.send().unwrap() != Sent::All {}
        let calls = match frames_per_write {
            FramesPerWrite::Many => 1,
            FramesPerWrite::One => 5,
        };
        let push = &mut pushing.push;
        assert_eq!((push.write_calls, push.take_new()), (calls, count(5)));
        let ping = |messages: u64| [&[0x89, 8][..], &messages.to_be_bytes()].concat();
        let expected = [
            FRAME.repeat(2),
            ping(2),
            FRAME.repeat(2),
            ping(4),
            FRAME.to_vec(),
        ];
        assert_eq!(pushing.end(peer), expected.concat());
    }
}

#[test]
fn a_ping_that_is_due_within_a_begun_frame_follows_it() {
    let (mut pushing, peer) = Pushing::new(1, FramesPerWrite::Many);
    pushing.send().unwrap();
    let push = &mut pushing.push;
    (push.planned_bytes, push.sent_bytes) = (21, 10);
    assert_eq!(
        push.next_messages(3, 2, &pushing.outbox),
        (&FRAME[3..], true)
    );
    let plan = PingPlan {
        after: vec![1],
        every_ms: 25.0,
    };
    pushing.pings = Some(Pings::new(&plan, FRAME.len(), 0));
    while pushing.send().unwrap() != Sent::All {}
    let ping = [&[0x89, 8][..], &2_u64.to_be_bytes()].concat();
    let expected = [FRAME, &FRAME[3..], &ping, FRAME].concat();
    assert_eq!(pushing.end(peer), expected);
}

#[test]
fn other_bytes_are_sent_first_and_counted_separately() {
    let (mut pushing, peer) = Pushing::new(2, FramesPerWrite::Many);
    pushing.outbox.bytes().extend_from_slice(b"response");
    assert_eq!(pushing.send().unwrap(), Sent::All);
    let push = &pushing.push;
    assert_eq!((push.sent_bytes, push.write_calls), (14, 1));
    assert_eq!(pushing.outbox.sent_total(), 8);
    let expected = [b"response", &FRAME.repeat(2)[..]].concat();
    assert_eq!(pushing.end(peer), expected);
}

#[test]
fn a_limit_is_never_below_what_was_sent() {
    let (mut pushing, peer) = Pushing::new(u64::MAX, FramesPerWrite::One);
    assert_eq!(pushing.send().unwrap(), Sent::TurnOver);
    pushing.push.limit(3, 5);
    assert!(pushing.push.has_sent_all());
    assert_eq!(pushing.push.last_sent_ns, 5);
    pushing.push.limit(u64::from(WRITES_PER_TURN) + 2, 6);
    assert!(!pushing.push.has_sent_all());
    assert_eq!(pushing.send().unwrap(), Sent::All);
    assert!(pushing.push.last_sent_ns > 6);
    let messages = WRITES_PER_TURN as usize + 2;
    assert_eq!(pushing.end(peer), FRAME.repeat(messages));
}

#[test]
fn a_cancelled_push_ends_with_a_whole_frame_and_then_the_other_bytes() {
    let (mut pushing, mut peer) = Pushing::new(u64::MAX, FramesPerWrite::Many);
    pushing.send_until_blocked();
    pushing.outbox.bytes().extend_from_slice(b"bye");
    pushing.push.cancel();
    let sent = pushing.push.sent_bytes;
    let whole = sent.next_multiple_of(FRAME.len() as u64);
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        peer.read_to_end(&mut bytes).unwrap();
        bytes
    });
    // The peer reads meanwhile, which frees buffer space.
    while pushing.send().unwrap() != Sent::All {
        std::thread::yield_now();
    }
    let sent = (pushing.push.sent_bytes, pushing.outbox.sent_total());
    assert_eq!(sent, (whole, 3));
    drop(pushing);
    let bytes = reader.join().unwrap();
    let (frames, end) = bytes.split_at(bytes.len() - 3);
    assert_eq!(end, b"bye");
    assert_eq!(frames.len() as u64, whole);
    assert!(frames.chunks(FRAME.len()).all(|frame| frame == FRAME));
}

#[test]
fn the_time_without_room_is_added_up() {
    let (mut pushing, _peer) = Pushing::new(u64::MAX, FramesPerWrite::Many);
    pushing.send_until_blocked();
    assert_eq!(
        pushing.push.blocked.total_ns, 0,
        "the interval has not ended yet"
    );
    pushing.push.unblock(clock::now() + 1_000_000);
    assert!(pushing.push.blocked.total_ns >= 1_000_000);
}
