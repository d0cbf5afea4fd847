//! `load` over Socket.IO 2 (Engine.IO 3) against scripted servers: opening, heartbeat, attachments.

use autostrada_proto::frame::Opcode;
use serde_json::{Value, json};

use crate::hostile::load;
use crate::process::assert_fields;
use crate::raw_server::{Peer, ignore, serve_one};

/// The protocol of a client in the namespace `/feed`.
fn settings() -> Value {
    json!({"protocol": {"kind": "socket-io", "engine_io_version": 3, "namespace": "/feed"}})
}

/// Opens a session and grants the namespace as socket.io 2 does.
fn open(peer: &mut Peer, ping_interval_ms: u64, ping_timeout_ms: u64) {
    let session = json!({
        "sid": "s", "upgrades": [],
        "pingInterval": ping_interval_ms, "pingTimeout": ping_timeout_ms,
    });
    peer.send(Opcode::Text, format!("0{session}").as_bytes());
    peer.send(Opcode::Text, b"40");
    assert_eq!(peer.read_text(), "40/feed,");
    peer.send(Opcode::Text, b"40/feed,");
}

#[test]
fn the_client_sends_a_ping_after_each_interval() {
    let (address, server) = serve_one(|mut peer| {
        open(&mut peer, 20, 30_000);
        for _ in 0..3 {
            assert_eq!(peer.read_text(), "2");
            peer.send(Opcode::Text, b"3");
        }
        peer.send(Opcode::Text, b"42/feed,[\"message\",\"1\"]");
        ignore(&peer.stream);
    });
    let workload = json!({
        "kind": "receive", "messages": 1, "feed": {"kind": "sequence", "encoding": "json"},
    });
    let result = load(&format!("http://{address}"), &workload, &settings());
    server.join().unwrap();
    assert_eq!(result["sequence"]["in_order"], 1, "{result}");
    assert_fields(&result, &json!({"wrong": 0, "failures": []}));
}

#[test]
fn attachments_begin_with_their_type() {
    let (address, server) = serve_one(|mut peer| {
        open(&mut peer, 25_000, 5_000);
        let event = br#"451-/feed,["message",{"_placeholder":true,"num":0}]"#;
        peer.send(Opcode::Text, event);
        peer.send(Opcode::Binary, &[&[4], &7_u64.to_be_bytes()[..]].concat());
        peer.send(Opcode::Text, event);
        peer.send(Opcode::Binary, &8_u64.to_be_bytes());
        ignore(&peer.stream);
    });
    let workload = json!({
        "kind": "receive", "messages": 2, "feed": {"kind": "sequence", "encoding": "binary"},
    });
    let result = load(&format!("http://{address}"), &workload, &settings());
    server.join().unwrap();
    assert_eq!(result["sequence"]["in_order"], 1, "{result}");
    assert_eq!(result["failures"][0]["kind"], "protocol", "{result}");
}

#[test]
fn the_server_grants_the_default_namespace_without_a_request() {
    let (address, server) = serve_one(|mut peer| {
        let session = r#"0{"sid":"s","upgrades":[],"pingInterval":20,"pingTimeout":30000}"#;
        peer.send(Opcode::Text, session.as_bytes());
        peer.send(Opcode::Text, b"40");
        // No other packet comes before the first ping.
        assert_eq!(peer.read_text(), "2");
        peer.send(Opcode::Text, b"41");
    });
    let workload = json!({"kind": "connect", "phases": {"window_s": 20}});
    let settings = json!({"protocol": {"kind": "socket-io", "engine_io_version": 3}});
    let result = load(&format!("http://{address}"), &workload, &settings);
    server.join().unwrap();
    assert_eq!(result["connections"], 1, "{result}");
    assert_eq!(result["failures"][0]["kind"], "close", "{result}");
}
