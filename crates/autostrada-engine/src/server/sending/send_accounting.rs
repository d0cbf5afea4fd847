//! Counts the messages of an outbox that the kernel has taken.

use std::collections::VecDeque;

use crate::send_buffer::SendBuffer;

/// A number of messages, and their payload bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// Number of messages.
    pub messages: u64,
    /// Total length of their payloads, in bytes.
    pub bytes: u64,
}

impl std::ops::AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.messages += other.messages;
        self.bytes += other.bytes;
    }
}

/// Consecutive messages of the same length, whose ends are equally far apart.
#[derive(Debug, PartialEq, Eq)]
struct Run {
    /// Bytes from the end of one message to the end of the next: the next one's frame, and other
    /// bytes before it.
    distance_bytes: u64,
    payload_bytes: u64,
    messages: u64,
}

/// The positions at which messages end in an outbox, and the messages that the kernel has taken
/// completely.
#[derive(Debug, Default)]
pub struct SendAccounting {
    runs: VecDeque<Run>,
    /// End of the last message in the outbox, in bytes appended since the connection began.
    noted_end: u64,
    /// End of the last message that the kernel has taken, in the same unit.
    sent_end: u64,
    /// All messages that the kernel has taken completely.
    pub sent: Count,
    /// Messages taken since the last call of `take_new`.
    new: Count,
}

impl SendAccounting {
    /// Begins after the first `appended_total` bytes of an outbox.
    pub fn new(appended_total: u64) -> Self {
        Self {
            noted_end: appended_total,
            sent_end: appended_total,
            ..Self::default()
        }
    }

    /// Records an appended message that ends after the first `appended_total` bytes.
    pub fn note(&mut self, appended_total: u64, payload_bytes: u64) {
        let distance_bytes = appended_total - self.noted_end;
        assert_ne!(distance_bytes, 0, "a frame has at least a header");
        self.noted_end = appended_total;
        if let Some(last) = self.runs.back_mut()
            && (last.distance_bytes, last.payload_bytes) == (distance_bytes, payload_bytes)
        {
            last.messages += 1;
            return;
        }
        self.runs.push_back(Run {
            distance_bytes,
            payload_bytes,
            messages: 1,
        });
    }

    /// Records messages that the kernel has taken completely, with nothing left in the outbox.
    pub fn note_sent(&mut self, appended_total: u64, count: Count) {
        debug_assert!(self.runs.is_empty(), "messages keep their order");
        self.noted_end = appended_total;
        self.sent_end = appended_total;
        self.sent += count;
        self.new += count;
    }

    /// Counts the messages that are complete within the first `sent_total` bytes.
    pub fn count_complete(&mut self, sent_total: u64) {
        while let Some(run) = self.runs.front_mut() {
            let whole = sent_total.saturating_sub(self.sent_end) / run.distance_bytes;
            let messages = whole.min(run.messages);
            if messages == 0 {
                return;
            }
            let count = Count {
                messages,
                bytes: messages * run.payload_bytes,
            };
            self.sent_end += messages * run.distance_bytes;
            run.messages -= messages;
            if run.messages == 0 {
                self.runs.pop_front();
            }
            self.sent += count;
            self.new += count;
        }
    }

    /// Returns the messages that the kernel has taken completely since the last call.
    pub fn take_new(&mut self) -> Count {
        std::mem::take(&mut self.new)
    }

    /// Returns whether the kernel has taken all recorded messages.
    pub fn has_all(&self) -> bool {
        self.runs.is_empty()
    }

    /// Drops the messages of which the kernel has taken no byte, here and in the outbox.
    pub fn cancel(&mut self, outbox: &mut SendBuffer) {
        let Some(run) = self.runs.front_mut() else {
            return;
        };
        if outbox.sent_total() <= self.sent_end {
            self.runs.clear();
        } else {
            run.messages = 1;
            self.runs.truncate(1);
        }
        let begun_bytes = self.runs.front().map_or(0, |run| run.distance_bytes);
        self.noted_end = self.sent_end + begun_bytes;
        outbox.truncate(self.noted_end);
    }
}

#[cfg(test)]
#[path = "tests/send_accounting.rs"]
mod tests;
