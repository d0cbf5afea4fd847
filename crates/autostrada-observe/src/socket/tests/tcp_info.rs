//! Tests of `tcp_info.rs`.

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
