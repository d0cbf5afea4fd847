//! The metrics of one sample of a process's sockets.

use schemars::JsonSchema;
use serde::Serialize;

use super::message::Described;
use super::tcp_info::TcpInfo;

/// TCP connections of a process and its descendants.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Sockets")]
pub struct SocketMetrics {
    /// Number of TCP connections, IPv4 and IPv6, that are established or half closed, as last
    /// counted or reported. It is an estimate if the processes have more than 2,000 open files, and 0 if they
    /// are in another network namespace, which this user may not enter.
    pub connections: u64,
    /// Number of connections that this sample has read: at most 256, and at most 512 for all
    /// processes of the plan together. They are chosen evenly, and remain the same until one closes
    /// or others are opened. All other keys except `connections` cover only sampled connections.
    pub sampled: u64,
    /// Bytes in all send queues at this instant: written by the process and not acknowledged by the
    /// peer.
    pub send_queue_bytes: u64,
    /// Bytes in the longest send queue of one connection at this instant.
    pub send_queue_bytes_max: u64,
    /// Number of connections whose send queue is not empty.
    pub send_queues_filled: u64,
    /// Bytes in all receive queues at this instant: received and not read by the process.
    pub receive_queue_bytes: u64,
    /// Bytes in the longest receive queue of one connection at this instant.
    pub receive_queue_bytes_max: u64,
    /// Number of connections whose receive queue is not empty.
    pub receive_queues_filled: u64,
    /// Bytes in all send queues that the kernel has not sent for the first time yet.
    pub unsent_bytes: u64,
    /// Memory that the kernel has charged to the sockets at this instant, in bytes: both queues with
    /// their overhead, and memory reserved for further data (`sock_diag(7)`, `SKMEMINFO`). The socket
    /// itself, its file and its entries in other tables are not included.
    pub memory_bytes: u64,
    /// Counters of the sampled connections.
    #[serde(flatten)]
    pub counters: SocketCounters,
    /// Median of the smoothed round-trip times of the connections, in nanoseconds; 0 if none is
    /// known.
    pub rtt_ns_median: u64,
}

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

impl SocketMetrics {
    /// Adds the queues of one sampled socket.
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
        self.memory_bytes += described.memory_bytes;
    }
}

/// Returns the lower median of round-trip times, given in microseconds, in nanoseconds; 0 if there
/// are none.
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
    fn the_median_is_one_of_the_times() {
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
