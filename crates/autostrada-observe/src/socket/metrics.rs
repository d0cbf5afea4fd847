//! The metrics of one sample of a process's sockets.

use schemars::JsonSchema;
use serde::Serialize;

use super::counters::SocketCounters;
use super::message::SocketDescription;
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

impl SocketMetrics {
    /// Adds the queues of one sampled socket.
    pub fn add(&mut self, described: &SocketDescription, info: &TcpInfo) {
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
}
