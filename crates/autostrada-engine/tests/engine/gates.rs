//! Conditions of a load that the server does not survive, or does not answer.

use std::net::TcpListener;

use autostrada_proto::frame::Opcode;
use serde_json::{Value, json};

use crate::process::{Engine, Finished, words};
use crate::raw_server::{Peer, accept_all, ignore};

/// A server that sends each message back, and ends with status 1 after 100 messages.
const CRASHES: &str = r#"
import base64, hashlib, os, selectors, socket, sys
server, open = socket.create_server(("127.0.0.1", int(sys.argv[1]))), selectors.DefaultSelector()
open.register(server, selectors.EVENT_READ)
echoed = 0
while True:
    for key, _ in open.select():
        peer = key.fileobj
        if peer is server:
            peer, _ = server.accept()
            head = peer.recv(65536).decode()
            key = head.partition("Sec-WebSocket-Key: ")[2].partition("\r\n")[0]
            accept = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
            answer = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            answer += "Sec-WebSocket-Accept: " + base64.b64encode(accept).decode() + "\r\n\r\n"
            peer.sendall(answer.encode())
            open.register(peer, selectors.EVENT_READ)
            continue
        frames = peer.recv(65536)
        while frames:
            length, mask = frames[1] & 127, frames[2:6]
            payload = bytes(byte ^ mask[i % 4] for i, byte in enumerate(frames[6 : 6 + length]))
            peer.sendall(bytes([129, length]) + payload)
            frames = frames[6 + length :]
            echoed += 1
            if echoed == 100:
                os._exit(1)
"#;

/// Loads the server that ends; returns what was reported, and the status.
fn crashed(options: &[&str]) -> (Value, Finished) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    drop(listener);
    let url = format!("ws://127.0.0.1:{port}/");
    let command = format!("exec python3 -c '{CRASHES}' {port}");
    let load = ["load", &url, "-c", "3", "-d", "2s", "--warm-up", "0s"];
    let watch = ["--watch-command", &command, "--json", "-"];
    let finished = Engine::start(&[&load[..], &watch, options].concat()).finish();
    (finished.lines[0].clone(), finished)
}

#[test]
fn a_server_that_dies_passes_no_condition() {
    let gates = [
        "-r",
        "100/s",
        "--fail-if",
        "p99 > 60s",
        "--fail-if",
        "errors > 50%",
    ];
    let (report, finished) = crashed(&gates);
    assert_eq!(finished.status, Some(99), "{}", finished.stderr);
    let incomplete = report["incomplete"].as_str().unwrap();
    assert!(
        incomplete.starts_with("all 3 connections were lost after "),
        "{incomplete}"
    );
    assert!(
        incomplete.ends_with("; the watched process ended with status 1"),
        "{incomplete}"
    );
    let failure = report["conditions"][0]["failure"].as_str().unwrap();
    assert!(
        failure.starts_with("p99 > 60s: not the whole load was measured"),
        "{failure}"
    );
    // Of 200 messages that were due, 100 were answered.
    let errors = report["metrics"].as_array().unwrap().iter();
    let errors = errors
        .clone()
        .find(|metric| metric["name"] == "errors")
        .unwrap();
    assert!(errors["value"].as_f64() > Some(0.1), "{errors}");
}

#[test]
fn a_server_that_dies_is_an_error_without_conditions() {
    for rate in [&["-r", "100/s"][..], &[]] {
        let (_, finished) = crashed(rate);
        assert_eq!(finished.status, Some(1), "{}", finished.stderr);
        assert!(
            finished
                .stderr
                .contains("all 3 connections were lost after "),
            "{}",
            finished.stderr
        );
    }
}

#[test]
fn a_server_that_only_sends_is_measured() {
    let sends = |_, stream| {
        let mut server = Peer::handshake(stream);
        server.send(Opcode::Text, b"hello");
        ignore(&server.stream);
    };
    let url = format!("ws://{}/", accept_all(sends));
    let load = format!("load {url} -c 1 -d 200ms --receive --json -");
    let finished = Engine::start(&words(&load)).finish();
    assert_eq!(finished.status, Some(0), "{}", finished.stderr);
    assert_eq!(finished.lines[0]["nothing_measured"], json!(null));
}
