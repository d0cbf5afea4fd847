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
                unsent_bytes: 7,
                round_trip_min_us: 11,
                counters: SocketCounters {
                    retransmits: 2,
                    sent_bytes: 3,
                    received_bytes: 4,
                    segments_out: 5,
                    segments_in: 6,
                    busy_ns: 8_000,
                    receive_window_limited_ns: 9_000,
                    send_buffer_limited_ns: 10_000,
                },
            };
            assert_eq!(TcpInfo::parse(&bytes), Some(expected));
        }
        for end in 0..bytes.len() {
            assert_eq!(TcpInfo::parse(&bytes[..end]), None);
        }
    }
}
