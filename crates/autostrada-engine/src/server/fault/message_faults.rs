//! Faults that depend on the number of a message: loss, corruption, repetition, reordering, bursts.

use std::collections::VecDeque;

use super::message::Message;
use crate::plan::FaultPlan;

/// Memory above which an incomplete burst is sent, in bytes.
const BURST_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The faults of the messages of one connection that do not depend on time.
///
/// They are applied in this order: lose, corrupt, repeat, swap, burst.
#[derive(Debug, Default)]
pub struct MessageFaults {
    lose: Every,
    corrupt: Every,
    repeat: Every,
    swap: Every,
    /// A message that the next one overtakes, with its copies; empty if none waits.
    overtaken: Vec<Message>,
    /// Number of messages in a burst; 1 without bursts.
    burst: usize,
    /// Messages of the incomplete burst.
    gathered: Vec<Message>,
    gathered_bytes: usize,
    /// Number of messages so far.
    number: u64,
}

/// Every n-th message, or no message (`None`).
#[derive(Debug, Clone, Copy, Default)]
struct Every(Option<u64>);

impl Every {
    fn includes(self, number: u64) -> bool {
        self.0.is_some_and(|every| number.is_multiple_of(every))
    }
}

impl MessageFaults {
    /// Creates the faults of a plan.
    pub fn new(plan: &FaultPlan) -> Self {
        Self {
            lose: Every(plan.lose_every),
            corrupt: Every(plan.corrupt_every),
            repeat: Every(plan.repeat_every),
            swap: Every(plan.swap_every),
            burst: plan.burst.unwrap_or(1),
            ..Self::default()
        }
    }

    /// Takes the next message, and appends to `out` the messages that it releases.
    pub fn push(&mut self, mut message: Message, out: &mut VecDeque<Message>) {
        self.number += 1;
        if self.lose.includes(self.number) {
            return;
        }
        if self.corrupt.includes(self.number) {
            message.corrupt();
        }
        let copy = self.repeat.includes(self.number).then(|| message.clone());
        let copies = std::iter::once(message).chain(copy);
        if !self.overtaken.is_empty() {
            for copy in copies {
                self.gather(copy, out);
            }
            self.release_overtaken(out);
        } else if self.swap.includes(self.number) {
            self.overtaken.extend(copies);
        } else {
            for copy in copies {
                self.gather(copy, out);
            }
        }
    }

    /// Appends to `out` all held messages, because no further message follows.
    pub fn finish(&mut self, out: &mut VecDeque<Message>) {
        self.release_overtaken(out);
        self.release_burst(out);
    }

    fn release_overtaken(&mut self, out: &mut VecDeque<Message>) {
        for message in std::mem::take(&mut self.overtaken) {
            self.gather(message, out);
        }
    }

    fn gather(&mut self, message: Message, out: &mut VecDeque<Message>) {
        self.gathered_bytes += message.held_bytes();
        self.gathered.push(message);
        if self.gathered.len() >= self.burst || self.gathered_bytes > BURST_BYTES_MAX {
            self.release_burst(out);
        }
    }

    fn release_burst(&mut self, out: &mut VecDeque<Message>) {
        out.extend(self.gathered.drain(..));
        self.gathered_bytes = 0;
    }
}

#[cfg(test)]
#[path = "tests/message_faults.rs"]
mod tests;
