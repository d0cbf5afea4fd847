//! The line of a slice.

use autostrada_measure::Nanos;
use schemars::JsonSchema;
use serde::Serialize;

/// What all threads of `load` did in one slice, or `serve` in one of a push.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Slice")]
pub struct SliceRow {
    /// Instant at which the first messages were sent, in nanoseconds.
    pub began_ns: Nanos,
    /// Instant of the last answer or, if that was earlier, at which sending stopped, in nanoseconds;
    /// of a push, the pong of the ping after its last message.
    pub ended_ns: Nanos,
    /// Correct answers, those of the drain included; for `publish`, messages that subscribers
    /// received; of a push, those of a complete slice.
    pub messages: u64,
    /// CPU time of the threads from the first message to the end of the drain, or of the push, not counting polling
    /// without a result, in nanoseconds.
    pub busy_ns: Nanos,
    /// Whether until the end of the slice all connections of the plan were open, and all messages
    /// were answered correctly and in time, in earlier slices too; of a push, whether the client
    /// answered the last ping.
    pub complete: bool,
}

impl SliceRow {
    /// Adds what another thread did in the same slice.
    pub fn merge(&mut self, other: &Self) {
        self.began_ns = self.began_ns.min(other.began_ns);
        self.ended_ns = self.ended_ns.max(other.ended_ns);
        self.messages += other.messages;
        self.busy_ns += other.busy_ns;
        self.complete &= other.complete;
    }
}
