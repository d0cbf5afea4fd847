//! `serve` with several threads: accepting connections, feeds and combined results.

use autostrada_proto::frame::Opcode;
use serde_json::{Value, json};

use crate::process::{Engine, push, with};
use crate::raw_client::{Incoming, RawClient};

fn plan(settings: &Value) -> Value {
    with(push(&json!({"threads": 4})), settings)
}

fn assert_echoes(client: &mut RawClient, text: &str) {
    client.send(Opcode::Text, text.as_bytes());
    assert_eq!(client.receive_text(), text);
}

#[test]
fn more_connections_than_one_descriptor_table_holds_are_accepted() {
    let arguments = "serve --listen 127.0.0.1:0 --threads 4";
    let mut server = Engine::start_with_limit("-n 128", arguments);
    let address = server.ready();
    let mut clients: Vec<_> = (0..300)
        .map(|_| RawClient::request(address, "/echo"))
        .collect();
    for (number, client) in clients.iter_mut().enumerate() {
        assert!(client.read_head().starts_with("HTTP/1.1 101 "));
        assert_echoes(client, &number.to_string());
    }
}

#[test]
fn a_connection_waits_while_all_descriptor_tables_are_full() {
    let arguments = "serve --listen 127.0.0.1:0 --threads 2";
    let mut server = Engine::start_with_limit("-n 40", arguments);
    let address = server.ready();
    let crowd: Vec<_> = (0..100)
        .map(|_| RawClient::request(address, "/echo"))
        .collect();
    server.wait_for_log("further connections wait");
    let mut late = RawClient::request(address, "/echo");
    drop(crowd);
    assert!(late.read_head().starts_with("HTTP/1.1 101 "));
    assert_echoes(&mut late, "late");
}

#[test]
fn connections_of_all_threads_are_counted_and_have_results() {
    let (mut server, address) = Engine::serve(&plan(&json!({"connections": 9})));
    for _ in 0..9 {
        let mut client = RawClient::open(address, "/100");
        client.close(1000);
        assert_eq!(client.read_messages().texts, 100);
        assert_eq!(server.result()["messages"], 100);
    }
    assert_eq!(server.finish().status, Some(0));
}

#[test]
fn all_threads_wait_until_the_processes_to_observe_are_configured() {
    let (mut server, address) = Engine::serve(&plan(&json!({"hold_until_observing": true})));
    let mut clients: Vec<_> = (0..8).map(|_| RawClient::request(address, "/1")).collect();
    server.send(&json!({"observe": {"own": std::process::id()}}));
    for client in &mut clients {
        assert!(client.read_head().starts_with("HTTP/1.1 101 "));
        client.close(1000);
        assert_eq!(client.read_messages().texts, 1);
        assert!(server.result()["processes"]["own"].is_object());
    }
}

#[test]
fn subscribers_of_all_threads_receive_the_same_messages() {
    let feed = json!({"kind": "clock", "subscribers": 8, "every_ms": 2, "messages": 10});
    let (_server, address) = Engine::serve(&plan(&json!({"feed": feed})));
    for _ in 0..2 {
        let mut clients: Vec<_> = (0..8).map(|_| RawClient::open(address, "/feed")).collect();
        let mut incoming = clients.iter_mut().map(|client| {
            let instants: Vec<_> = (0..10).map(|_| client.receive_text()).collect();
            assert_eq!(client.receive(), Incoming::Close(Some(1000)));
            client.close(1000);
            assert_eq!(client.receive(), Incoming::End);
            instants
        });
        let first = incoming.next().unwrap();
        assert!(incoming.all(|instants| instants == first));
    }
}

#[test]
fn seconds_are_totals_of_all_threads() {
    let (mut server, address) = Engine::serve(&plan(&json!({})));
    let mut clients: Vec<_> = (0..4)
        .map(|_| RawClient::open(address, "/100000000"))
        .collect();
    for client in &mut clients {
        assert!(matches!(client.receive(), Incoming::Text(_)));
    }
    let second = server.line();
    assert_eq!(second["event"], "second");
    let messages = second["messages"].as_u64().unwrap();
    assert!(messages >= 4, "{second}");
    assert_eq!(second["bytes"], messages * 11);
}
