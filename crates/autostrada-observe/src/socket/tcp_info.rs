//! The kernel's metrics of one TCP connection: `struct tcp_info` of `linux/tcp.h`.

use super::counters::SocketCounters;

/// The metrics of a connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TcpInfo {
    /// Smoothed round-trip time, in microseconds; 0 before the first measurement.
    pub rtt_us: u32,
    /// Shortest round-trip time, in microseconds; `u32::MAX` before the first measurement.
    pub round_trip_min_us: u32,
    /// Bytes in the send queue that have not been sent for the first time yet.
    pub unsent_bytes: u32,
    /// Counters since the connection began.
    pub counters: SocketCounters,
}

impl TcpInfo {
    /// Parses the structure; `None` if it is too short, as before Linux 4.10.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let counter = |offset| Some(u64::from(number(bytes, offset)?));
        let time_ns = |offset| Some(long_number(bytes, offset)?.saturating_mul(1_000));
        Some(Self {
            rtt_us: number(bytes, 68)?,
            unsent_bytes: number(bytes, 144)?,
            round_trip_min_us: number(bytes, 148)?,
            counters: SocketCounters {
                retransmits: counter(100)?,
                sent_bytes: long_number(bytes, 120)?,
                received_bytes: long_number(bytes, 128)?,
                segments_out: counter(136)?,
                segments_in: counter(140)?,
                busy_ns: time_ns(168)?,
                receive_window_limited_ns: time_ns(176)?,
                send_buffer_limited_ns: time_ns(184)?,
            },
        })
    }
}

/// Returns the four bytes at `offset` as a number in native byte order.
pub fn number(bytes: &[u8], offset: usize) -> Option<u32> {
    let (bytes, _) = bytes.get(offset..)?.split_first_chunk()?;
    Some(u32::from_ne_bytes(*bytes))
}

fn long_number(bytes: &[u8], offset: usize) -> Option<u64> {
    let (bytes, _) = bytes.get(offset..)?.split_first_chunk()?;
    Some(u64::from_ne_bytes(*bytes))
}

#[cfg(test)]
#[path = "tests/tcp_info.rs"]
mod tests;
