//! `load` against scripted servers.

use std::net::SocketAddr;

use autostrada_proto::frame::Opcode;
use serde_json::{Value, json};

use crate::process::{Engine, Finished, assert_contains, assert_fields};
use crate::raw_server::{Peer, accept_one, fragment, frame, serve_one};

/// The result of a load that expects `messages` messages, each with `payload`.
fn load_from(
    messages: u64,
    payload: Option<&str>,
    script: impl FnOnce(Peer) + Send + 'static,
) -> (Value, Finished) {
    let (address, server) = serve_one(script);
    let mut workload = json!({"kind": "receive", "messages": messages});
    if let Some(text) = payload {
        workload["payload"] = json!({"text": text});
    }
    let url = format!("ws://{address}/{messages}");
    let mut engine =
        Engine::load(&json!({"format": 2, "url": url, "workload": workload, "limit_s": 20}));
    assert_eq!(engine.ready(), address);
    let result = engine.result();
    server.join().unwrap();
    (result, engine.finish())
}

fn close_properly(mut peer: Peer) {
    assert_eq!(peer.read_close(), Some(1000));
    peer.close_with(1000);
}

fn assert_counted(result: &Value, messages: u64, bytes: u64) {
    assert_eq!(result["messages"], messages, "{result}");
    assert_eq!(result["bytes"], bytes, "{result}");
    assert_eq!(result["connections"], 1);
}

#[test]
fn received_messages_are_counted_and_the_close_code_is_1000() {
    let (result, finished) = load_from(3, Some("hello"), |mut peer| {
        peer.write(&frame(Opcode::Text, b"hello").repeat(3));
        close_properly(peer);
    });
    assert_counted(&result, 3, 15);
    assert_fields(&result, &json!({"wrong": 0, "ended": "complete"}));
    assert!(result["opened_ns"].as_u64() <= result["received_ns"].as_u64());
    assert_eq!(finished.status, Some(0));
    assert_eq!(finished.stderr, "");
    assert!(finished.lines.is_empty());
}

#[test]
fn messages_after_the_last_expected_one_are_not_counted() {
    let (result, _) = load_from(3, Some("hello"), |mut peer| {
        peer.write(&frame(Opcode::Text, b"hello").repeat(1_000));
        close_properly(peer);
    });
    assert_counted(&result, 3, 15);
    assert_eq!(result["ended"], "complete");
}

#[test]
fn frames_are_decoded_at_every_split() {
    let (result, _) = load_from(4, Some("hello"), |mut peer| {
        peer.write_bytewise(&frame(Opcode::Text, b"hello").repeat(4));
        close_properly(peer);
    });
    assert_counted(&result, 4, 20);
    assert_eq!(result["wrong"], 0);
}

#[test]
fn a_fragmented_message_with_a_ping_inside_is_one_message() {
    let (result, _) = load_from(2, Some("hello"), |mut peer| {
        peer.write(&fragment(Opcode::Text, b"he", false));
        peer.write(&frame(Opcode::Ping, b"there?"));
        assert_eq!(peer.read_pong(), b"there?");
        peer.write(&fragment(Opcode::Continuation, b"l", false));
        peer.write(&fragment(Opcode::Continuation, b"lo", true));
        peer.write(&frame(Opcode::Text, b"hello"));
        close_properly(peer);
    });
    assert_counted(&result, 2, 10);
    assert_eq!(result["wrong"], 0);
}

#[test]
fn messages_of_every_length_encoding_are_counted() {
    let lengths = [0, 1, 125, 126, 65_535, 65_536, 1_000_000];
    let (result, _) = load_from(7, None, move |mut peer| {
        for length in lengths {
            peer.send(Opcode::Binary, &vec![7; length]);
        }
        close_properly(peer);
    });
    assert_counted(&result, 7, lengths.iter().sum::<usize>() as u64);
    assert_eq!(result["wrong"], 0);
}

#[test]
fn a_mismatch_is_reported_with_its_first_example() {
    let (result, finished) = load_from(4, Some("hello"), |mut peer| {
        peer.write(&frame(Opcode::Text, b"hello"));
        peer.write(&frame(Opcode::Text, b"hellO"));
        peer.write(&frame(Opcode::Binary, b"hello"));
        peer.write(&frame(Opcode::Text, b"hello"));
        close_properly(peer);
    });
    assert_counted(&result, 4, 20);
    assert_eq!(result["wrong"], 2);
    assert_eq!(finished.status, Some(0));
    assert!(finished.stderr.is_empty(), "{}", finished.stderr);
    let failure = &result["failures"][0];
    assert_fields(failure, &json!({"kind": "mismatch", "count": 2}));
    assert_eq!(failure["example"], "text of 5 bytes, \"hellO\"");
}

#[test]
fn a_server_that_closes_early_is_answered_with_its_code() {
    let (result, finished) = load_from(5, Some("hello"), |mut peer| {
        peer.write(&frame(Opcode::Text, b"hello").repeat(3));
        peer.close_with(1001);
        assert_eq!(peer.read_close(), Some(1001));
    });
    assert_counted(&result, 3, 15);
    assert_eq!(result["ended"], "closed");
    assert_eq!(finished.status, Some(0));
}

#[test]
fn a_server_that_ends_the_stream_has_closed() {
    let (result, finished) = load_from(5, Some("hello"), |mut peer| {
        peer.write(&frame(Opcode::Text, b"hello").repeat(3));
    });
    assert_counted(&result, 3, 15);
    assert_eq!(result["ended"], "closed");
    assert_eq!(finished.status, Some(0));
}

#[test]
fn a_reset_is_distinguished_from_a_close() {
    let (result, finished) = load_from(5, Some("hello"), |mut peer| {
        peer.write(&frame(Opcode::Text, b"hello").repeat(3));
        peer.write(&frame(Opcode::Ping, b""));
        // Closing a socket with an unread pong resets the connection.
        assert_eq!(peer.stream.peek(&mut [0]).unwrap(), 1);
    });
    assert_counted(&result, 3, 15);
    assert_eq!(result["ended"], "reset");
    assert_eq!(finished.status, Some(0));
    assert_contains(&finished.stderr, &["connection broke"]);
}

#[test]
fn a_violation_is_answered_with_its_close_code() {
    let (result, finished) = load_from(5, Some("hello"), |mut peer| {
        peer.write(&frame(Opcode::Text, b"hello").repeat(3));
        peer.write(b"\xf1\x00");
        assert_eq!(peer.read_close(), Some(1002));
    });
    assert_counted(&result, 3, 15);
    assert_eq!(result["ended"], "violation");
    assert_eq!(finished.status, Some(0));
    assert_contains(&finished.stderr, &["broke the protocol"]);
}

/// The plan of a load that waits for messages for a second.
fn limited(address: SocketAddr) -> Value {
    json!({
        "format": 2, "url": format!("ws://{address}/5"), "limit_s": 1,
        "workload": {"kind": "receive", "messages": 5},
    })
}

#[test]
fn a_silent_server_is_a_timeout() {
    let (address, server) = serve_one(|mut peer| {
        peer.write(&frame(Opcode::Text, b"hello").repeat(3));
        std::io::copy(&mut peer.stream, &mut std::io::sink()).unwrap();
    });
    let result = Engine::load(&limited(address)).complete();
    assert_counted(&result, 3, 15);
    assert_eq!(result["ended"], "timeout");
    server.join().unwrap();
}

#[test]
fn a_server_that_never_answers_the_handshake_is_a_timeout() {
    let (address, server) = accept_one(|mut stream| {
        std::io::copy(&mut stream, &mut std::io::sink()).unwrap();
    });
    let result = Engine::load(&limited(address)).complete();
    assert_fields(&result, &json!({"connections": 0, "ended": "timeout"}));
    server.join().unwrap();
}

/// The failures of a load without connections; one line on stderr reports the reason.
fn failures_of(address: SocketAddr) -> Value {
    let mut engine = Engine::load(&json!({
        "format": 2, "url": format!("ws://{address}/5"),
        "workload": {"kind": "receive", "messages": 5},
    }));
    assert_eq!(engine.ready(), address);
    let result = engine.result();
    assert_fields(&result, &json!({"connections": 0, "ended": "reset"}));
    let finished = engine.finish();
    assert_eq!(finished.status, Some(0));
    let example = result["failures"][0]["example"].as_str().unwrap();
    assert_eq!(
        finished.stderr,
        format!("autostrada-engine: cannot connect: {example}\n")
    );
    result["failures"].clone()
}

#[test]
fn a_refused_connection_is_a_failure() {
    let (address, server) = accept_one(drop);
    drop(std::net::TcpStream::connect(address).unwrap());
    server.join().unwrap();
    let failures = failures_of(address);
    assert_eq!(failures[0]["kind"], "connect");
    assert_eq!(failures[0]["count"], 1);
}

#[test]
fn a_refused_handshake_is_a_failure_with_the_status() {
    let (address, server) = accept_one(|mut stream| {
        use std::io::{Read, Write};
        assert_ne!(stream.read(&mut [0; 4096]).unwrap(), 0);
        stream
            .write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 8\r\n\r\nno room\n")
            .unwrap();
    });
    let failures = failures_of(address);
    assert_eq!(failures[0]["kind"], "handshake");
    assert_eq!(
        failures[0]["example"],
        "server answered 404 Not Found: \"no room\""
    );
    server.join().unwrap();
}

#[test]
fn a_connection_that_ends_in_the_handshake_is_a_failure() {
    let (address, server) = accept_one(|mut stream| {
        use std::io::Read;
        assert_ne!(stream.read(&mut [0; 4096]).unwrap(), 0);
    });
    let failures = failures_of(address);
    assert_eq!(failures[0]["kind"], "handshake");
    assert_eq!(failures[0]["example"], "ended during the opening handshake");
    server.join().unwrap();
}
