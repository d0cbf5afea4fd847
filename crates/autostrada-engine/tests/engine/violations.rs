//! Whoever breaks the protocol is refused at once, with the code that says why: in both roles.
//!
//! No case goes on after what is wrong: what must be known by then is in no byte that is to come.

use std::io::{Read, Write};
use std::net::TcpStream;

use autostrada_proto::frame::{FrameHeader, Opcode};
use autostrada_proto::mask::apply_mask;
use serde_json::json;

use crate::process::{Engine, LIMIT};
use crate::raw_client::{Incoming, RawClient};
use crate::raw_server::{Peer, serve_one};

/// What is wrong, its bytes, and the close code.
type Violation = (&'static str, Vec<u8>, u16);

/// The frames of one side.
#[derive(Clone, Copy)]
struct Frames {
    key: Option<[u8; 4]>,
}

/// As a server sends them, and as a client does.
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

    /// The front of a frame that says that it is so long.
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

    /// Two bytes that no encoder writes, and what belongs to them.
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

    /// What is wrong, and the code with which it is refused.
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
fn a_server_is_refused_at_once_and_may_read_why() {
    for (what, bytes, code) in OF_A_SERVER.violations(OF_A_CLIENT, 64 << 20) {
        let (address, server) = serve_one(move |mut peer| {
            peer.write(&bytes);
            assert_eq!(peer.read_close(), Some(code), "{what}");
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
            "{what}: {result}"
        );
        assert_eq!(result["ended"], "closed", "{what}");
        assert_eq!(engine.finish().status, Some(0));
    }
}

#[test]
fn a_client_is_refused_at_once_and_may_read_why() {
    let (server, address) = Engine::serve(&json!({
        "format": 2, "listen": "127.0.0.1:0", "workload": {"kind": "push"},
    }));
    for (what, bytes, code) in OF_A_CLIENT.violations(OF_A_SERVER, 16 << 20) {
        let mut client = RawClient::open(address, "/echo");
        client.write(&bytes);
        assert_eq!(client.receive(), Incoming::Close(Some(code)), "{what}");
        assert_eq!(client.receive(), Incoming::End, "{what}");
    }
    drop(server);
}

#[test]
fn a_long_text_is_refused_while_it_comes() {
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

/// Sends much more after what is wrong, and only then looks for an answer.
fn goes_on(mut stream: &TcpStream) {
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    for _ in 0..64 {
        stream.write_all(&[0; 16 * 1024]).unwrap();
    }
}

#[test]
fn a_server_that_goes_on_sending_may_still_read_why_it_was_refused() {
    let (address, server) = serve_one(|mut peer: Peer| {
        peer.write(b"\xf1\x00");
        goes_on(&peer.stream);
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
fn a_client_that_goes_on_sending_may_still_read_why_it_was_refused() {
    let (_server, address) = Engine::serve(&json!({
        "format": 2, "listen": "127.0.0.1:0", "workload": {"kind": "push"},
    }));
    let mut client = RawClient::open(address, "/echo");
    client.write(b"\xf1\x80mask");
    goes_on(&client.stream);
    assert_eq!(client.receive(), Incoming::Close(Some(1002)));
    assert_eq!(client.receive(), Incoming::End);
}
