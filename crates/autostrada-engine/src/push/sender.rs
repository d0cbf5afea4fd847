//! The sending half of a push connection: messages, and what goes between two of them.

use std::io;

use autostrada_measure::{Nanos, Stopwatch};
use autostrada_net::{Transfer, Transport, clock};

use super::Feed;
use crate::plan::FramesPerWrite;

/// How many writes one connection does before the others have their turn.
const WRITES_PER_TURN: u32 = 64;

/// Whether a turn has sent everything that there is to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// Nothing is left.
    All,
    /// The socket has no room.
    Blocked,
    /// The turn was over.
    Some,
}

/// What one connection sends, and how far it has come.
///
/// Control frames wait for the end of a frame that the kernel took in part.
#[derive(Debug, Default)]
pub struct Sender {
    /// What goes out before the next whole frame: response, pongs, closing frame.
    control: Vec<u8>,
    planned_bytes: u64,
    sent_bytes: u64,
    /// Messages handed over since `take_messages` was last called.
    new_messages: u64,
    /// Bytes of control frames handed to the kernel.
    pub control_bytes: u64,
    /// Calls that handed over messages.
    pub write_calls: u64,
    /// The instant after the last message was handed over.
    pub last_sent_ns: Nanos,
    blocked: Stopwatch,
}

impl Sender {
    /// Appends bytes that are not messages.
    pub fn control(&mut self) -> &mut Vec<u8> {
        &mut self.control
    }

    /// Plans so many messages of the feed.
    pub fn plan_messages(&mut self, messages: u64, feed: &Feed) {
        self.planned_bytes = messages.saturating_mul(feed.frame_bytes as u64);
    }

    /// Forgets the messages that are left, but for one that has been sent in part.
    pub fn cancel_messages(&mut self, feed: &Feed) {
        self.planned_bytes = self.sent_bytes.next_multiple_of(feed.frame_bytes as u64);
    }

    /// Whether all messages have been handed to the kernel.
    pub fn has_sent_all(&self) -> bool {
        self.sent_bytes == self.planned_bytes
    }

    /// Bytes of messages handed to the kernel.
    pub fn sent_bytes(&self) -> u64 {
        self.sent_bytes
    }

    /// How long the socket had no room while messages were left.
    pub fn blocked_ns(&self) -> Nanos {
        self.blocked.total_ns()
    }

    /// Takes note that the socket has room, or that waiting for it is pointless.
    pub fn unblock(&mut self, now: Nanos) {
        self.blocked.stop(now);
    }

    /// Returns how many whole messages were handed over since the last call.
    pub fn take_messages(&mut self) -> u64 {
        std::mem::take(&mut self.new_messages)
    }

    /// Hands to the kernel what it takes, for one turn.
    ///
    /// # Errors
    ///
    /// When the connection is broken.
    pub fn send(&mut self, transport: &mut Transport, feed: &Feed) -> io::Result<Sent> {
        for _ in 0..WRITES_PER_TURN {
            let frame_bytes = feed.frame_bytes as u64;
            let begun = usize::try_from(self.sent_bytes % frame_bytes).expect("below a length");
            let is_control = begun == 0 && !self.control.is_empty();
            let bytes = if is_control {
                &self.control[..]
            } else if self.has_sent_all() {
                let is_flushed = transport.flush()?;
                return Ok(if is_flushed { Sent::All } else { Sent::Blocked });
            } else {
                self.next_messages(feed, begun)
            };
            match transport.write(bytes)? {
                Transfer::Bytes(moved) if is_control => {
                    self.control.drain(..moved);
                    self.control_bytes += moved as u64;
                }
                Transfer::Bytes(moved) => self.count(moved, frame_bytes),
                Transfer::WouldBlock => {
                    if !self.has_sent_all() {
                        self.blocked.start(clock::now());
                    }
                    return Ok(Sent::Blocked);
                }
                Transfer::Ended => return Err(io::ErrorKind::WriteZero.into()),
            }
        }
        Ok(Sent::Some)
    }

    /// What to write next: from inside a frame, to the end of a frame.
    fn next_messages<'f>(&self, feed: &'f Feed, begun: usize) -> &'f [u8] {
        let must_end = !self.control.is_empty() || feed.frames_per_write == FramesPerWrite::One;
        let end = if must_end {
            feed.frame_bytes
        } else {
            let left = usize::try_from(self.planned_bytes - self.sent_bytes).unwrap_or(usize::MAX);
            feed.prepared.len().min(left.saturating_add(begun))
        };
        &feed.prepared[begun..end]
    }

    fn count(&mut self, moved: usize, frame_bytes: u64) {
        let whole_before = self.sent_bytes / frame_bytes;
        self.sent_bytes += moved as u64;
        self.new_messages += self.sent_bytes / frame_bytes - whole_before;
        self.write_calls += 1;
        if self.has_sent_all() {
            self.last_sent_ns = clock::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use autostrada_net::Listener;
    use std::io::Read;
    use std::net::TcpStream;

    const FRAME: &[u8] = b"\x81\x05hello";

    /// A sender's stream, and the peer that reads it.
    fn pair() -> (Transport, TcpStream) {
        let listener = Listener::bind("127.0.0.1:0".parse().unwrap(), None).unwrap();
        let peer = TcpStream::connect(listener.local_address().unwrap()).unwrap();
        let stream = listener.accept().unwrap().expect("it is connected");
        (Transport::Plain(stream), peer)
    }

    fn feed(frames_per_write: FramesPerWrite) -> Feed {
        Feed::new("hello", frames_per_write)
    }

    fn read_to_end(stream: Transport, mut peer: TcpStream) -> Vec<u8> {
        drop(stream);
        let mut bytes = Vec::new();
        peer.read_to_end(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn all_messages_go_out_in_one_call_and_are_told_once() {
        let (mut stream, peer) = pair();
        let feed = feed(FramesPerWrite::Many);
        let mut sender = Sender::default();
        sender.plan_messages(3, &feed);
        assert!(!sender.has_sent_all());
        assert_eq!(sender.send(&mut stream, &feed).unwrap(), Sent::All);
        assert!(sender.has_sent_all());
        assert_eq!((sender.take_messages(), sender.take_messages()), (3, 0));
        assert_eq!((sender.write_calls, sender.sent_bytes()), (1, 21));
        assert_ne!(sender.last_sent_ns, 0);
        assert_eq!(read_to_end(stream, peer), FRAME.repeat(3));
    }

    #[test]
    fn one_frame_a_write_is_one_call_a_message() {
        let (mut stream, peer) = pair();
        let feed = feed(FramesPerWrite::One);
        let mut sender = Sender::default();
        sender.plan_messages(10, &feed);
        assert_eq!(sender.send(&mut stream, &feed).unwrap(), Sent::All);
        assert_eq!((sender.write_calls, sender.take_messages()), (10, 10));
        assert_eq!(read_to_end(stream, peer), FRAME.repeat(10));
    }

    #[test]
    fn a_turn_ends_before_everything_is_sent() {
        let (mut stream, peer) = pair();
        let feed = feed(FramesPerWrite::One);
        let mut sender = Sender::default();
        sender.plan_messages(100, &feed);
        assert_eq!(sender.send(&mut stream, &feed).unwrap(), Sent::Some);
        assert_eq!(sender.take_messages(), u64::from(WRITES_PER_TURN));
        assert_eq!(sender.send(&mut stream, &feed).unwrap(), Sent::All);
        assert_eq!(read_to_end(stream, peer), FRAME.repeat(100));
    }

    #[test]
    fn control_bytes_go_first_and_count_on_their_own() {
        let (mut stream, peer) = pair();
        let feed = feed(FramesPerWrite::Many);
        let mut sender = Sender::default();
        sender.control().extend_from_slice(b"response");
        sender.plan_messages(2, &feed);
        assert_eq!(sender.send(&mut stream, &feed).unwrap(), Sent::All);
        assert_eq!(
            (
                sender.control_bytes,
                sender.sent_bytes(),
                sender.write_calls
            ),
            (8, 14, 1)
        );
        assert_eq!(
            read_to_end(stream, peer),
            [b"response", &FRAME.repeat(2)[..]].concat()
        );
    }

    /// Sends until the socket has no room.
    fn send_until_blocked(sender: &mut Sender, stream: &mut Transport, feed: &Feed) {
        sender.plan_messages(u64::MAX, feed);
        while sender.send(stream, feed).unwrap() != Sent::Blocked {}
    }

    #[test]
    fn what_is_cancelled_ends_with_a_whole_frame_and_then_the_control_bytes() {
        let (mut stream, mut peer) = pair();
        let feed = feed(FramesPerWrite::Many);
        let mut sender = Sender::default();
        send_until_blocked(&mut sender, &mut stream, &feed);
        sender.control().extend_from_slice(b"bye");
        sender.cancel_messages(&feed);
        let whole = sender.sent_bytes().next_multiple_of(FRAME.len() as u64);
        let reader = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            peer.read_to_end(&mut bytes).unwrap();
            bytes
        });
        // The peer reads meanwhile: there will be room.
        while sender.send(&mut stream, &feed).unwrap() != Sent::All {
            std::thread::yield_now();
        }
        assert_eq!((sender.sent_bytes(), sender.control_bytes), (whole, 3));
        drop(stream);
        let bytes = reader.join().unwrap();
        let (frames, end) = bytes.split_at(bytes.len() - 3);
        assert_eq!(end, b"bye");
        assert_eq!(frames.len() as u64, whole);
        assert!(frames.chunks(FRAME.len()).all(|frame| frame == FRAME));
    }

    #[test]
    fn the_time_without_room_is_added_up() {
        let (mut stream, _peer) = pair();
        let feed = feed(FramesPerWrite::Many);
        let mut sender = Sender::default();
        send_until_blocked(&mut sender, &mut stream, &feed);
        assert_eq!(sender.blocked_ns(), 0, "it has not ended yet");
        sender.unblock(clock::now() + 1_000_000);
        assert!(sender.blocked_ns() >= 1_000_000);
    }

    #[test]
    fn a_broken_connection_is_an_error() {
        let (mut stream, peer) = pair();
        let feed = feed(FramesPerWrite::Many);
        let mut sender = Sender::default();
        send_until_blocked(&mut sender, &mut stream, &feed);
        // Who closes a socket with bytes unread resets the connection.
        drop(peer);
        let error = (0..1_000_000).find_map(|_| {
            std::thread::yield_now();
            sender.send(&mut stream, &feed).err()
        });
        let kind = error.expect("it is broken").kind();
        assert!(
            matches!(
                kind,
                io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe
            ),
            "{kind}"
        );
    }
}
