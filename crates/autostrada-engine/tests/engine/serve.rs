//! `serve` with correct clients: pushed messages and results.

use autostrada_proto::frame::Opcode;
use serde_json::{Value, json};

use crate::process::{Engine, assert_fields, push, with, words};
use crate::raw_client::{RawClient, Received};

/// Returns the plan of a server of one connection.
fn once(settings: &Value) -> Value {
    with(push(&json!({"connections": 1})), settings)
}

/// Runs the engine as server and client; returns the results of the server and the client.
fn push_to_load(settings: &Value, messages: u64, connections: usize) -> (Vec<Value>, Value) {
    let (mut server, address) = Engine::serve(&once(settings));
    let received = Engine::load(&json!({
        "format": 2, "url": format!("ws://{address}/{messages}"), "connections": connections,
        "workload": {
            "kind": "receive", "messages": messages, "payload": {"text": "hello world"},
        },
    }))
    .complete();
    let sent = (0..connections).map(|_| server.result()).collect();
    let finished = server.finish();
    assert_eq!(finished.status, Some(0), "{}", finished.stderr);
    (sent, received)
}

#[test]
fn both_ends_agree_on_what_was_pushed() {
    let (sent, received) = push_to_load(&json!({}), 100_000, 1);
    let [sent] = &sent[..] else {
        panic!("one result");
    };
    for (key, value) in [("messages", 100_000), ("bytes", 1_100_000)] {
        assert_eq!(sent[key], value);
        assert_eq!(received[key], value);
    }
    assert_eq!(sent["wire_bytes"], 1_300_000);
    assert_eq!(sent["acknowledged_bytes"], sent["wire_bytes"]);
    assert_eq!(
        (&sent["ended"], &received["ended"]),
        (&json!("complete"), &json!("complete"))
    );
    assert_eq!(sent["close_code"], 1000);
    assert_eq!(received["wrong"], 0);
}

#[test]
fn times_are_in_order_and_of_one_clock() {
    let (sent, received) = push_to_load(&json!({}), 10_000, 1);
    let first_sent = sent[0]["first_sent_ns"].as_u64();
    let closed = sent[0]["closed_ns"].as_u64();
    // The client may receive the last message before the server reads the clock after its write.
    for between in [&sent[0]["last_sent_ns"], &received["received_ns"]] {
        assert!(first_sent <= between.as_u64(), "{sent:?} {received}");
        assert!(between.as_u64() <= closed, "{sent:?} {received}");
    }
    assert!(sent[0]["first_sent_ns"].as_u64() <= received["opened_ns"].as_u64());
}

#[test]
fn each_of_several_connections_has_a_result() {
    let (sent, received) = push_to_load(&json!({"connections": 3}), 5_000, 3);
    assert_eq!(sent.len(), 3);
    assert!(sent.iter().all(|result| result["messages"] == 5_000));
    assert_fields(&received, &json!({"connections": 3, "messages": 15_000}));
}

#[test]
fn the_congestion_control_is_as_planned() {
    let (sent, _) = push_to_load(&json!({"congestion_control": "reno"}), 10, 1);
    assert_eq!(sent[0]["congestion_control"], "reno");
}

#[test]
fn flags_are_equivalent_to_a_plan() {
    let mut server = Engine::start(&words(
        "serve --listen 127.0.0.1:0 --text hi --write-each --connections 1",
    ));
    let address = server.ready();
    let mut client = RawClient::open(address, "/3");
    client.close(1000);
    assert_eq!(client.read_messages().bytes, 6);
    assert_eq!(server.result()["write_calls"], 3);
}

#[test]
fn a_client_that_requests_no_messages_receives_none() {
    let (mut server, address) = Engine::serve(&once(&json!({})));
    let mut client = RawClient::open(address, "/0");
    client.close(1000);
    let expected = Received {
        close_code: Some(1000),
        ..Received::default()
    };
    assert_eq!(client.read_messages(), expected);
    let result = server.result();
    assert_fields(&result, &json!({"messages": 0, "wire_bytes": 0}));
    assert_eq!(result["ended"], "complete");
}

#[test]
fn a_ping_is_answered_between_two_messages() {
    let (_server, address) = Engine::serve(&once(&json!({})));
    let mut client = RawClient::open(address, "/1000000");
    client.send(Opcode::Ping, b"there?");
    let received = client.read_messages();
    assert_eq!(received.pong.as_deref(), Some(&b"there?"[..]));
    assert_eq!(received.bytes, received.texts * 11);
    client.close(1000);
    let rest = client.read_messages();
    assert_eq!(rest.bytes, rest.texts * 11);
    assert_eq!(rest.close_code, Some(1000));
}

#[test]
fn nothing_is_answered_before_the_processes_to_observe_are_configured() {
    let (mut server, address) = Engine::serve(&once(&json!({"hold_until_observing": true})));
    let mut client = RawClient::request(address, "/10");
    let stream = &client.stream;
    stream
        .set_read_timeout(Some(std::time::Duration::from_millis(50)))
        .unwrap();
    assert!(stream.peek(&mut [0]).is_err(), "the server waits");
    stream
        .set_read_timeout(Some(crate::process::LIMIT))
        .unwrap();
    let own = std::process::id();
    server.send(&json!({"observe": {"client": own, "gone": i32::MAX}}));
    assert!(client.read_head().starts_with("HTTP/1.1 101 "));
    client.close(1000);
    assert_eq!(client.read_messages().texts, 10);
    let result = server.result();
    let processes = result["processes"].as_object().unwrap();
    assert_eq!(processes.keys().collect::<Vec<_>>(), ["client"]);
    let observed = &processes["client"];
    assert!(observed["cpu_ns"].as_u64().is_some());
    assert!(observed["resident_bytes"].as_u64() > Some(0));
    assert!(observed["peak_resident_bytes"].as_u64() > Some(0));
}

#[test]
fn a_client_that_does_not_read_delays_the_push_and_its_seconds_are_counted() {
    let (mut server, address) = Engine::serve(&once(&json!({})));
    let mut client = RawClient::open(address, "/10000000");
    let second = server.line();
    assert_fields(&second, &json!({"event": "second", "second": 0}));
    let sent = second["messages"].as_u64().unwrap();
    assert!(0 < sent && sent < 10_000_000, "{second}");
    assert_eq!(second["bytes"], sent * 11);
    client.close(1000);
    let received = client.read_messages();
    let result = server.result();
    assert_eq!(result["ended"], "closed");
    assert!(result["blocked_ns"].as_u64() > Some(0));
    assert_eq!(received.close_code, Some(1000));
}

#[test]
fn the_end_of_stdin_ends_the_server() {
    let (mut server, address) = Engine::serve(&once(&json!({})));
    let _client = RawClient::open(address, "/10000000");
    server.end_stdin();
    let finished = server.finish();
    assert_eq!(finished.status, Some(0));
    assert_eq!(finished.stderr, "");
}

/// The numbers of messages before the pings that were answered.
fn answered(result: &Value) -> Vec<u64> {
    let marks = result["marks"].as_array().unwrap();
    let number = |mark: &Value| mark["messages"].as_u64().unwrap();
    marks.iter().map(number).collect()
}

#[test]
fn pongs_tell_when_messages_were_processed_and_count_nowhere_else() {
    let after = [2_500, 5_000, 7_500, 9_999];
    // Further pings would come an hour later.
    let pings = json!({"after": after, "every_ms": 3_600_000});
    for frames_per_write in ["many", "one"] {
        let workload = json!({
            "kind": "push", "frames_per_write": frames_per_write, "pings": pings,
        });
        let (sent, _) = push_to_load(&json!({"workload": workload}), 10_000, 1);
        let sent = &sent[0];
        assert_eq!(sent["ended"], "complete", "{sent}");
        assert_eq!(answered(sent), after);
        assert_fields(sent, &json!({"pings": 4, "pings_unanswered": 0}));
        assert_eq!(sent["wire_bytes"], 130_000);
        assert_eq!(sent["acknowledged_bytes"], sent["wire_bytes"]);
        let calls = if frames_per_write == "one" { 10_000 } else { 1 };
        assert_eq!(sent["write_calls"], calls);
        assert!(sent["round_trip_ns"].as_u64().unwrap() > 0);
        let mut last = sent["first_sent_ns"].as_u64();
        for mark in sent["marks"].as_array().unwrap() {
            assert!(last <= mark["answered_ns"].as_u64());
            last = mark["answered_ns"].as_u64();
        }
        assert!(last <= sent["closed_ns"].as_u64());
    }
}

#[test]
fn a_ping_follows_the_last_message_if_the_server_closes() {
    for compression in [Value::Null, json!({})] {
        let workload = json!({
            "kind": "push", "seconds": 0.05, "pings": {"after": [1_000]}, "frames_per_write": "one",
        });
        let (mut server, address) = Engine::serve(&once(&json!({
            "workload": workload, "compression": compression,
        })));
        let mut client = Engine::load(&json!({
            "format": 2, "url": format!("ws://{address}/1000"), "compression": compression,
            "workload": {"kind": "receive", "messages": 2_147_483_647},
        }));
        client.ready();
        let sent = server.result();
        let answered = answered(&sent);
        assert_eq!(answered.first(), Some(&1_000));
        assert_eq!(
            answered.last().copied(),
            sent["messages"].as_u64(),
            "{sent}"
        );
        assert_eq!(sent["pings_unanswered"], 0);
        assert_eq!(client.result()["messages"], sent["messages"]);
    }
}
