//! Protocol violations fail the connection at once with the right close code, in both roles.
//!
//! Each case ends with the first invalid byte: the violation must be found without further input.

use std::io::{Read, Write};
use std::net::TcpStream;

use autostrada_proto::frame::{FrameHeader, Opcode};
use autostrada_proto::mask::apply_mask;
use serde_json::json;

use crate::process::{Engine, LIMIT};
use crate::raw_client::{Incoming, RawClient};
use crate::raw_server::{Peer, serve_one};

/// Name of a violation, its bytes, and the close code.
type Violation = (&'static str, Vec<u8>, u16);

/// Frames of one role.
#[derive(Clone, Copy)]
struct Frames {
    key: Option<[u8; 4]>,
}

/// Frames of a server and of a client.
const OF_A_SERVER: Frames = Frames { key: None };
const OF_A_CLIENT: Frames = Frames {
    key: Some(*b"mask"),
};

impl Frames {
    fn whole(self, opcode: Opcode, payload: &[u8]) -> Vec<u8> {
        self.part(true, opcode, payload.len(), payload)
    }

    fn fragment(self, opcode: Opcode, payload: &[u8]) -> Vec<u8> {
        self.part(false, opcode, payload.len(), payload)
    }

    /// The front of a frame with this payload length.
    fn part(self, fin: bool, opcode: Opcode, payload_length: usize, front: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        FrameHeader {
            fin,
            rsv: 0,
            opcode,
            masking_key: self.key,
            payload_length: payload_length as u64,
        }
        .encode(&mut bytes);
        let start = bytes.len();
        bytes.extend_from_slice(front);
        apply_mask(self.key.unwrap_or_default(), &mut bytes[start..]);
        bytes
    }

    /// A frame with any first byte and length byte, which an encoder would not write.
    fn raw(self, first: u8, length: u8, payload: &[u8]) -> Vec<u8> {
        let Some(key) = self.key else {
            return [&[first, length], payload].concat();
        };
        let mut payload = payload.to_vec();
        apply_mask(key, &mut payload);
        [&[first, length | 0x80], &key[..], &payload].concat()
    }

    fn close(self, code: u16, reason: &[u8]) -> Vec<u8> {
        let payload = [&code.to_be_bytes(), reason].concat();
        self.whole(Opcode::Close, &payload)
    }

    /// All violations.
    fn violations(self, other: Self, bytes_max: usize) -> Vec<Violation> {
        let mut violations = self.wrong_texts().to_vec();
        violations.extend(self.wrong_frames(other));
        let begun = self.fragment(Opcode::Binary, b"ab");
        let too_long = self.part(true, Opcode::Continuation, bytes_max - 1, b"");
        violations.extend([
            (
                "a message longer than what is taken",
                self.part(true, Opcode::Binary, bytes_max + 1, b""),
                1009,
            ),
            (
                "fragments too long together",
                [begun, too_long].concat(),
                1009,
            ),
        ]);
        violations
    }

    fn wrong_texts(self) -> [Violation; 6] {
        let text = |front: &[u8]| self.part(true, Opcode::Text, 100, front);
        let going_on = |length, front: &[u8]| {
            let begun = self.fragment(Opcode::Text, b"a\xe2");
            let next = self.part(true, Opcode::Continuation, length, front);
            [begun, next].concat()
        };
        [
            ("a byte that is in no text", text(b"ab\xff"), 1007),
            ("a character cut short", text(b"\xce\xba\xe2\x82a"), 1007),
            ("a surrogate", text(b"\xed\xa0"), 1007),
            (
                "a character cut short by a fragment",
                going_on(50, b"\x28"),
                1007,
            ),
            ("an end within a character", going_on(0, b""), 1007),
            ("a reason that is no text", self.close(1000, b"a\xff"), 1007),
        ]
    }

    fn wrong_frames(self, other: Self) -> Vec<Violation> {
        let begun = self.fragment(Opcode::Text, b"a");
        let inside = [begun, self.whole(Opcode::Text, b"")].concat();
        let mut violations = vec![
            (
                "a text masked as ours",
                other.whole(Opcode::Text, b"hi"),
                1002,
            ),
            (
                "a ping masked as ours",
                other.whole(Opcode::Ping, b""),
                1002,
            ),
            ("a message inside a message", inside, 1002),
            (
                "a continuation of nothing",
                self.whole(Opcode::Continuation, b""),
                1002,
            ),
            ("a long ping", self.raw(0x89, 126, b""), 1002),
            ("a very long pong", self.raw(0x8a, 127, b""), 1002),
            ("a long closing frame", self.raw(0x88, 126, b""), 1002),
            ("a ping in fragments", self.raw(0x09, 0, b""), 1002),
            (
                "a closing frame in fragments",
                self.raw(0x08, 2, b"\x03\xe8"),
                1002,
            ),
            ("half a close code", self.raw(0x88, 1, b"\x03"), 1002),
        ];
        for bits in [0x40, 0x20, 0x10, 0x70] {
            violations.push(("a reserved bit", self.raw(0x81 | bits, 2, b"hi"), 1002));
            violations.push((
                "a reserved bit of a ping",
                self.raw(0x89 | bits, 0, b""),
                1002,
            ));
        }
        for opcode in (3..8).chain(11..16) {
            violations.push(("a reserved opcode", self.raw(0x80 | opcode, 0, b""), 1002));
        }
        for code in [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65_535] {
            violations.push(("a code that may not be sent", self.close(code, b""), 1002));
        }
        violations
    }
}

#[test]
fn a_violation_by_a_server_is_answered_at_once_with_its_code() {
    for (violation, bytes, code) in OF_A_SERVER.violations(OF_A_CLIENT, 64 << 20) {
        let (address, server) = serve_one(move |mut peer| {
            peer.write(&bytes);
            assert_eq!(peer.read_close(), Some(code), "{violation}");
        });
        let mut engine = Engine::load(&json!({
            "format": 2, "url": format!("ws://{address}/"),
            "workload": {"kind": "answer", "phases": {"window_s": 600}},
        }));
        engine.ready();
        let result = engine.result();
        server.join().unwrap();
        assert_eq!(
            result["failures"][0]["kind"], "protocol",
            "{violation}: {result}"
        );
        assert_eq!(result["ended"], "closed", "{violation}");
        assert_eq!(engine.finish().status, Some(0));
    }
}

#[test]
fn a_violation_by_a_client_is_answered_at_once_with_its_code() {
    let (server, address) = Engine::serve(&json!({
        "format": 2, "listen": "127.0.0.1:0", "workload": {"kind": "push"},
    }));
    for (violation, bytes, code) in OF_A_CLIENT.violations(OF_A_SERVER, 16 << 20) {
        let mut client = RawClient::open(address, "/echo");
        client.write(&bytes);
        assert_eq!(client.receive(), Incoming::Close(Some(code)), "{violation}");
        assert_eq!(client.receive(), Incoming::End, "{violation}");
    }
    drop(server);
}

#[test]
fn a_long_invalid_text_fails_before_it_is_complete() {
    let length = 8 << 20;
    let mut front = vec![b'a'; 1 << 20];
    front.push(0xff);
    let bytes = OF_A_SERVER.part(true, Opcode::Text, length, &front);
    let (address, server) = serve_one(move |mut peer| {
        peer.write(&bytes);
        assert_eq!(peer.read_close(), Some(1007));
    });
    let mut engine = Engine::load(&json!({
        "format": 2, "url": format!("ws://{address}/"),
        "workload": {"kind": "answer", "phases": {"window_s": 600}},
    }));
    engine.ready();
    let result = engine.result();
    server.join().unwrap();
    assert_eq!(result["failures"][0]["kind"], "protocol");
    let (_server, address) = Engine::serve(&json!({
        "format": 2, "listen": "127.0.0.1:0", "workload": {"kind": "push"},
    }));
    let mut client = RawClient::open(address, "/echo");
    client.write(&OF_A_CLIENT.part(true, Opcode::Text, length, &front));
    assert_eq!(client.receive(), Incoming::Close(Some(1007)));
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
}

#[test]
fn a_client_that_continues_sending_can_read_the_close_code() {
    let (_server, address) = Engine::serve(&json!({
        "format": 2, "listen": "127.0.0.1:0", "workload": {"kind": "push"},
    }));
    let mut client = RawClient::open(address, "/echo");
    client.write(b"\xf1\x80mask");
    continue_sending(&client.stream);
    assert_eq!(client.receive(), Incoming::Close(Some(1002)));
    assert_eq!(client.receive(), Incoming::End);
}
