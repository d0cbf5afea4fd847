//! Deliveries of messages that a server sends to many connections.

use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::sync::Mutex;

use autostrada_proto::frame::Opcode;

use crate::process::Engine;
use crate::raw_server::{Peer, accept_all, frame};

/// The connections of a chat, and the number of its deliveries.
#[derive(Default)]
struct Room {
    members: Vec<TcpStream>,
    deliveries: u64,
}

/// A chat that sends each message to all connections, without every twentieth delivery.
fn chat() -> SocketAddr {
    let room = Mutex::new(Room::default());
    accept_all(move |_, stream| {
        let mut peer = Peer::handshake(stream);
        peer.write(b"");
        let member = peer.stream.try_clone().unwrap();
        room.lock().unwrap().members.push(member);
        while let Some(text) = peer.read_text_or_close() {
            let Room {
                members,
                deliveries,
            } = &mut *room.lock().unwrap();
            for member in members {
                *deliveries += 1;
                if !deliveries.is_multiple_of(20) {
                    let _ = member.write_all(&frame(Opcode::Text, text.as_bytes()));
                }
            }
        }
        peer.close_with(1000);
    })
}

#[test]
fn deliveries_that_are_lost_fail_conditions() {
    let url = format!("ws://{}/", chat());
    let load = ["load", &url, "-c", "4", "-r", "100/s", "-n", "100"];
    let timed = ["-m", r#"{"t":{{now_ns}}}"#, "--reply", "time:$.t"];
    let gates = ["--fail-if", "errors > 1%", "--fail-if", "delivered < 99%"];
    let arguments = [&load[..], &timed, &gates, &["--json", "-"]].concat();
    let finished = Engine::start(&arguments).finish();
    let report = &finished.lines[0];
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
    assert_eq!(finished.status, Some(99));
}
