//! What one sample finds at the sockets of one process.

use schemars::JsonSchema;
use serde::Serialize;

use super::message::Described;
use super::tcp_info::TcpInfo;

/// The connections of a process and its descendants.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Sockets")]
pub struct SocketFigures {
    /// TCP connections that are open, established or half closed, IPv4 and IPv6, as they were last
    /// counted; of a process with more than 2,000 open files an estimate; 0 in a network namespace
    /// other than that of the engine.
    pub connections: u64,
    /// How many of them this sample has read, chosen evenly: the same ones while they live and no
    /// others come. All other keys are of these.
    pub sampled: u64,
    /// Bytes written and not acknowledged.
    pub send_queue_bytes: u64,
    /// The longest send queue of one connection.
    pub send_queue_bytes_max: u64,
    /// Connections whose send queue is not empty.
    pub send_queues_filled: u64,
    /// Bytes received and not read.
    pub receive_queue_bytes: u64,
    /// The longest receive queue of one connection.
    pub receive_queue_bytes_max: u64,
    /// Connections whose receive queue is not empty.
    pub receive_queues_filled: u64,
    /// Bytes of the send queues that have not been sent yet.
    pub unsent_bytes: u64,
    /// Their counters.
    #[serde(flatten)]
    pub counters: SocketCounters,
    /// The median of their smoothed round-trip times; 0 where none is known.
    pub rtt_ns_median: u64,
}

/// What sockets have counted since they were opened; those that were sampled and are closed as they
/// were last sampled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SocketCounters {
    /// Bytes that the peers acknowledged. A connection that is closed counts as it was last sampled;
    /// one that is sampled late counts from then on.
    pub sent_bytes: u64,
    /// Bytes received in order.
    pub received_bytes: u64,
    /// Segments sent.
    pub segments_out: u64,
    /// Segments received.
    pub segments_in: u64,
    /// Segments sent again.
    pub retransmits: u64,
    /// How long each had unacknowledged data, all together.
    pub busy_ns: u64,
    /// How much of that the peer's receive window was full.
    pub receive_window_limited_ns: u64,
    /// How much of that the own send buffer was full.
    pub send_buffer_limited_ns: u64,
}

impl From<&TcpInfo> for SocketCounters {
    fn from(info: &TcpInfo) -> Self {
        Self {
            sent_bytes: info.acknowledged_bytes,
            received_bytes: info.received_bytes,
            segments_out: info.segments_out.into(),
            segments_in: info.segments_in.into(),
            retransmits: info.retransmits.into(),
            busy_ns: info.busy_us.saturating_mul(1_000),
            receive_window_limited_ns: info.receive_window_limited_us.saturating_mul(1_000),
            send_buffer_limited_ns: info.send_buffer_limited_us.saturating_mul(1_000),
        }
    }
}

impl SocketCounters {
    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        self.zip(other, u64::saturating_add)
    }

    /// What was counted since an earlier sample.
    #[must_use]
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

impl SocketFigures {
    /// Adds the queues of one socket.
    pub fn add(&mut self, described: &Described, info: &TcpInfo) {
        let send = u64::from(described.send_queue_bytes);
        let receive = u64::from(described.receive_queue_bytes);
        self.sampled += 1;
        self.send_queue_bytes += send;
        self.send_queue_bytes_max = self.send_queue_bytes_max.max(send);
        self.send_queues_filled += u64::from(send > 0);
        self.receive_queue_bytes += receive;
        self.receive_queue_bytes_max = self.receive_queue_bytes_max.max(receive);
        self.receive_queues_filled += u64::from(receive > 0);
        self.unsent_bytes += u64::from(info.unsent_bytes);
    }
}

/// The median of round-trip times in microseconds, in nanoseconds; 0 of none.
pub fn median_ns(rtt_us: &mut [u32]) -> u64 {
    if rtt_us.is_empty() {
        return 0;
    }
    let middle = (rtt_us.len() - 1) / 2;
    let (_, median, _) = rtt_us.select_nth_unstable(middle);
    u64::from(*median) * 1_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_a_time_that_was_seen() {
        assert_eq!(median_ns(&mut []), 0);
        assert_eq!(median_ns(&mut [7]), 7_000);
        assert_eq!(median_ns(&mut [9, 1, 5, 3]), 3_000);
        assert_eq!(median_ns(&mut [9, 1, 5]), 5_000);
    }

    #[test]
    fn times_are_in_nanoseconds_and_differences_never_below_zero() {
        let info = TcpInfo {
            busy_us: 5,
            receive_window_limited_us: 3,
            send_buffer_limited_us: 2,
            acknowledged_bytes: 10,
            ..TcpInfo::default()
        };
        let counters = SocketCounters::from(&info);
        assert_eq!((counters.busy_ns, counters.sent_bytes), (5_000, 10));
        assert_eq!(counters.receive_window_limited_ns, 3_000);
        assert_eq!(counters.send_buffer_limited_ns, 2_000);
        assert_eq!(
            counters.since(counters.plus(counters)),
            SocketCounters::default()
        );
        assert_eq!(counters.plus(counters).since(counters), counters);
    }
}
