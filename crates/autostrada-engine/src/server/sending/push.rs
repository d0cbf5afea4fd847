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
#[path = "tests/push.rs"]
mod tests;
