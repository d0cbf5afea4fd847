//! `load` against hostile servers: each fails only its own connection, once.

use std::io::Write;
use std::net::{SocketAddr, TcpStream};

use autostrada_proto::frame::Opcode;
use serde_json::{Value, json};

use crate::process::{Engine, assert_fields, with};
use crate::raw_server::{Peer, accept_all, flood, frame, ignore, read_head};

/// Limit of the engine's memory; an allocation beyond it aborts the engine.
const MEMORY_KILOBYTES: u32 = 500_000;

/// Runs a load with limited memory; `settings` are added to the plan.
pub fn load(url: &str, workload: &Value, settings: &Value) -> Value {
    let limit = format!("-v {MEMORY_KILOBYTES}");
    let mut client = Engine::start_with_limit(&limit, "load --plan -");
    let plan = json!({"format": 2, "url": url, "workload": workload});
    client.send(&with(plan, settings));
    client.complete()
}

/// The result of two idle connections to a server that is hostile only to the first.
fn idle(harm: impl Fn(Peer) + Send + Sync + 'static, settings: &Value, window_s: f64) -> Value {
    let address = accept_all(move |number, stream| {
        let mut peer = Peer::handshake(stream);
        if number == 0 {
            return harm(peer);
        }
        peer.write(&[]);
        ignore(&peer.stream);
    });
    let workload = json!({"kind": "connect", "phases": {"window_s": window_s}});
    let mut settings = settings.clone();
    settings["connections"] = json!(2);
    load(&format!("ws://{address}/"), &workload, &settings)
}

fn assert_failed_once(result: &Value, kind: &str, word: &str) {
    let failures = result["failures"].as_array().unwrap();
    assert_eq!(failures.len(), 1, "{result}");
    assert_eq!(failures[0]["kind"], kind, "{result}");
    assert_eq!(failures[0]["count"], 1, "{result}");
    let example = failures[0]["example"].as_str().unwrap();
    assert!(example.contains(word), "{example}");
    let ended = if result["connections"] == 1 {
        "closed"
    } else {
        "complete"
    };
    assert_eq!(result["ended"], ended, "{result}");
}

#[test]
fn invalid_frames_fail_only_their_connection() {
    let garbage: Vec<_> = (0..=255).cycle().skip(0xf7).take(5_000).collect();
    let result = idle(
        move |mut peer| {
            peer.write(&garbage);
            ignore(&peer.stream);
        },
        &json!({}),
        0.2,
    );
    assert_eq!(result["connections"], 2);
    assert_failed_once(&result, "protocol", "");
}

#[test]
fn a_server_that_pings_endlessly_without_reading_is_disconnected() {
    let pings = frame(Opcode::Ping, &[7; 125]).repeat(1_000);
    let result = idle(
        move |mut peer| {
            peer.write(&[]);
            flood(&peer.stream, &pings);
        },
        &json!({}),
        3.0,
    );
    assert_failed_once(&result, "write", "answers");
}

#[test]
fn a_server_that_echoes_endlessly_without_reading_is_disconnected() {
    let message = [b'x'; 1000];
    let echoes = frame(Opcode::Text, &message).repeat(1_000);
    let address = accept_all(move |_, stream| {
        let mut peer = Peer::handshake(stream);
        peer.write(&[]);
        peer.stream.peek(&mut [0]).unwrap();
        flood(&peer.stream, &echoes);
    });
    let text = std::str::from_utf8(&message).unwrap();
    let workload = json!({
        "kind": "echo", "payload": {"text": text}, "phases": {"window_s": 3, "drain_s": 0.1},
    });
    let result = load(&format!("ws://{address}/"), &workload, &json!({}));
    assert_failed_once(&result, "write", "answers");
}

/// The failure of one connection whose opening fails.
fn opening_failure(url: &str, address: SocketAddr, settings: &Value) -> Value {
    let workload = json!({
        "kind": "connect", "phases": {"window_s": 0.1, "opening_s": 0.4},
    });
    let url = url.replace("ADDRESS", &address.to_string());
    let result = load(&url, &workload, settings);
    assert_eq!(result["connections"], 0, "{result}");
    let failures = result["failures"].as_array().unwrap();
    assert_eq!((failures.len(), &failures[0]["count"]), (1, &json!(1)));
    failures[0].clone()
}

fn saying(bytes: &[u8]) -> SocketAddr {
    let bytes = bytes.to_vec();
    accept_all(move |_, mut stream| {
        read_head(&stream);
        stream.write_all(&bytes).unwrap();
        ignore(&stream);
    })
}

#[test]
fn an_invalid_response_is_a_failed_handshake() {
    for (bytes, kind) in [
        (&b"\x00\xff garbage \r\n\r\n"[..], "handshake"),
        (b"HTTP/1.1 101 Switching Protocols\r\n\r\n", "handshake"),
        (b"HTTP/1.1 101 Switching", "timeout"),
        (b"", "timeout"),
    ] {
        let failure = opening_failure("ws://ADDRESS/", saying(bytes), &json!({}));
        assert_eq!(failure["kind"], kind, "{failure}");
    }
}

#[test]
fn an_invalid_length_of_framed_tcp_is_a_violation() {
    let address = accept_all(|_, mut stream| {
        stream.write_all(b"\xff\xff\xff\xffxxxx").unwrap();
        ignore(&stream);
    });
    let workload = json!({"kind": "receive", "messages": 1});
    let settings = json!({"protocol": {"kind": "framed-tcp"}});
    let result = load(&format!("tcp://{address}/"), &workload, &settings);
    assert_eq!(result["ended"], "violation", "{result}");
}

#[test]
fn a_long_message_is_received_and_so_is_the_next() {
    let address = accept_all(|_, mut stream| {
        for length in [3_u32, 5_000_000, 0, 262_140, 262_141, 262_145, 1] {
            stream.write_all(&length.to_be_bytes()).unwrap();
            let message = vec![7; usize::try_from(length).unwrap()];
            stream.write_all(&message).unwrap();
        }
        ignore(&stream);
    });
    let workload = json!({"kind": "receive", "messages": 7});
    let settings = json!({"protocol": {"kind": "framed-tcp"}});
    let result = load(&format!("tcp://{address}/"), &workload, &settings);
    assert_fields(&result, &json!({"ended": "complete", "messages": 7}));
    assert_eq!(
        result["bytes"],
        3 + 5_000_000 + 262_140 + 262_141 + 262_145 + 1
    );
}

#[test]
fn a_reset_in_each_phase_is_one_failure() {
    fn reset(stream: &TcpStream) {
        // Closing a socket with unread bytes resets the connection.
        stream.peek(&mut [0]).unwrap();
    }
    let at_once = accept_all(|_, stream| reset(&stream));
    let failure = opening_failure("ws://ADDRESS/", at_once, &json!({}));
    assert_eq!(failure["kind"], "read", "{failure}");
    let result = idle(
        |mut peer| {
            peer.write(&frame(Opcode::Ping, b""));
            reset(&peer.stream);
        },
        &json!({}),
        0.3,
    );
    assert_failed_once(&result, "read", "reset");
}

#[test]
fn an_invalid_tls_handshake_is_a_tls_failure_and_silence_is_a_timeout() {
    let settings = json!({"tls": {"insecure": true}});
    for (bytes, kind) in [
        (&b"HTTP/1.1 400 Bad\r\n\r\n"[..], "tls"),
        (b"\x16\x03", "timeout"),
    ] {
        let address = accept_all(move |_, mut stream| {
            stream.write_all(bytes).unwrap();
            ignore(&stream);
        });
        let failure = opening_failure("wss://ADDRESS/", address, &settings);
        assert_eq!(failure["kind"], kind, "{failure}");
    }
    let ended = accept_all(|_, stream| drop(stream));
    let failure = opening_failure("wss://ADDRESS/", ended, &settings);
    assert_eq!(failure["kind"], "tls", "{failure}");
}
