//! Tests of `limit.rs`.

use serde_json::json;

use super::super::measurement::tests::measurement;
use super::super::server_sampler::ServerUsage;
use super::*;

#[test]
fn the_server_the_generator_or_nothing_was_the_limit() {
    let mut load = measurement(|_| {});
    assert_eq!(
        limit(&load),
        "not the load generator: its busiest thread used 25.0 % of a core"
    );
    load.server = Some(ServerUsage {
        cpu_utilization: 1.2,
        busiest_thread_share: Some(0.987),
        resident_bytes_max: 1,
    });
    assert_eq!(
        limit(&load),
        "the server's CPU: its busiest thread used 98.7 % of a core"
    );
    load.result
        .sections
        .echo
        .exchange
        .as_mut()
        .unwrap()
        .achieved_share = Some(0.995);
    assert_eq!(limit(&load), "nothing: the load was sustained");
    load.result.utilizations = vec![0.85];
    load.result.generator_limited = Some("its thread was busy".to_owned());
    assert_eq!(
        limit(&load),
        "the load generator: its thread was busy; the server may do more"
    );
}

#[test]
fn a_load_generator_with_time_left_is_no_limit() {
    let late = |share: f64| {
        limit(&measurement(|line| {
            line["exchange"]["achieved_share"] = json!(share);
            line["generator_limited"] = json!("p99 send delay 3.68 ms");
        }))
    };
    let expected = "unknown: p99 send delay 3.68 ms, though the load generator used only 25.0 % of a core: \
                    other programs delayed it; repeat the load";
    assert_eq!(late(0.9), expected);
    let expected = "nothing: the load was sustained, but other programs delayed the load generator: \
                    p99 send delay 3.68 ms";
    assert_eq!(late(0.995), expected);
}

#[test]
fn a_server_that_refuses_connections_is_the_limit() {
    let full = measurement(|line| {
        line["generator_limited"] = json!("p99 send delay 3.68 ms");
        line["failures"] = json!([
            {"kind": "handshake", "count": 1, "example": "server answered 503 Service Unavailable"}
        ]);
    });
    assert_eq!(
        limit(&full),
        "the server: it took 2 connections, and refused more"
    );
    let broken = measurement(|line| {
        line["generator_limited"] = json!("p99 send delay 3.68 ms");
        line["failures"] = json!([
            {"kind": "handshake", "count": 71, "example": "server answered 500"}
        ]);
    });
    assert_eq!(
        limit(&broken),
        "the server, or what is before it: 2 connections opened, and 71 failed to"
    );
}

#[test]
fn a_closed_loop_obeys_littles_law_if_all_connections_are_served() {
    let load = measurement(|line| {
        line["exchange"]["response_time_ns"] = json!([[1_048_576, 50_000]]);
    });
    let of = |all| in_flight(load.exchange().unwrap(), all, 10.0).unwrap();
    assert_eq!(of(5.3), "99.0 % of 5 messages, by Little's law");
    assert_eq!(
        of(10.0),
        "52.5 % of 10 messages, by Little's law; the rest waited"
    );
}
