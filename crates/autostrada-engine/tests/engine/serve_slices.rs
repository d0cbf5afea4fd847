//! `serve` in slices: commands begin each part of a push, and nothing is sent in between.

use std::net::SocketAddr;
use std::sync::mpsc::channel;
use std::time::Duration;

use autostrada_proto::frame::Opcode;
use serde_json::{Value, json};

use crate::process::{Engine, assert_fields, push, with};
use crate::raw_client::{Incoming, RawClient};
use crate::slices::{number, used};

fn plan(settings: &Value) -> Value {
    let pings = json!({"after": [2_500, 5_000], "every_ms": 3_600_000});
    let plan = push(&json!({
        "connections": 1, "slices": true, "workload": {"kind": "push", "pings": pings},
    }));
    with(plan, settings)
}

/// Starts a server and a client of the engine, and waits until they are connected.
fn connected(settings: &Value) -> (Engine, Engine) {
    let (mut server, address) = Engine::serve(&plan(settings));
    let mut client = Engine::load(&json!({
        "format": 2, "url": format!("ws://{address}/1"), "compression": settings["compression"],
        "workload": {"kind": "receive", "messages": 2_147_483_647},
    }));
    client.ready();
    assert_eq!(server.line(), json!({"event": "opened"}));
    (server, client)
}

/// Starts a server, and connects a client that only does what the test says.
fn connected_raw() -> (Engine, RawClient, SocketAddr) {
    let (mut server, address) = Engine::serve(&plan(&json!({})));
    let client = RawClient::open(address, "/1");
    assert_eq!(server.line(), json!({"event": "opened"}));
    (server, client, address)
}

/// Carries out a slice; returns its line.
fn slice(server: &mut Engine, length: &Value) -> Value {
    server.send(&command(length));
    let line = server.line();
    assert_eq!(line["event"], "slice", "{line}");
    line
}

fn command(length: &Value) -> Value {
    let mut slice = length.clone();
    slice["counts"] = json!(true);
    json!({"slice": slice})
}

/// Ends the slices of a server by its command; returns its result.
fn end(mut server: Engine) -> Value {
    server.send(&json!({"end": true}));
    let finished = server.finish();
    assert_eq!(finished.status, Some(0), "{}", finished.stderr);
    assert_eq!(finished.lines.len(), 1, "{:?}", finished.lines);
    finished.lines[0].clone()
}

#[test]
fn slices_add_up_to_the_result_and_only_pings_between_messages_are_marks() {
    for (compression, frames_per_write) in [(Value::Null, "many"), (json!({}), "one")] {
        let mut settings = plan(&json!({"compression": compression}));
        settings["workload"]["frames_per_write"] = json!(frames_per_write);
        let (mut server, mut client) = connected(&settings);
        let mut lines = vec![slice(&mut server, &json!({"messages": 5_000}))];
        for _ in 0..3 {
            lines.push(slice(&mut server, &json!({"seconds": 0.02})));
        }
        let mut last_ns = 0;
        for line in &lines {
            assert_eq!(line["complete"], true, "{line}");
            assert!(last_ns <= number(line, "began_ns"), "{line}");
            last_ns = number(line, "ended_ns");
            assert!(number(line, "began_ns") < last_ns, "{line}");
            assert!(number(line, "busy_ns") > 0, "{line}");
        }
        assert_eq!(lines[0]["messages"], 5_000);
        let result = end(server);
        let sent = lines
            .iter()
            .map(|line| number(line, "messages"))
            .sum::<u64>();
        assert_eq!(result["messages"], sent);
        assert_eq!(result["bytes"], 11 * sent);
        assert_eq!(result["ended"], "complete");
        assert_eq!(result["acknowledged_bytes"], result["wire_bytes"]);
        assert!(number(&result, "first_sent_ns") <= number(&lines[0], "began_ns"));
        let marks = result["marks"].as_array().unwrap();
        let marked: Vec<_> = marks.iter().map(|mark| number(mark, "messages")).collect();
        assert_eq!(marked, [2_500, 5_000]);
        assert_eq!(marks[1]["answered_ns"], lines[0]["ended_ns"]);
        assert_fields(&result, &json!({"pings": 5, "pings_unanswered": 0}));
        assert_eq!(client.result()["messages"], sent);
    }
}

#[test]
fn a_slice_by_time_has_as_many_messages_as_the_client_processes_in_it() {
    let (mut server, _client) = connected(&json!({}));
    let before = slice(&mut server, &json!({"messages": 200_000}));
    let length_ns = number(&before, "ended_ns") - number(&before, "began_ns");
    let after = slice(&mut server, &json!({"seconds": 0.1}));
    let expected = 200_000 * 100_000_000 / length_ns;
    assert_eq!(number(&after, "messages"), expected);
}

#[test]
fn a_slice_ends_with_the_pong_of_its_last_ping() {
    let (mut server, mut client, _) = connected_raw();
    server.send(&command(&json!({"messages": 3})));
    for _ in 0..3 {
        assert_eq!(client.receive_text(), "hello world");
    }
    client.send(Opcode::Pong, &2_u64.to_be_bytes());
    client.send(Opcode::Pong, &3_u64.to_be_bytes());
    let line = server.line();
    assert_fields(&line, &json!({"complete": true, "messages": 3}));
    server.end_stdin();
    client.receive_until(&Incoming::Close(Some(1000)));
    client.send(Opcode::Close, &1000_u16.to_be_bytes());
    drop(client);
    let result = server.result();
    assert_fields(&result, &json!({"messages": 3, "ended": "complete"}));
    assert_eq!(server.finish().status, Some(0));
}

#[test]
fn a_client_that_ends_makes_slices_incomplete_and_its_result_is_printed_last() {
    for is_within in [true, false] {
        let (mut server, mut client, _) = connected_raw();
        if is_within {
            server.send(&command(&json!({"messages": 3})));
            for _ in 0..3 {
                client.receive_text();
            }
        }
        drop(client);
        if is_within {
            assert_eq!(server.line()["complete"], false);
        }
        let line = slice(&mut server, &json!({"messages": 3}));
        assert_fields(&line, &json!({"complete": false, "messages": 0}));
        let next = slice(&mut server, &json!({"seconds": 1}));
        assert_eq!(next["complete"], false);
        let result = end(server);
        assert_ne!(result["ended"], "violation");
        assert_eq!(result["messages"], if is_within { 3 } else { 0 });
    }
}

#[test]
fn a_server_between_slices_uses_no_cpu_time() {
    let (mut server, _client) = connected(&json!({}));
    slice(&mut server, &json!({"messages": 1_000}));
    let (cpu_before, sleeps_before) = used(server.pid());
    let (_sender, nothing) = channel::<()>();
    nothing.recv_timeout(Duration::from_secs(1)).unwrap_err();
    let (cpu_after, sleeps_after) = used(server.pid());
    assert!(cpu_after - cpu_before < 50_000_000, "polls");
    assert!(sleeps_after - sleeps_before < 50, "wakes up often");
}

#[test]
fn the_end_of_stdin_ends_a_server_without_a_client() {
    let (mut server, _) = Engine::serve(&plan(&json!({})));
    server.end_stdin();
    let finished = server.finish();
    assert_eq!((finished.status, finished.lines.len()), (Some(0), 0));
}

#[test]
fn invalid_commands_end_the_server_with_an_error() {
    for (command, remedy) in [
        (
            command(&json!({"seconds": 0.1})),
            "the first slice of a push needs messages",
        ),
        (command(&json!({"messages": 0})), "at least 1"),
        (
            command(&json!({"messages": 1, "seconds": 1})),
            "needs seconds, or",
        ),
        (command(&json!({"seconds": 0})), "must be above 0"),
        (json!({"end": false}), "true only"),
    ] {
        let (mut server, _client, _) = connected_raw();
        server.send(&command);
        let line = server.refusal();
        assert!(line.contains(remedy), "{line}");
    }
    let (mut server, _) = Engine::serve(&plan(&json!({})));
    server.send(&command(&json!({"messages": 1})));
    assert!(server.refusal().contains("must follow the line opened"));
    let (mut server, _) = Engine::serve(&plan(&json!({"slices": false})));
    server.send(&command(&json!({"messages": 1})));
    assert!(server.refusal().contains("needs a plan with slices"));
}
