//! `load` against scripted servers.

use std::net::SocketAddr;

use autostrada_proto::frame::Opcode;
use serde_json::{Value, json};

use crate::process::{Engine, Finished, assert_contains, assert_fields};
use crate::raw_server::{Peer, accept_one, frame, serve_one};

/// The result of a load that expects `messages` messages, each of which is `hello`.
fn load_from(messages: u64, script: impl FnOnce(Peer) + Send + 'static) -> (Value, Finished) {
    let (address, server) = serve_one(script);
    let mut engine = Engine::load(&json!({
        "format": 2, "url": format!("ws://{address}/{messages}"), "limit_s": 20, "workload": {
            "kind": "receive", "messages": messages, "payload": {"text": "hello"},
        },
    }));
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
    let (result, finished) = load_from(3, |mut peer| {
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
fn a_server_that_closes_early_is_answered_with_its_code() {
    let (result, finished) = load_from(5, |mut peer| {
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
    let (result, finished) = load_from(5, |mut peer| {
        peer.write(&frame(Opcode::Text, b"hello").repeat(3));
    });
    assert_counted(&result, 3, 15);
    assert_eq!(result["ended"], "closed");
    assert_eq!(finished.status, Some(0));
}

#[test]
fn a_reset_is_distinguished_from_a_close() {
    let (result, finished) = load_from(5, |mut peer| {
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
