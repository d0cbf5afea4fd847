//! The kernel's metrics of one TCP connection: `struct tcp_info` of `linux/tcp.h`.

/// The metrics of a connection. Counters start with the connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TcpInfo {
    /// Smoothed round-trip time, in microseconds; 0 before the first measurement.
    pub rtt_us: u32,
    /// Shortest round-trip time, in microseconds; `u32::MAX` before the first measurement.
    pub round_trip_min_us: u32,
    /// Bytes in the send queue that have not been sent for the first time yet.
    pub unsent_bytes: u32,
    /// Number of segments sent, retransmissions included.
    pub segments_out: u32,
    /// Number of segments received.
    pub segments_in: u32,
    /// Number of retransmitted segments.
    pub retransmits: u32,
    /// Bytes sent and acknowledged.
    pub acknowledged_bytes: u64,
    /// Bytes received in order.
    pub received_bytes: u64,
    /// Time in which data was unsent or unacknowledged, in microseconds.
    pub busy_us: u64,
    /// Part of `busy_us` in which the peer's receive window limited sending.
    pub receive_window_limited_us: u64,
    /// Part of `busy_us` in which the own send buffer limited sending.
    pub send_buffer_limited_us: u64,
}

impl TcpInfo {
    /// Parses the structure; `None` if it is too short, as before Linux 4.10.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        Some(Self {
            rtt_us: number(bytes, 68)?,
            retransmits: number(bytes, 100)?,
            acknowledged_bytes: long_number(bytes, 120)?,
            received_bytes: long_number(bytes, 128)?,
            segments_out: number(bytes, 136)?,
            segments_in: number(bytes, 140)?,
            unsent_bytes: number(bytes, 144)?,
            round_trip_min_us: number(bytes, 148)?,
            busy_us: long_number(bytes, 168)?,
            receive_window_limited_us: long_number(bytes, 176)?,
            send_buffer_limited_us: long_number(bytes, 184)?,
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
mod tests {
    use super::*;

    #[test]
    fn each_metric_has_its_offset_and_a_short_structure_is_none() {
        let mut bytes = [0; 192];
        for (offset, value) in [
            (68, 1_u32),
            (100, 2),
            (136, 5),
            (140, 6),
            (144, 7),
            (148, 11),
            (120, 3),
            (128, 4),
            (168, 8),
            (176, 9),
            (184, 10),
        ] {
            bytes[offset..offset + 4].copy_from_slice(&value.to_ne_bytes());
        }
        if cfg!(target_endian = "little") {
            let expected = TcpInfo {
                rtt_us: 1,
                retransmits: 2,
                acknowledged_bytes: 3,
                received_bytes: 4,
                segments_out: 5,
                segments_in: 6,
                unsent_bytes: 7,
                round_trip_min_us: 11,
                busy_us: 8,
                receive_window_limited_us: 9,
                send_buffer_limited_us: 10,
            };
            assert_eq!(TcpInfo::parse(&bytes), Some(expected));
        }
        for end in 0..bytes.len() {
            assert_eq!(TcpInfo::parse(&bytes[..end]), None);
        }
    }
}
