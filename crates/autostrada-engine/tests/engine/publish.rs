//! `load` with publishers and subscribers, against a server that sends each message to all.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use autostrada_proto::frame::{Opcode, encode_frame};
use autostrada_proto::handshake::server::Request;
use autostrada_proto::message::{Decoded, Event, MessageDecoder, Role};
use serde_json::{Value, json};

use crate::process::{Engine, with};

/// Starts a server of `/subscribe` and `/publish`, which leaves out every message whose number is
/// divisible by `lost`.
pub fn hub(lost: u64) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let subscribers = Arc::new(Mutex::new(Vec::new()));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let subscribers = Arc::clone(&subscribers);
            std::thread::spawn(move || serve(stream.unwrap(), &subscribers, lost));
        }
    });
    address
}

fn serve(mut stream: TcpStream, subscribers: &Mutex<Vec<TcpStream>>, lost: u64) {
    let mut input = Vec::new();
    let mut buffer = [0; 4096];
    let request = loop {
        let bytes = stream.read(&mut buffer).unwrap();
        input.extend_from_slice(&buffer[..bytes]);
        if let Some(request) = Request::decode(&input).unwrap() {
            break request;
        }
    };
    input.drain(..request.consumed_bytes);
    let mut response = Vec::new();
    request.encode_response(&mut response);
    stream.write_all(&response).unwrap();
    if request.path == "/subscribe" {
        subscribers
            .lock()
            .unwrap()
            .push(stream.try_clone().unwrap());
    }
    let mut decoder = MessageDecoder::new(Role::Server, 1 << 20);
    let mut number = 0;
    loop {
        while let Decoded::Event {
            consumed_bytes,
            event,
        } = decoder.decode(&mut input).unwrap()
        {
            let mut frame = Vec::new();
            let mut is_closed = false;
            match event {
                Event::Text(payload) => {
                    number += 1;
                    if lost == 0 || number % lost != 0 {
                        encode_frame(Opcode::Text, None, payload, &mut frame);
                        for subscriber in subscribers.lock().unwrap().iter_mut() {
                            subscriber.write_all(&frame).unwrap();
                        }
                    }
                }
                Event::Close(_) => {
                    encode_frame(Opcode::Close, None, &[], &mut frame);
                    let _ = stream.write_all(&frame);
                    is_closed = true;
                }
                _ => {}
            }
            if is_closed {
                return;
            }
            input.drain(..consumed_bytes);
        }
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return,
            Ok(bytes) => input.extend_from_slice(&buffer[..bytes]),
        }
    }
}

fn publish(address: SocketAddr, connections: usize, workload: &Value) -> Value {
    let mut client = Engine::load(&json!({
        "format": 2, "url": format!("ws://{address}/subscribe"), "connections": connections,
        "workload": workload,
    }));
    client.ready();
    let result = client.result();
    assert_eq!(client.finish().status, Some(0));
    result
}

#[test]
fn what_is_published_reaches_each_subscriber_in_time() {
    let workload = json!({
        "kind": "publish", "phases": {"window_s": 0.5},
        "feed": {"kind": "stocks", "every_ms": 10, "broadcast": true},
    });
    let result = publish(hub(0), 4, &workload);
    assert_eq!(result["failures"], json!([]));
    assert_eq!(result["published"]["messages"], 50);
    assert_eq!(result["published"]["undelivered"], 0);
    assert_eq!(result["published"]["stalls"], 0);
    assert_eq!(result["sequence"]["missing"], 0);
    // On a busy machine the last ones arrive after the window.
    assert!(result["messages"].as_u64().unwrap() >= 3 * 10, "{result}");
}

#[test]
fn without_an_interval_the_next_message_follows_the_last_delivery() {
    let workload = json!({
        "kind": "publish", "window": 2, "phases": {"window_s": 0.3},
        "feed": {"kind": "sequence", "broadcast": true},
    });
    let result = publish(hub(0), 3, &workload);
    let published = &result["published"];
    assert!(published["messages"].as_u64().unwrap() > 10, "{published}");
    assert_eq!(published["undelivered"], 0);
    assert_eq!(published["stalls"], 0);
}

#[test]
fn lost_messages_are_undelivered() {
    let workload = json!({
        "kind": "publish", "phases": {"window_s": 0.5, "drain_s": 0.2},
        "feed": {"kind": "sequence", "every_ms": 10, "broadcast": true},
    });
    let result = publish(hub(5), 3, &workload);
    assert_eq!(result["published"]["undelivered"], 2 * 10);
    assert_eq!(result["published"]["messages"], 50);
}

#[test]
fn there_are_publishers_and_subscribers() {
    for (settings, remedy) in [
        (json!({"connections": 1}), "less than connections"),
        (json!({"connections": 4, "threads": 2}), "set threads to 1"),
    ] {
        let plan = json!({
            "format": 2, "url": "ws://127.0.0.1:1/",
            "workload": {
                "kind": "publish", "feed": {"kind": "clock"}, "phases": {"window_s": 1},
            },
        });
        let finished = Engine::load(&with(plan, &settings)).finish();
        assert_eq!(finished.status, Some(2));
        assert!(finished.stderr.contains(remedy), "{}", finished.stderr);
    }
}
