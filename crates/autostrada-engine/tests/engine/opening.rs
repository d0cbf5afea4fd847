//! Connections of `load` that do not open, or only late.

use std::io::Write;
use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::mpsc::channel;

use autostrada_proto::frame::Opcode;
use serde_json::{Value, json};

use crate::process::{Engine, assert_fields, load, words};
use crate::raw_server::{Peer, accept_all, ignore, read_head};

#[test]
fn the_load_goes_on_with_the_connections_that_opened_in_time() {
    let address = accept_all(|number, stream| {
        if number > 0 {
            return ignore(&stream);
        }
        let mut peer = Peer::handshake(stream);
        peer.write(&[]);
        for _ in 0..3 {
            let question = peer.read_text();
            peer.send(Opcode::Text, question.as_bytes());
        }
        assert_eq!(peer.read_close(), Some(1000));
        peer.close_with(1000);
    });
    let url = format!("ws://{address}");
    let load = load(&words(&format!(
        "{url} -c 4 --connect-timeout 3s -n 3 --json -"
    )));
    let result: Value = serde_json::from_str(&load.screen()).unwrap();
    assert_eq!(result["connections"], 1);
    assert_eq!(result["failures"][0]["kind"], "timeout");
    assert_eq!(result["failures"][0]["count"], 3);
}

#[test]
fn a_plan_limits_the_time_in_which_each_connection_opens() {
    let address = accept_all(|_, stream| ignore(&stream));
    let plan = json!({
        "format": 2, "url": format!("ws://{address}/5"), "connect_timeout_s": 0.1,
        "workload": {"kind": "receive", "messages": 5},
    });
    let result = Engine::load(&plan).complete();
    assert_fields(&result, &json!({"connections": 0, "ended": "timeout"}));
    assert_eq!(
        result["failures"][0]["example"],
        "the opening handshake was not answered within 0.1 s"
    );
}

#[test]
fn a_line_says_how_many_connections_are_awaited() {
    let (sender, receiver) = channel::<()>();
    let released = Mutex::new(receiver);
    let address = accept_all(move |_, stream| {
        released.lock().unwrap().recv().unwrap();
        let mut peer = Peer::handshake(stream);
        peer.write(&[]);
        let question = peer.read_text();
        peer.send(Opcode::Text, question.as_bytes());
        peer.read_close();
        peer.close_with(1000);
    });
    let url = format!("ws://{address}");
    let load = format!("load {url} -c 2 -n 2 --connect-timeout 5m --json -");
    let engine = Engine::start(&words(&load));
    engine.wait_for_log("waiting for connections to open: 0 of 2");
    sender.send(()).unwrap();
    sender.send(()).unwrap();
    assert_eq!(engine.finish().status, Some(0));
}

/// Refuses each opening handshake.
fn refuse(_: usize, mut stream: TcpStream) {
    read_head(&stream);
    let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
}

/// The result of a load of ten minutes that a server refuses.
fn refused(arguments: &[&str]) -> Value {
    let url = format!("ws://{}", accept_all(refuse));
    let ended = load(&[&[&url, "-d", "10m", "--json", "-"], arguments].concat());
    assert_eq!(ended.status, Some(1), "{}", ended.stderr);
    let result: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(result["connections"], 0);
    assert_eq!(result["ended"], "reset");
    result
}

#[test]
fn an_open_loop_without_connections_ends_at_once() {
    for threads in ["1", "2"] {
        let result = refused(&["-c", "4", "-r", "1/s/conn", "-t", threads]);
        assert_eq!(result["failures"][0]["count"], 4);
        assert_eq!(result["window_ns"], 0);
    }
}

#[test]
fn no_further_connections_are_opened_if_the_first_ones_are_refused() {
    let result = refused(&["-c", "10k", "--connect-rate", "100/s"]);
    let refused = result["failures"][0]["count"].as_u64().unwrap();
    assert!((10..1000).contains(&refused), "{refused}");
}
