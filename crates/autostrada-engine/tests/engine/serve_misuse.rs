//! `serve` with clients that violate the protocol: each affects only its own connection.

use std::io::Write;
use std::net::SocketAddr;

use autostrada_proto::frame::{Opcode, encode_frame};
use serde_json::{Value, json};

use crate::process::{Engine, assert_fields, push};
use crate::raw_client::{Incoming, RawClient};

fn serve() -> (Engine, SocketAddr) {
    Engine::serve(&push(&json!({"connections": 1})))
}

/// Asserts that the server still waits for, and serves, its one connection.
fn assert_still_serving(mut server: Engine, address: SocketAddr) {
    let mut client = RawClient::open(address, "/10");
    client.close(1000);
    assert_eq!(client.read_messages().texts, 10);
    assert_eq!(client.read_to_end(), b"");
    drop(client);
    assert_eq!(server.result()["messages"], 10);
    assert_eq!(server.finish().status, Some(0));
}

#[test]
fn a_server_without_descriptors_continues_when_clients_have_left() {
    let mut server = Engine::start_with_limit("-n 24", "serve --listen 127.0.0.1:0");
    let address = server.ready();
    let crowd: Vec<_> = (0..40)
        .map(|_| RawClient::request(address, "/echo"))
        .collect();
    drop(crowd);
    let mut client = RawClient::open(address, "/10");
    client.close(1000);
    assert_eq!(client.read_messages().texts, 10);
    assert_eq!(server.result()["messages"], 10);
}

#[test]
fn an_incomplete_handshake_does_not_affect_others() {
    let (server, address) = serve();
    let mut incomplete = RawClient::connect(address);
    incomplete.write(b"GET /10 HTTP/1.1\r\nHost: ");
    let mut ended = RawClient::connect(address);
    ended.write(b"GET /10 HTTP/1.1\r\n");
    drop(ended);
    assert_still_serving(server, address);
}

/// The result and log of a client that requests more than fits into its socket.
fn result_of(misuse: impl FnOnce(RawClient)) -> (Value, String) {
    let (mut server, address) = serve();
    misuse(RawClient::open(address, "/100000000"));
    let result = server.result();
    let finished = server.finish();
    assert_eq!(finished.status, Some(0), "{}", finished.stderr);
    (result, finished.stderr)
}

#[test]
fn a_client_that_closes_early_is_answered_after_a_complete_message() {
    let (result, _) = result_of(|mut client| {
        client.close(1001);
        let received = client.read_messages();
        assert_eq!(received.close_code, Some(1001));
        assert_eq!(received.bytes, received.texts * 11);
        assert_eq!(client.read_to_end(), b"");
    });
    assert_fields(&result, &json!({"ended": "closed", "close_code": 1001}));
    assert!(result["messages"].as_u64() < Some(100_000_000));
}

#[test]
fn a_client_that_ends_its_stream_has_closed() {
    let (result, _) = result_of(|mut client| {
        client.stream.shutdown(std::net::Shutdown::Write).unwrap();
        assert_ne!(client.read_to_end(), b"");
    });
    assert_fields(&result, &json!({"ended": "closed", "close_code": null}));
}

#[test]
fn a_reset_is_distinguished_from_a_close() {
    // Closing a socket with unread messages resets the connection.
    let (result, stderr) = result_of(|client| {
        assert_eq!(client.stream.peek(&mut [0]).unwrap(), 1);
    });
    assert_eq!(result["ended"], "reset");
    assert!(stderr.contains("connection broke"), "{stderr}");
}

#[test]
fn a_violation_is_answered_with_its_close_code() {
    let (result, stderr) = result_of(|mut client| {
        // A client must mask its frames.
        client.write(b"\x81\x02hi");
        assert_eq!(client.read_messages().close_code, Some(1002));
        assert_eq!(client.read_to_end(), b"");
    });
    assert_fields(&result, &json!({"ended": "violation", "close_code": null}));
    assert!(stderr.contains("broke the protocol"), "{stderr}");
}

#[test]
fn a_client_that_does_not_read_is_not_read_from() {
    const MESSAGE_BYTES: usize = 1 << 20;
    let (_server, address) = serve();
    let mut client = RawClient::open(address, "/echo");
    let mut sender = client.stream.try_clone().unwrap();
    let (sent, progress) = std::sync::mpsc::channel();
    let writer = std::thread::spawn(move || {
        let mut frame = Vec::new();
        let payload = vec![7; MESSAGE_BYTES];
        encode_frame(Opcode::Binary, Some([0; 4]), &payload, &mut frame);
        for number in 0..40 {
            sender.write_all(&frame).unwrap();
            sent.send(number).unwrap();
        }
    });
    // The server's queue is full; the remaining bytes wait in the sockets.
    while progress.recv().unwrap() < 17 {}
    for _ in 0..40 {
        match client.receive() {
            Incoming::Binary(payload) => assert_eq!(payload.len(), MESSAGE_BYTES),
            other => panic!("{other:?}"),
        }
    }
    writer.join().unwrap();
}
