//! `/N`: repeated frames of one message, which are prepared before clients connect.

use std::io;
use std::sync::Arc;

use autostrada_measure::{Nanos, Stopwatch};
use autostrada_net::{Transfer, Transport, clock};

use super::measurement::{Measurement, Traffic};
use super::pings::Pings;
use super::send_accounting::Count;
use crate::plan::FramesPerWrite;
use crate::send_buffer::SendBuffer;
use crate::server::usage_reader::UsageReader;

/// Bytes per write if a write takes many frames. Larger writes are not faster, smaller ones are
/// slower.
const PREPARED_BYTES: usize = 256 * 1024;

/// Maximum number of writes in one turn of a connection.
const WRITES_PER_TURN: u32 = 64;

/// The same while a pong is expected and a write takes many frames, so that the pong is read soon
/// after it arrives.
const WRITES_PER_TURN_WITH_PING: u32 = 1;

/// The result of sending for one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// Everything was sent.
    All,
    /// The socket has no room.
    Blocked,
    /// The turn ended while something was left to send.
    TurnOver,
}

/// Repeated frames of one message, ready to be written.
#[derive(Debug)]
pub struct Prepared {
    frames: Vec<u8>,
    /// The length of a frame, in bytes.
    pub frame_bytes: usize,
    payload_bytes: u64,
    frames_per_write: FramesPerWrite,
}

impl Prepared {
    /// Repeats a frame as often as one write takes.
    pub fn new(frame: &[u8], payload_bytes: u64, frames_per_write: FramesPerWrite) -> Self {
        Self {
            frames: frame.repeat((PREPARED_BYTES / frame.len()).max(1)),
            frame_bytes: frame.len(),
            payload_bytes,
            frames_per_write,
        }
    }
}

/// The messages planned for one connection, and its progress.
///
/// Other bytes wait in the outbox until the current frame is written completely.
#[derive(Debug)]
pub struct Push {
    prepared: Arc<Prepared>,
    planned_bytes: u64,
    sent_bytes: u64,
    /// Number of messages handed over since the last call of `take_new`.
    new_messages: u64,
    /// Number of write calls that handed over bytes of messages; one that a ping divides counts
    /// once.
    write_calls: u64,
    /// Instant after the last planned message was handed over, in nanoseconds; 0 before that.
    last_sent_ns: Nanos,
    blocked: Stopwatch,
    measurement: Option<Measurement>,
}

impl Push {
    /// Plans `messages` messages; without `measurement`, the connection gets no result line.
    pub fn new(prepared: &Arc<Prepared>, messages: u64, measurement: Option<Measurement>) -> Self {
        Self {
            planned_bytes: messages.saturating_mul(prepared.frame_bytes as u64),
            prepared: Arc::clone(prepared),
            sent_bytes: 0,
            new_messages: 0,
            write_calls: 0,
            last_sent_ns: 0,
            blocked: Stopwatch::default(),
            measurement,
        }
    }

    /// Drops the unsent messages, except one that has been sent in part.
    pub fn cancel(&mut self) {
        let frame_bytes = self.prepared.frame_bytes as u64;
        self.planned_bytes = self.sent_bytes.next_multiple_of(frame_bytes);
    }

    /// Plans `messages` messages in all; what has been sent, also in part, remains planned.
    pub fn limit(&mut self, messages: u64, now: Nanos) {
        self.cancel();
        let least_bytes = messages.saturating_mul(self.prepared.frame_bytes as u64);
        self.planned_bytes = self.planned_bytes.max(least_bytes);
        if self.has_sent_all() && self.last_sent_ns == 0 {
            self.last_sent_ns = now;
        }
    }

    /// Begins the measurement anew, if there is one.
    pub fn restart(&mut self, usage_reader: &UsageReader) {
        if let Some(measurement) = &mut self.measurement {
            *measurement = Measurement::begin(usage_reader, measurement.control_bytes);
        }
    }

    /// Returns whether all planned messages have been handed to the kernel.
    pub fn has_sent_all(&self) -> bool {
        self.sent_bytes == self.planned_bytes
    }

    /// Records that the socket has room, or that the connection ends.
    pub fn unblock(&mut self, now: Nanos) {
        self.blocked.stop(now);
    }

    /// Returns the messages handed over completely since the last call.
    pub fn take_new(&mut self) -> Count {
        let messages = std::mem::take(&mut self.new_messages);
        Count {
            messages,
            bytes: messages * self.prepared.payload_bytes,
        }
    }

    /// Takes the measurement; `None` if there is none, or after the first call.
    pub fn take_measurement(&mut self, outbox: &SendBuffer) -> Option<(Measurement, Traffic)> {
        let measurement = self.measurement.take()?;
        let messages = self.sent_bytes / self.prepared.frame_bytes as u64;
        let traffic = Traffic {
            count: Count {
                messages,
                bytes: messages * self.prepared.payload_bytes,
            },
            has_all: self.has_sent_all(),
            wire_bytes: (self.sent_bytes + outbox.sent_total())
                .saturating_sub(measurement.control_bytes),
            write_calls: self.write_calls,
            last_sent_ns: self.last_sent_ns,
            blocked_ns: self.blocked.total_ns,
        };
        Some((measurement, traffic))
    }

    /// Returns the number of messages handed over completely.
    pub fn sent_messages(&self) -> u64 {
        self.sent_bytes / self.prepared.frame_bytes as u64
    }

    /// Writes for one turn: first the outbox, unless a frame is incomplete, then messages, with
    /// `pings` between them.
    pub fn send(
        &mut self,
        transport: &mut Transport,
        outbox: &mut SendBuffer,
        mut pings: Option<&mut Pings>,
    ) -> io::Result<Sent> {
        for _ in 0..self.writes_per_turn(pings.as_deref()) {
            let frame_bytes = self.prepared.frame_bytes as u64;
            let begun = usize::try_from(self.sent_bytes % frame_bytes)
                .expect("less than the length of a frame");
            let mut until = u64::MAX;
            if let Some(pings) = &mut pings {
                if begun == 0 {
                    pings.append_due(self.sent_messages(), outbox.bytes());
                }
                // A pong that arrives meanwhile may make a ping due within the begun frame.
                until = pings.next_after().max(self.sent_messages() + 1);
            }
            let mut is_divided = false;
            let is_control = begun == 0 && !outbox.rest().is_empty();
            let bytes = if is_control {
                outbox.rest()
            } else if self.has_sent_all() {
                let is_flushed = transport.flush()?;
                return Ok(if is_flushed { Sent::All } else { Sent::Blocked });
            } else {
                let (bytes, is_cut) = self.next_messages(begun, until, outbox);
                is_divided = is_cut;
                bytes
            };
            let length = bytes.len();
            match transport.write(bytes)? {
                Transfer::Bytes(moved) if is_control => outbox.advance(moved),
                Transfer::Bytes(moved) => {
                    self.count(moved, frame_bytes);
                    self.write_calls += u64::from(moved < length || !is_divided);
                }
                Transfer::WouldBlock => {
                    if !self.has_sent_all() {
                        self.blocked.start(clock::now());
                    }
                    return Ok(Sent::Blocked);
                }
                Transfer::Ended => return Err(io::ErrorKind::WriteZero.into()),
            }
        }
        Ok(Sent::TurnOver)
    }

    fn writes_per_turn(&self, pings: Option<&Pings>) -> u32 {
        let is_many = self.prepared.frames_per_write == FramesPerWrite::Many;
        if is_many && pings.is_some_and(|pings| pings.unanswered() > 0) {
            WRITES_PER_TURN_WITH_PING
        } else {
            WRITES_PER_TURN
        }
    }

    /// Returns the next bytes to write, and whether they end early, after message `until`.
    ///
    /// They reach from byte `begun` of a frame to the end of a frame.
    fn next_messages(&self, begun: usize, until: u64, outbox: &SendBuffer) -> (&[u8], bool) {
        let prepared = &self.prepared;
        let is_one = prepared.frames_per_write == FramesPerWrite::One;
        if is_one || !outbox.rest().is_empty() {
            return (&prepared.frames[begun..prepared.frame_bytes], false);
        }
        let until_bytes = until.saturating_mul(prepared.frame_bytes as u64);
        let end_at = |total: u64| {
            let left = usize::try_from(total - self.sent_bytes).unwrap_or(usize::MAX);
            prepared.frames.len().min(left.saturating_add(begun))
        };
        let end = end_at(self.planned_bytes.min(until_bytes));
        (
            &prepared.frames[begun..end],
            end < end_at(self.planned_bytes),
        )
    }

    fn count(&mut self, moved: usize, frame_bytes: u64) {
        let whole_before = self.sent_bytes / frame_bytes;
        self.sent_bytes += moved as u64;
        self.new_messages += self.sent_bytes / frame_bytes - whole_before;
        if self.has_sent_all() {
            self.last_sent_ns = clock::now();
        }
    }
}

#[cfg(test)]
mod tests {
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
}
