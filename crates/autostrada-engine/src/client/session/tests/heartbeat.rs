//! Tests of `heartbeat.rs`.

use super::*;

const S: Nanos = 1_000_000_000;

fn heartbeat(interval_ms: u64, limit_ms: u64) -> Heartbeat {
    let json = format!(
        r#"{{"sid":"s","upgrades":[],"pingInterval":{interval_ms},"pingTimeout":{limit_ms}}}"#
    );
    Heartbeat::new(&Session::decode(json.as_bytes()).unwrap(), 100 * S)
}

#[test]
fn a_ping_follows_each_pong_after_an_interval() {
    let mut heartbeat = heartbeat(25_000, 5_000);
    assert_eq!(heartbeat.due(), 125 * S);
    assert_eq!(heartbeat.advance(125 * S - 1), Beat::None);
    assert_eq!(heartbeat.advance(125 * S), Beat::Ping);
    assert_eq!(heartbeat.advance(126 * S), Beat::None);
    heartbeat.note_packet(127 * S);
    heartbeat.note_pong(127 * S);
    assert_eq!(heartbeat.due(), 152 * S);
    assert_eq!(heartbeat.advance(152 * S), Beat::Ping);
}

#[test]
fn a_ping_without_any_packet_in_time_is_a_failure() {
    let mut heartbeat = heartbeat(25_000, 5_000);
    assert_eq!(heartbeat.advance(125 * S), Beat::Ping);
    assert_eq!(heartbeat.due(), 130 * S);
    assert_eq!(heartbeat.advance(130 * S - 1), Beat::None);
    assert_eq!(heartbeat.advance(130 * S), Beat::Failed);
}

#[test]
fn any_packet_shows_that_the_server_is_alive() {
    let mut heartbeat = heartbeat(25_000, 5_000);
    assert_eq!(heartbeat.advance(125 * S), Beat::Ping);
    heartbeat.note_packet(129 * S);
    assert_eq!(heartbeat.advance(158 * S), Beat::None);
    assert_eq!(heartbeat.due(), 159 * S);
    assert_eq!(heartbeat.advance(159 * S), Beat::Failed);
}

#[test]
fn a_pong_is_noticed_within_an_interval_although_the_limit_is_longer() {
    let mut heartbeat = heartbeat(1_000, 30_000);
    assert_eq!(heartbeat.advance(101 * S), Beat::Ping);
    assert_eq!(heartbeat.due(), 102 * S);
    assert_eq!(heartbeat.advance(102 * S), Beat::None);
    assert_eq!(heartbeat.due(), 103 * S);
    heartbeat.note_pong(102 * S + 1);
    assert_eq!(heartbeat.due(), 103 * S + 1);
    assert_eq!(heartbeat.advance(103 * S + 1), Beat::Ping);
}

#[test]
fn the_longest_times_do_not_overflow() {
    let mut heartbeat = heartbeat(u64::MAX, u64::MAX);
    assert_eq!(heartbeat.due(), Nanos::MAX);
    assert_eq!(heartbeat.advance(200 * S), Beat::None);
}
