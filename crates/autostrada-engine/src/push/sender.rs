//! The sending half of a push connection: messages, and what goes between two of them.

use std::io;

use autostrada_measure::{Nanos, Stopwatch};
use autostrada_net::{Stream, Transfer, clock};

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
    pub fn send(&mut self, stream: &mut Stream, feed: &Feed) -> io::Result<Sent> {
        for _ in 0..WRITES_PER_TURN {
            let frame_bytes = feed.frame_bytes as u64;
            let begun = usize::try_from(self.sent_bytes % frame_bytes).expect("below a length");
            let is_control = begun == 0 && !self.control.is_empty();
            let bytes = if is_control {
                &self.control[..]
            } else if self.has_sent_all() {
                return Ok(Sent::All);
            } else {
                self.next_messages(feed, begun)
            };
            match stream.write(bytes)? {
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
