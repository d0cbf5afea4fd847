//! Protocol violations fail the connection at once with the right close code, in both roles.

use std::io::{Read, Write};
use std::net::TcpStream;

use autostrada_proto::frame::{FrameHeader, Opcode};
use autostrada_proto::mask::apply_mask;
use serde_json::json;

use crate::process::{Engine, LIMIT};
use crate::raw_client::{Incoming, RawClient};
use crate::raw_server::{Peer, serve_one};

/// The front of a frame with this payload length.
fn front(key: Option<[u8; 4]>, opcode: Opcode, payload_length: usize, front: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    FrameHeader {
        fin: true,
        rsv: 0,
        opcode,
        masking_key: key,
        payload_length: payload_length as u64,
    }
    .encode(&mut bytes);
    let start = bytes.len();
    bytes.extend_from_slice(front);
    apply_mask(key.unwrap_or_default(), &mut bytes[start..]);
    bytes
}

/// Fronts of a text and of a binary message that fail with the returned codes; the longest message
/// that is taken has `bytes_max` bytes.
fn violations(key: Option<[u8; 4]>, bytes_max: usize) -> [(Vec<u8>, u16); 2] {
    let mut text = vec![b'a'; 1 << 20];
    text.push(0xff);
    [
        (front(key, Opcode::Text, 8 << 20, &text), 1007),
        (front(key, Opcode::Binary, bytes_max + 1, b""), 1009),
    ]
}

#[test]
fn a_violation_by_a_server_is_answered_at_once_with_its_code() {
    for (bytes, code) in violations(None, 64 << 20) {
        let (address, server) = serve_one(move |mut peer| {
            peer.write(&bytes);
            assert_eq!(peer.read_close(), Some(code));
        });
        let result = Engine::load(&json!({
            "format": 2, "url": format!("ws://{address}/"),
            "workload": {"kind": "answer", "phases": {"window_s": 600}},
        }))
        .complete();
        server.join().unwrap();
        assert_eq!(result["failures"][0]["kind"], "protocol", "{result}");
        assert_eq!(result["ended"], "closed");
    }
}

#[test]
fn a_violation_by_a_client_is_answered_at_once_with_its_code() {
    let (_server, address) = Engine::echo();
    for (bytes, code) in violations(Some(*b"mask"), 16 << 20) {
        let mut client = RawClient::open(address, "/echo");
        client.write(&bytes);
        assert_eq!(client.receive(), Incoming::Close(Some(code)));
        assert_eq!(client.receive(), Incoming::End);
    }
}

/// Sends many more bytes after the violation before it reads.
fn continue_sending(mut stream: &TcpStream) {
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    for _ in 0..64 {
        stream.write_all(&[0; 16 * 1024]).unwrap();
    }
}

#[test]
fn a_server_that_continues_sending_can_read_the_close_code() {
    let (address, server) = serve_one(|mut peer: Peer| {
        peer.write(b"\xf1\x00");
        continue_sending(&peer.stream);
        assert_eq!(peer.read_close(), Some(1002));
        assert_eq!(peer.stream.read(&mut [0]).unwrap(), 0, "not a reset");
    });
    let mut engine = Engine::load(&json!({
        "format": 2, "url": format!("ws://{address}/"),
        "workload": {"kind": "receive", "messages": 1},
    }));
    engine.ready();
    assert_eq!(engine.result()["ended"], "violation");
    server.join().unwrap();
    let finished = engine.finish();
    assert_eq!(finished.status, Some(0));
    assert!(finished.stderr.contains("broke the protocol"));
}

#[test]
fn a_client_that_continues_sending_can_read_the_close_code() {
    let (_server, address) = Engine::echo();
    let mut client = RawClient::open(address, "/echo");
    client.write(b"\xf1\x80mask");
    continue_sending(&client.stream);
    assert_eq!(client.receive(), Incoming::Close(Some(1002)));
    assert_eq!(client.receive(), Incoming::End);
}
