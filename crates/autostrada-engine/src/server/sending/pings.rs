//! Pings between the messages of a push, whose pongs tell when the client had processed them.
//!
//! An endpoint answers a ping after everything that it received before (RFC 6455, sections 5.5.2
//! and 5.5.3), so a pong is an instant at which a known number of messages was processed. Pings are
//! placed by numbers of messages, not by time: hundreds of thousands of short messages are in the
//! socket buffers within milliseconds.

use std::collections::VecDeque;

use autostrada_measure::Nanos;
use autostrada_proto::frame::{Opcode, encode_frame};

use crate::line::Mark;
use crate::plan::PingPlan;

/// Maximum number of unanswered pings, planned ones excepted.
const OUTSTANDING_MAX: usize = 64;

/// Minimum number of bytes between two pings, planned ones excepted. A library may close a connection
/// on which many pings arrive at once, such as ws (Node.js) beyond 60 in one read of 64 KiB.
const DISTANCE_BYTES_MIN: u64 = 16 * 1024;

/// Messages on their way to the client are divided into at most this many parts by pings.
const PARTS_MAX: u64 = 48;

/// Before the first pong, the distance of pings grows to this part of the messages sent.
const UNMEASURED_PART: u64 = 24;

/// The pings of one connection, and the pongs that have arrived.
#[derive(Debug, Default)]
pub struct Pings {
    /// Numbers of messages after which a ping is planned, in ascending order.
    planned: VecDeque<u64>,
    /// Number of messages before the first planned ping.
    first: u64,
    /// Minimum number of messages between two pings.
    stride_min: u64,
    /// Time that is to pass between pongs.
    every_ns: Nanos,
    /// Number of messages from one ping to the next; `None` before the first pong.
    stride: Option<u64>,
    /// Numbers of messages before the unanswered pings, in ascending order.
    outstanding: VecDeque<u64>,
    /// Number of messages before the last ping.
    last: u64,
    started_ns: Nanos,
    /// Number of pings.
    pub sent: u64,
    /// Length of the pings on the wire, in bytes.
    pub sent_bytes: u64,
    /// The pongs that have arrived, in order.
    pub marks: Vec<Mark>,
    /// Whether pings stand between messages, and not only after the last one of a slice.
    pub are_between: bool,
}

impl Pings {
    /// Begins a push of frames of this length at `started_ns`.
    pub fn new(plan: &PingPlan, frame_bytes: usize, started_ns: Nanos) -> Self {
        Self {
            planned: plan.after.iter().copied().collect(),
            stride_min: DISTANCE_BYTES_MIN.div_ceil(frame_bytes as u64),
            first: plan.after.first().copied().unwrap_or(1),
            every_ns: plan.every_ns(),
            started_ns,
            are_between: true,
            ..Self::default()
        }
    }

    /// Returns the number of messages after which the next ping is due.
    pub fn next_after(&self) -> u64 {
        let planned = self.planned.front().copied().unwrap_or(u64::MAX);
        if self.outstanding.len() >= OUTSTANDING_MAX {
            return planned;
        }
        let stride = match self.stride {
            // Where much is on its way, the pings are spread over all of it.
            Some(stride) => stride.max((self.last - self.answered()) / PARTS_MAX),
            None => (self.last / UNMEASURED_PART).max(self.first),
        };
        planned.min(self.last.saturating_add(stride.max(self.stride_min)))
    }

    /// Appends a ping to `out` if one is due after the first `messages` messages.
    pub fn append_due(&mut self, messages: u64, out: &mut Vec<u8>) {
        if messages >= self.next_after() {
            self.append(messages, out);
        }
    }

    /// Appends a ping after the first `messages` messages, unless one stands there.
    pub fn append(&mut self, messages: u64, out: &mut Vec<u8>) {
        while self.planned.front().is_some_and(|&next| next <= messages) {
            self.planned.pop_front();
        }
        if messages <= self.last {
            return;
        }
        let before = out.len();
        encode_frame(Opcode::Ping, None, &messages.to_be_bytes(), out);
        self.sent_bytes += (out.len() - before) as u64;
        self.sent += 1;
        self.last = messages;
        self.outstanding.push_back(messages);
    }

    /// Records at `now` the pong of the ping after the first `messages` messages.
    ///
    /// Ignores one that answers no outstanding ping (RFC 6455, section 5.5.3). Earlier pings stay
    /// unanswered, because an endpoint may answer the most recent one only.
    pub fn answer(&mut self, messages: u64, now: Nanos) {
        let Ok(index) = self.outstanding.binary_search(&messages) else {
            return;
        };
        self.outstanding.drain(..=index);
        self.stride = Some(self.stride_at(messages, now));
        self.marks.push(Mark {
            messages,
            answered_ns: now,
        });
    }

    /// Returns these pings, if they stand between messages.
    pub fn between(&mut self) -> Option<&mut Self> {
        self.are_between.then_some(self)
    }

    /// Returns the instant of the pong of the last ping; `None` before it arrives. It remains a mark
    /// only if pings stand between messages.
    pub fn take_last(&mut self) -> Option<Nanos> {
        let mark = *self
            .marks
            .last()
            .filter(|mark| mark.messages == self.last)?;
        if !self.are_between {
            self.marks.pop();
        }
        Some(mark.answered_ns)
    }

    /// Returns the number of messages that the client is known to have processed.
    fn answered(&self) -> u64 {
        self.marks.last().map_or(0, |mark| mark.messages)
    }

    /// Returns the number of messages that the client processes in `every_ns`, at its speed in the
    /// later half of the time so far. A shorter time may have several pongs in one read.
    fn stride_at(&self, messages: u64, now: Nanos) -> u64 {
        let half_ns = self.started_ns + now.saturating_sub(self.started_ns) / 2;
        let later = self
            .marks
            .partition_point(|mark| mark.answered_ns < half_ns);
        let (before, before_ns) = match later.checked_sub(1) {
            Some(index) => (self.marks[index].messages, self.marks[index].answered_ns),
            None => (0, self.started_ns),
        };
        let taken_ns = now.saturating_sub(before_ns).max(1);
        let stride =
            u128::from(messages - before) * u128::from(self.every_ns) / u128::from(taken_ns);
        u64::try_from(stride).unwrap_or(u64::MAX).max(1)
    }

    /// Number of pings after the last one that was answered.
    pub fn unanswered(&self) -> u64 {
        self.outstanding.len() as u64
    }
}

#[cfg(test)]
#[path = "tests/pings.rs"]
mod tests;
