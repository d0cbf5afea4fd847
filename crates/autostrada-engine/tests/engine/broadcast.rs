//! Deliveries of messages that a server sends to many connections.

use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::sync::Mutex;

use autostrada_proto::frame::Opcode;
use serde_json::{Value, json};

use crate::process::Engine;
use crate::raw_server::{Peer, accept_all, frame};

/// The connections of a chat, and the number of its deliveries.
#[derive(Default)]
struct Room {
    members: Vec<TcpStream>,
    deliveries: u64,
}

/// A chat that sends each message to all connections: to its sender if `sends_back`, and without
/// every delivery whose number `is_lost` says.
fn chat(sends_back: bool, is_lost: fn(u64) -> bool) -> SocketAddr {
    let room = Mutex::new(Room::default());
    accept_all(move |_, stream| {
        let mut peer = Peer::handshake(stream);
        peer.write(b"");
        let own = peer.stream.peer_addr().unwrap();
        let member = peer.stream.try_clone().unwrap();
        room.lock().unwrap().members.push(member);
        while let Some(text) = peer.read_text_or_close() {
            let Room {
                members,
                deliveries,
            } = &mut *room.lock().unwrap();
            for member in members {
                // One that has left has no address.
                if sends_back || member.peer_addr().is_ok_and(|address| address != own) {
                    *deliveries += 1;
                    if !is_lost(*deliveries) {
                        let _ = member.write_all(&frame(Opcode::Text, text.as_bytes()));
                    }
                }
            }
        }
        peer.close_with(1000);
    })
}

/// Loads a chat with four connections; returns the report and the status.
fn loaded(address: SocketAddr, options: &[&str]) -> (Value, Option<i32>) {
    let url = format!("ws://{address}/");
    let load = ["load", &url, "-c", "4", "-r", "100/s", "-n", "100"];
    let timed = ["-m", r#"{"t":{{now_ns}}}"#, "--reply", "time:$.t"];
    let gates = ["--fail-if", "errors > 1%", "--fail-if", "delivered < 99%"];
    let arguments = [&load[..], &timed, &gates, options, &["--json", "-"]].concat();
    let finished = Engine::start(&arguments).finish();
    (finished.lines[0].clone(), finished.status)
}

#[test]
fn deliveries_that_are_lost_fail_conditions() {
    let (report, status) = loaded(chat(true, |number| number % 20 == 0), &[]);
    let deliveries = &report["exchange"]["deliveries"];
    assert_eq!(deliveries["receivers"], 4);
    assert_eq!([&deliveries["due"], &deliveries["lost"]], [400, 20]);
    // Every fifth delivery to the last connection that opened.
    assert_eq!(deliveries["most_lost"]["lost"], 20);
    let complete = deliveries["last_receiver_time_ns"].as_array().unwrap();
    let complete = complete.iter().map(|bucket| bucket[1].as_u64().unwrap());
    assert_eq!(complete.sum::<u64>(), 80);
    for condition in report["conditions"].as_array().unwrap() {
        assert!(condition["failure"].is_string(), "{condition}");
    }
    assert_eq!(status, Some(99));
}

#[test]
fn a_chat_that_leaves_out_the_sender_loses_nothing() {
    let (report, status) = loaded(chat(false, |_| false), &[]);
    let deliveries = &report["exchange"]["deliveries"];
    assert_eq!([&deliveries["due"], &deliveries["lost"]], [300, 0]);
    assert_eq!(status, Some(0), "{report}");
}

#[test]
fn the_user_says_for_how_many_connections_a_message_is() {
    let to_half = |number| number % 2 == 0;
    let (unknown, status) = loaded(chat(true, to_half), &[]);
    assert_eq!(unknown["exchange"]["deliveries"]["due"], json!(null));
    assert_eq!(status, Some(99), "{unknown}");
    let (known, status) = loaded(chat(true, to_half), &["--receivers", "2"]);
    assert_eq!(known["exchange"]["deliveries"]["due"], 200);
    assert_eq!(status, Some(0), "{known}");
}
