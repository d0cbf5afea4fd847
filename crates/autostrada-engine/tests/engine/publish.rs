//! `load` with publishers and subscribers, against a server that sends each message to all.

use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::sync::Mutex;

use autostrada_proto::frame::Opcode;
use serde_json::{Value, json};

use crate::process::Engine;
use crate::raw_server::{Peer, accept_all, frame};

/// Starts a server of `/subscribe` and `/publish`, which leaves out every message whose number is
/// divisible by `lost`.
pub fn hub(lost: u64) -> SocketAddr {
    let subscribers = Mutex::<Vec<TcpStream>>::default();
    accept_all(move |_, stream| {
        let mut peer = Peer::handshake(stream);
        peer.write(&[]);
        if peer.path == "/subscribe" {
            let stream = peer.stream.try_clone().unwrap();
            subscribers.lock().unwrap().push(stream);
        }
        let mut number = 0;
        while let Some(text) = peer.read_text_or_close() {
            number += 1;
            if lost == 0 || number % lost != 0 {
                let frame = frame(Opcode::Text, text.as_bytes());
                for subscriber in subscribers.lock().unwrap().iter_mut() {
                    subscriber.write_all(&frame).unwrap();
                }
            }
        }
        peer.close_with(1000);
    })
}

fn publish(address: SocketAddr, connections: usize, workload: &Value) -> Value {
    Engine::load(&json!({
        "format": 2, "url": format!("ws://{address}/subscribe"), "connections": connections,
        "workload": workload,
    }))
    .complete()
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
