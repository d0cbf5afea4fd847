//! `load` as the server: clients connect, and the engine sends and measures.

use autostrada_proto::frame::Opcode;
use serde_json::{Value, json};

use crate::process::{Engine, assert_contains, with};
use crate::raw_client::{Incoming, RawClient};

fn plan(workload: &Value, settings: &Value) -> Value {
    let plan = json!({
        "format": 2, "url": "ws://127.0.0.1:0/reply", "end": "server", "workload": workload,
    });
    with(plan, settings)
}

#[test]
fn a_closed_loop_counts_the_answers_of_its_clients() {
    let workload = json!({
        "kind": "echo", "window": 4, "payload": {"text": "grüezi", "stamped": true},
        "phases": {"warm_up_s": 0.05, "window_s": 0.2},
    });
    let mut server = Engine::load(&plan(&workload, &json!({"connections": 5})));
    let address = server.ready();
    // They send each message back until the server closes.
    let clients = Engine::load(&json!({
        "format": 2, "url": format!("ws://{address}/reply"), "connections": 5,
        "workload": {"kind": "answer", "phases": {"window_s": 60}},
    }));
    let result = server.result();
    assert_eq!(clients.complete()["failures"], json!([]));
    assert_eq!(server.finish().status, Some(0));
    assert_eq!(result["connections"], 5);
    assert_eq!(result["failures"], json!([]));
    let exchange = &result["exchange"];
    assert!(exchange["echoed"].as_u64().unwrap() > 0);
    assert_eq!(exchange["echoed"], exchange["sent"]);
}

#[test]
fn a_client_that_asks_for_another_path_is_refused_and_another_one_awaited() {
    let workload = json!({
        "kind": "echo", "payload": {"text": "hello"}, "phases": {"window_s": 0.2},
    });
    let mut server = Engine::load(&plan(&workload, &json!({})));
    let address = server.ready();
    let refused = RawClient::request(address, "/other").read_head();
    assert!(refused.starts_with("HTTP/1.1 404 "), "{refused}");
    let mut client = RawClient::open(address, "/reply");
    assert_eq!(client.receive(), Incoming::Text(b"hello".to_vec()));
    client.send(Opcode::Text, b"hello");
    assert_eq!(client.receive(), Incoming::Text(b"hello".to_vec()));
    drop(client);
    let result = server.result();
    let failures = result["failures"].to_string();
    assert_contains(
        &failures,
        &["asked for \\\"/other\\\" instead of \\\"/reply\\\""],
    );
    assert_eq!(result["exchange"]["completed"], 1);
}

#[test]
fn clients_that_do_not_come_are_failures() {
    let workload = json!({"kind": "echo", "phases": {"opening_s": 0.1, "window_s": 0.1}});
    let mut server = Engine::load(&plan(&workload, &json!({"connections": 3})));
    server.ready();
    let result = server.result();
    assert_eq!(result["connections"], 0);
    assert_eq!(result["failures"][0]["count"], 3);
}

#[test]
fn settings_of_opening_connections_are_refused() {
    for (settings, remedy) in [
        (json!({"threads": 2}), "set threads to 1"),
        (
            json!({"source_addresses": ["127.0.0.1"]}),
            "source_addresses",
        ),
        (json!({"compression": {}}), "compression"),
        (json!({"url": "wss://127.0.0.1:0/"}), "certificate_file"),
    ] {
        let workload = json!({"kind": "echo", "phases": {"window_s": 0.1}});
        let line = Engine::load(&plan(&workload, &settings)).refusal();
        assert!(line.contains(remedy), "{line}");
    }
}
