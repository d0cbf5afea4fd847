//! The counters of TCP connections.

use schemars::JsonSchema;
use serde::Serialize;

/// Counters of the sampled connections. A closed connection counts with its last sample.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SocketCounters {
    /// Bytes that the peers acknowledged. For this and the following counters, a closed connection
    /// counts with its last sample, and a connection that was counted earlier without being sampled
    /// counts from its first sample on.
    pub sent_bytes: u64,
    /// Bytes received in order.
    pub received_bytes: u64,
    /// Number of segments sent, retransmissions included.
    pub segments_out: u64,
    /// Number of segments received.
    pub segments_in: u64,
    /// Number of retransmitted segments.
    pub retransmits: u64,
    /// Time in which a connection had unsent or unacknowledged data, in nanoseconds, summed over
    /// the connections.
    pub busy_ns: u64,
    /// Part of `busy_ns` in which the peer's receive window limited sending, in nanoseconds.
    pub receive_window_limited_ns: u64,
    /// Part of `busy_ns` in which the own send buffer limited sending, in nanoseconds.
    pub send_buffer_limited_ns: u64,
}

impl SocketCounters {
    /// Returns the sum of both.
    pub fn plus(self, other: Self) -> Self {
        self.zip(other, u64::saturating_add)
    }

    /// Returns the difference from an earlier sample; a counter that decreased is 0.
    pub fn since(self, earlier: Self) -> Self {
        self.zip(earlier, u64::saturating_sub)
    }

    fn zip(self, other: Self, combine: fn(u64, u64) -> u64) -> Self {
        Self {
            sent_bytes: combine(self.sent_bytes, other.sent_bytes),
            received_bytes: combine(self.received_bytes, other.received_bytes),
            segments_out: combine(self.segments_out, other.segments_out),
            segments_in: combine(self.segments_in, other.segments_in),
            retransmits: combine(self.retransmits, other.retransmits),
            busy_ns: combine(self.busy_ns, other.busy_ns),
            receive_window_limited_ns: combine(
                self.receive_window_limited_ns,
                other.receive_window_limited_ns,
            ),
            send_buffer_limited_ns: combine(
                self.send_buffer_limited_ns,
                other.send_buffer_limited_ns,
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_never_below_zero() {
        let counters = SocketCounters {
            busy_ns: 5_000,
            sent_bytes: 10,
            ..SocketCounters::default()
        };
        assert_eq!(
            counters.since(counters.plus(counters)),
            SocketCounters::default()
        );
        assert_eq!(counters.plus(counters).since(counters), counters);
    }
}
