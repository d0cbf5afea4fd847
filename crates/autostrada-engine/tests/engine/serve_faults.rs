//! `serve` with injected faults: each has the planned size, as measured by a client.

use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::Duration;

use autostrada_proto::deflate::DeflateOffer;
use autostrada_proto::frame::Opcode;
use serde_json::{Value, json};

use crate::process::{Engine, assert_fields, push, with};
use crate::raw_client::{Incoming, RawClient};
use crate::serve_feed::listen;

/// Longer than a message takes if the server reads it.
const PAUSE: Duration = Duration::from_millis(500);

fn serve(faults: &Value, settings: &Value) -> (Engine, SocketAddr) {
    Engine::serve(&with(push(&json!({"faults": faults})), settings))
}

/// Sends the messages `10`, `20` and so on, then closes; returns the received echoes.
fn echoes(client: &mut RawClient, messages: u32) -> Vec<String> {
    for number in 1..=messages {
        client.send(Opcode::Text, format!("{number}0").as_bytes());
    }
    client.close(1000);
    let mut texts = Vec::new();
    loop {
        match client.receive() {
            Incoming::Text(text) => texts.push(String::from_utf8(text).unwrap()),
            Incoming::Close(Some(1000)) => return texts,
            other => panic!("not an echo: {other:?}"),
        }
    }
}

/// Reads the numbers of a feed until it ends.
fn numbers(client: &mut RawClient) -> Vec<String> {
    let (messages, code) = listen(client);
    assert_eq!(code, Some(1000));
    let texts = messages.into_iter().map(String::from_utf8);
    texts.map(Result::unwrap).collect()
}

#[test]
fn echoes_are_lost_corrupted_duplicated_and_reordered_as_planned() {
    for (faults, expected) in [
        (json!({}), "10 20 30 40 50 60 70"),
        (json!({"lose_every": 3}), "10 20 40 50 70"),
        (json!({"corrupt_every": 3}), "10 20 31 40 50 61 70"),
        (json!({"repeat_every": 3}), "10 20 30 30 40 50 60 60 70"),
        (json!({"swap_every": 3}), "10 20 40 30 50 70 60"),
        (json!({"lose_every": 3, "swap_every": 2}), "10 40 20 50 70"),
    ] {
        let (_server, address) = serve(&faults, &json!({}));
        for _ in 0..2 {
            let mut client = RawClient::open(address, "/echo");
            let echoes = echoes(&mut client, 7).join(" ");
            assert_eq!(
                echoes, expected,
                "{faults}: each connection is counted by itself"
            );
        }
    }
}

#[test]
fn a_feed_has_the_same_faults_and_sends_held_messages_before_its_end() {
    for (faults, expected) in [
        (json!({"lose_every": 3}), "0 1 3 4 6"),
        (json!({"repeat_every": 3}), "0 1 2 2 3 4 5 5 6"),
        (json!({"swap_every": 7}), "0 1 2 3 4 5 6"),
        (json!({"swap_every": 6}), "0 1 2 3 4 6 5"),
        (json!({"burst": 5}), "0 1 2 3 4 5 6"),
        (
            json!({"delay_ms": 20, "rate_per_s": 200, "swap_every": 7}),
            "0 1 2 3 4 5 6",
        ),
    ] {
        for every_ms in [json!(1), Value::Null] {
            let feed = json!({"kind": "sequence", "messages": 7, "every_ms": every_ms});
            let (mut server, address) = serve(&faults, &json!({"feed": feed, "connections": 1}));
            let mut client = RawClient::open(address, "/feed");
            let numbers = numbers(&mut client);
            assert_eq!(numbers.join(" "), expected, "{faults}, {every_ms}");
            let result = server.result();
            assert_eq!(result["messages"], numbers.len(), "{result}");
            assert_eq!(result["ended"], "complete", "{result}");
        }
    }
}

#[test]
fn pushed_messages_have_no_faults() {
    let faults = json!({"lose_every": 2, "delay_ms": 3_600_000, "close_after": 1});
    let (_server, address) = serve(&faults, &json!({}));
    let mut client = RawClient::open(address, "/5");
    for _ in 0..5 {
        assert_eq!(client.receive_text(), "hello world");
    }
    client.close(1000);
    assert_eq!(client.receive(), Incoming::Close(Some(1000)));
}

#[test]
fn a_client_that_has_left_uses_none_of_the_rate() {
    let (_server, address) = serve(&json!({"rate_per_s": 10}), &json!({}));
    let mut first = RawClient::open(address, "/echo");
    for _ in 0..10_000 {
        first.send(Opcode::Text, b"waits for a quarter of an hour");
    }
    first.close(1000);
    first.receive_until(&Incoming::Close(Some(1000)));
    let mut second = RawClient::open(address, "/echo");
    second.send(Opcode::Text, b"waits for none of them");
    second.receive_text();
}

#[test]
fn a_connection_is_closed_after_the_planned_number_of_messages() {
    for faults in [
        json!({"close_after": 3}),
        json!({"close_after": 3, "delay_ms": 1}),
        json!({"close_after": 3, "repeat_every": 2, "rate_per_s": 10_000}),
    ] {
        let (_server, address) = serve(&faults, &json!({}));
        let mut client = RawClient::open(address, "/echo");
        for _ in 0..5 {
            client.send(Opcode::Text, b"again");
        }
        for _ in 0..3 {
            assert_eq!(client.receive_text(), "again");
        }
        assert_eq!(client.receive(), Incoming::Close(Some(1000)), "{faults}");
        client.close(1000);
        assert_eq!(client.receive(), Incoming::End);
    }
}

#[test]
fn a_connection_is_reset_after_the_planned_number_of_messages() {
    for path in ["/echo", "/feed"] {
        let feed = json!({"kind": "hello", "messages": 1000, "every_ms": 1});
        let settings = json!({"feed": feed, "connections": 1});
        let (mut server, address) = serve(&json!({"abort_after": 3}), &settings);
        let mut client = RawClient::open(address, path);
        if path == "/echo" {
            for _ in 0..3 {
                client.send(Opcode::Text, b"hello world");
            }
        }
        for _ in 0..3 {
            assert_eq!(client.receive_text(), "hello world");
        }
        let error = client.stream.read(&mut [0]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{path}");
        if path == "/feed" {
            let result = server.result();
            assert_fields(&result, &json!({"messages": 3, "ended": "reset"}));
        }
        assert_eq!(server.finish().status, Some(0));
    }
}

#[test]
fn a_feed_continues_for_the_others_when_one_is_closed() {
    let feed = json!({"kind": "sequence", "messages": 10, "every_ms": 1, "subscribers": 2});
    let (_server, address) = serve(&json!({"close_after": 4}), &json!({"feed": feed}));
    let mut clients: Vec<_> = (0..2).map(|_| RawClient::open(address, "/feed")).collect();
    for client in &mut clients {
        assert_eq!(numbers(client).join(" "), "0 1 2 3");
    }
    let mut later: Vec<_> = (0..2).map(|_| RawClient::open(address, "/feed")).collect();
    for client in &mut later {
        assert_eq!(
            numbers(client).join(" "),
            "0 1 2 3",
            "other subscribers have their feed"
        );
    }
}

#[test]
fn a_message_is_corrupted_before_compression() {
    let settings = json!({"compression": {}});
    let (_server, address) = serve(&json!({"corrupt_every": 2}), &settings);
    let mut client = RawClient::open_compressed(address, "/echo", DeflateOffer::default());
    assert_eq!(echoes(&mut client, 4), ["10", "21", "30", "41"]);
}

#[test]
fn a_client_with_a_full_queue_of_delayed_messages_is_not_read_from() {
    let (_server, address) = serve(&json!({"delay_ms": 3_600_000}), &json!({}));
    let mut client = RawClient::open(address, "/echo");
    client.stream.set_write_timeout(Some(PAUSE)).unwrap();
    let message = vec![0; 1 << 20];
    let mut frame = Vec::new();
    autostrada_proto::frame::encode_frame(Opcode::Binary, Some([0; 4]), &message, &mut frame);
    let (mut written_bytes, mut pauses) = (0, 0);
    while written_bytes < 64 << 20 {
        match client.stream.write(&frame[written_bytes % frame.len()..]) {
            Ok(bytes) => written_bytes += bytes,
            // The queue is full, unless the server just did not run.
            Err(_) if written_bytes >= 16 << 20 => break,
            Err(_) => pauses += 1,
        }
        assert!(pauses < 600, "only {written_bytes} bytes were written");
    }
    assert!(written_bytes < 64 << 20, "{written_bytes} bytes");
    let mut other = RawClient::open(address, "/echo");
    other.send(Opcode::Ping, b"");
    assert_eq!(other.receive(), Incoming::Pong(Vec::new()));
}
