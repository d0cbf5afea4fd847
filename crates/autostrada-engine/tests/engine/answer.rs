//! `load` with answer: it echoes the server's messages until the server closes.

use std::io::{Read, Write};
use std::sync::mpsc::channel;
use std::time::Duration;

use autostrada_proto::close::Close;
use autostrada_proto::frame::{Opcode, encode_frame};
use autostrada_proto::message::{Decoded, Event, MessageDecoder, Role};
use serde_json::{Value, json};

use crate::hostile::load;
use crate::process::{Engine, assert_fields};
use crate::raw_server::{Peer, accept_all, fragment, frame, ignore, serve_one};

/// Longer than a message takes if the peer reads it.
const LONG: Duration = Duration::from_millis(500);

fn answer() -> Value {
    json!({"kind": "answer", "phases": {"window_s": 600}})
}

/// Reads `count` frames of a client; returns them encoded as a server's frames.
fn read_answers(peer: &mut Peer, count: usize) -> Vec<u8> {
    let mut decoder = MessageDecoder::new(Role::Server, 1 << 26);
    let (mut input, mut frames, mut answers) = (Vec::new(), Vec::new(), 0);
    let mut buffer = vec![0; 1 << 16];
    while answers < count {
        let bytes = peer.stream.read(&mut buffer).unwrap();
        assert_ne!(bytes, 0, "{answers} of {count} answers received");
        input.extend_from_slice(&buffer[..bytes]);
        let mut position = 0;
        while let Decoded::Event {
            consumed_bytes,
            event,
        } = decoder.decode(&mut input[position..]).unwrap()
        {
            match event {
                Event::Text(payload) => encode_frame(Opcode::Text, None, payload, &mut frames),
                Event::Binary(payload) => encode_frame(Opcode::Binary, None, payload, &mut frames),
                other => panic!("{other:?}"),
            }
            position += consumed_bytes;
            answers += 1;
        }
        input.drain(..position);
    }
    assert!(input.is_empty(), "no further bytes are received");
    frames
}

fn close(peer: &mut Peer, code: u16) {
    let mut payload = Vec::new();
    let reason = "that was all";
    Close { code, reason }.encode(&mut payload);
    peer.send(Opcode::Close, &payload);
    assert_eq!(peer.read_close(), Some(code));
}

#[test]
fn messages_are_echoed_unchanged_and_in_order() {
    for code in [1000, 1001, 4000] {
        let (address, server) = serve_one(move |mut peer| {
            let mut messages = Vec::new();
            for length in [0, 1, 125, 126, 65_535, 65_536, 300_000] {
                messages.extend(frame(Opcode::Binary, &vec![7; length]));
                messages.extend(frame(Opcode::Text, "grüezi".repeat(length).as_bytes()));
            }
            peer.write(&messages);
            assert!(read_answers(&mut peer, 14) == messages);
            peer.write(&fragment(Opcode::Text, b"hel", false));
            peer.write(&fragment(Opcode::Continuation, b"lo", true));
            assert_eq!(read_answers(&mut peer, 1), frame(Opcode::Text, b"hello"));
            close(&mut peer, code);
        });
        let result = load(&format!("ws://{address}/"), &answer(), &json!({}));
        server.join().unwrap();
        assert_fields(&result, &json!({"messages": 15, "answered": 15}));
        assert_fields(&result, &json!({"ended": "closed", "failures": []}));
        assert_eq!(result["exchange"], Value::Null);
    }
}

#[test]
fn a_server_that_does_not_read_is_not_read_from() {
    let (count, length) = (100, 1 << 20);
    let address = accept_all(move |_, stream| {
        let mut peer = Peer::handshake(stream);
        peer.write(&[]);
        let message = frame(Opcode::Binary, &vec![7; length]);
        let mut writer = peer.stream.try_clone().unwrap();
        let (sent, is_sent) = channel();
        let writing = std::thread::spawn(move || {
            for _ in 0..count {
                writer.write_all(&message).unwrap();
                let _ = sent.send(());
            }
            message
        });
        // The buffers of kernel and engine are full when a write blocks for long.
        let accepted = std::iter::from_fn(|| is_sent.recv_timeout(LONG).ok()).count();
        assert!(
            accepted < count * 2 / 3,
            "{accepted} messages were accepted"
        );
        let answers = read_answers(&mut peer, count);
        assert!(answers == writing.join().unwrap().repeat(count));
        close(&mut peer, 1000);
    });
    let result = load(&format!("ws://{address}/"), &answer(), &json!({}));
    assert_fields(&result, &json!({"answered": count, "failures": []}));
}

#[test]
fn many_small_messages_at_once_are_queued_without_loss() {
    let count = 200_000;
    let address = accept_all(move |_, stream| {
        let mut peer = Peer::handshake(stream);
        peer.write(&[]);
        let messages: Vec<u8> = (0..count)
            .flat_map(|number: u32| frame(Opcode::Text, number.to_string().as_bytes()))
            .collect();
        let mut writer = peer.stream.try_clone().unwrap();
        let writing = std::thread::spawn(move || {
            writer.write_all(&messages).unwrap();
            messages
        });
        let answers = read_answers(&mut peer, count as usize);
        assert!(answers == writing.join().unwrap());
        close(&mut peer, 1000);
    });
    let result = load(&format!("ws://{address}/"), &answer(), &json!({}));
    assert_fields(&result, &json!({"answered": count, "failures": []}));
}

#[test]
fn framed_tcp_is_answered_and_its_end_is_not_a_failure() {
    let message = |length: u32| {
        let payload = vec![7; usize::try_from(length).unwrap()];
        [&length.to_be_bytes(), &payload[..]].concat()
    };
    let messages: Vec<u8> = [0, 5, 300_000, 20_000_000, 1]
        .into_iter()
        .flat_map(message)
        .collect();
    let address = accept_all(move |_, mut stream| {
        let mut writer = stream.try_clone().unwrap();
        let sent = messages.clone();
        let writing = std::thread::spawn(move || writer.write_all(&sent).unwrap());
        let mut answers = vec![0; messages.len()];
        stream.read_exact(&mut answers).unwrap();
        writing.join().unwrap();
        assert!(answers == messages);
    });
    let settings = json!({"protocol": {"kind": "framed-tcp"}});
    let result = load(&format!("tcp://{address}/"), &answer(), &settings);
    assert_fields(&result, &json!({"answered": 5, "failures": []}));
    assert_eq!(result["ended"], "closed");
}

#[test]
fn a_reset_is_a_failure_and_an_open_connection_is_closed() {
    let address = accept_all(|number, stream| {
        let mut peer = Peer::handshake(stream);
        peer.send(Opcode::Text, b"hello");
        if number > 0 {
            ignore(&peer.stream);
        }
    });
    let mut engine = Engine::load(&json!({
        "format": 2, "url": format!("ws://{address}/"), "connections": 3, "workload": answer(),
    }));
    engine.ready();
    let result = engine.result_when(&[("messages", 3), ("failures", 1)]);
    assert_eq!(result["messages"], 3);
    assert_eq!(result["failures"].as_array().unwrap().len(), 1, "{result}");
    assert_eq!(result["failures"][0]["count"], 1);
    assert_eq!(result["ended"], "interrupted");
}
