//! Timing of a trial: it ends on time, reports its seconds, and counts everything once.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::sync::Barrier;
use std::sync::mpsc::channel;
use std::time::Duration;

use autostrada_proto::frame::Opcode;
use serde_json::{Value, json};

use crate::hostile::load;
use crate::hostile_socket_io::{SESSION, polling, read_body, response};
use crate::process::{Engine, LIMIT, assert_fields, echo_server};
use crate::raw_server::{Peer, accept_all, frame, ignore, read_head, serve_one};

/// An open-loop workload with more messages than can be sent.
fn too_many(window_s: f64) -> Value {
    json!({
        "kind": "echo", "schedule": {"kind": "constant", "rate_per_s": 100_000_000},
        "phases": {"window_s": window_s, "drain_s": 0.1},
    })
}

fn failures(result: &Value) -> Vec<(String, u64)> {
    let failures = result["failures"].as_array().unwrap().iter();
    failures
        .map(|failure| {
            let kind = failure["kind"].as_str().unwrap();
            (kind.to_owned(), failure["count"].as_u64().unwrap())
        })
        .collect()
}

#[test]
fn an_unattainable_rate_is_reported_and_the_trial_ends() {
    let (_server, url) = echo_server();
    let result = load(&url, &too_many(0.3), &json!({}));
    assert!(result["generator_limited"].is_string(), "{result}");
    assert_eq!(result["exchange"]["unsent"], 0);
}

#[test]
fn an_unattainable_rate_does_not_delay_seconds_and_interruptions() {
    let (_server, url) = echo_server();
    let mut client = Engine::load(&json!({
        "format": 2, "url": url, "connections": 4, "workload": too_many(600.0),
    }));
    client.ready();
    assert_eq!(client.line()["second"], 0);
    client.interrupt();
    assert_eq!(client.result()["ended"], "interrupted");
}

#[test]
fn an_answer_after_the_drain_is_a_failure() {
    let (address, server) = serve_one(|mut peer| {
        peer.write(&[]);
        assert_eq!(peer.read_close(), Some(1000));
        peer.send(Opcode::Text, b"hello world");
        peer.close_with(1000);
    });
    let workload = json!({"kind": "echo", "phases": {"window_s": 0.1, "drain_s": 0.1}});
    let result = load(&format!("ws://{address}/"), &workload, &json!({}));
    server.join().unwrap();
    assert_eq!(failures(&result), [("timeout".to_owned(), 1)]);
    assert_eq!(result["exchange"]["sent"], 1);
}

#[test]
fn a_server_that_closes_in_the_drain_owes_its_answers() {
    let (address, server) = serve_one(|mut peer| {
        peer.write(&[]);
        // The server closes after the window and before the end of the drain.
        let wait = Some(Duration::from_millis(700));
        peer.stream.set_read_timeout(wait).unwrap();
        while peer.stream.read(&mut [0; 64]).is_ok() {}
        peer.close_with(1001);
    });
    let workload = json!({"kind": "echo", "phases": {"window_s": 0.1, "drain_s": 20}});
    let result = load(&format!("ws://{address}/"), &workload, &json!({}));
    server.join().unwrap();
    assert_eq!(failures(&result), [("close".to_owned(), 1)]);
}

#[test]
fn seconds_are_reported_even_if_some_threads_have_no_connections() {
    let (_server, url) = echo_server();
    let mut client = Engine::load(&json!({
        "format": 2, "url": url, "connections": 1, "threads": 3,
        "workload": {"kind": "echo", "phases": {"window_s": 600}},
    }));
    client.ready();
    for second in 0..2 {
        assert_eq!(client.line()["second"], second);
    }
    client.interrupt();
    assert_eq!(client.result()["ended"], "interrupted");
}

#[test]
fn a_load_whose_output_is_not_read_ends() {
    let (_server, url) = echo_server();
    let mut client = Command::new(env!("CARGO_BIN_EXE_autostrada-engine"))
        .args(["load", "--plan", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let plan = json!({
        "format": 2, "url": url, "workload": {"kind": "echo", "phases": {"window_s": 600}},
    });
    let mut stdin = client.stdin.take().unwrap();
    stdin.write_all(plan.to_string().as_bytes()).unwrap();
    drop(stdin);
    let mut stdout = BufReader::new(client.stdout.take().unwrap());
    stdout.read_line(&mut String::new()).unwrap();
    drop(stdout);
    let (sender, ended) = channel();
    let pid = client.id();
    std::thread::spawn(move || sender.send(client.wait().unwrap()));
    let Ok(status) = ended.recv_timeout(LIMIT) else {
        let killed = Command::new("kill").arg(pid.to_string()).status();
        panic!("the engine does not end; killed: {killed:?}");
    };
    assert_eq!(status.code(), Some(1));
}

#[test]
fn connections_not_opened_in_time_have_failed() {
    let address = accept_all(|_, stream| ignore(&stream));
    let workload = json!({"kind": "connect", "phases": {"window_s": 0.1, "opening_s": 0.2}});
    let settings = json!({"connections": 3, "connect_pending_max": 1});
    let result = load(&format!("ws://{address}/"), &workload, &settings);
    assert_eq!(failures(&result), [("timeout".to_owned(), 3)]);
}

#[test]
fn an_unanswered_closing_handshake_does_not_prevent_reconnection() {
    let address = accept_all(|number, stream| {
        let mut peer = Peer::handshake(stream);
        peer.write(&[]);
        if number == 0 {
            return ignore(&peer.stream);
        }
        peer.read_close();
        peer.close_with(1000);
    });
    let workload = json!({"kind": "reconnect", "drop": "close", "phases": {"window_s": 600}});
    let mut client = Engine::load(&json!({
        "format": 2, "url": format!("ws://{address}/"), "workload": workload,
    }));
    client.ready();
    let result = client.result_when(&[("opened", 2)]);
    let recovery = &result["recovery"];
    let once = json!({"dropped": 1, "attempts": 1, "recovered": 1});
    assert_fields(recovery, &once);
    assert_eq!(failures(&result), [("timeout".to_owned(), 1)]);
}

#[test]
fn reconnections_to_a_silent_server_fail() {
    let address = accept_all(|number, stream| {
        if number >= 3 {
            return ignore(&stream);
        }
        let mut peer = Peer::handshake(stream);
        peer.write(&[]);
        ignore(&peer.stream);
    });
    let workload = json!({"kind": "reconnect", "phases": {"window_s": 4}});
    let settings = json!({"connections": 3, "connect_pending_max": 2});
    let result = load(&format!("ws://{address}/"), &workload, &settings);
    let recovery = &result["recovery"];
    // No more than two are on their way at once.
    let counts = json!({"dropped": 3, "attempts": 2, "recovered": 0});
    assert_fields(recovery, &counts);
    assert_eq!(failures(&result), [("timeout".to_owned(), 2)]);
}

#[test]
fn a_feed_of_framed_tcp_ends_with_its_stream() {
    let address = accept_all(|_, mut stream| {
        stream.write_all(b"\x00\x00\x00\x05hello").unwrap();
    });
    let workload = json!({"kind": "receive", "phases": {"window_s": 5}});
    let settings = json!({"protocol": {"kind": "framed-tcp"}});
    let result = load(&format!("tcp://{address}/"), &workload, &settings);
    assert_fields(&result, &json!({"ended": "closed", "failures": []}));
    let address = accept_all(|_, mut stream| {
        stream.write_all(b"\x00\x00\x00\x05hell").unwrap();
    });
    let result = load(&format!("tcp://{address}/"), &workload, &settings);
    assert_eq!(failures(&result), [("close".to_owned(), 1)]);
}

#[test]
fn slow_consumers_over_long_polling_leave_messages_in_their_sockets() {
    let event = format!("42[\"message\",\"{}\"]", "x".repeat(1_000_000));
    let address = polling(move |stream, polls| {
        let body = if polls == 0 {
            "40{\"sid\":\"a\"}"
        } else {
            &event
        };
        let _ = stream.write_all(&response(body));
    });
    let workload = json!({
        "kind": "slow-consumer", "slow": {"share": 1}, "phases": {"window_s": 4},
    });
    let settings = json!({"protocol": {"kind": "socket-io", "transport": "polling"}});
    let result = load(&format!("http://{address}/"), &workload, &settings);
    assert!(
        result["slow"]["unread_bytes"].as_u64() > Some(0),
        "{result}"
    );
}

#[test]
fn a_server_may_end_the_socket_of_the_requests_whenever_it_is_idle() {
    let address = accept_all(|_, mut stream| {
        let session = format!("0{SESSION}");
        loop {
            let head = read_head(&stream);
            let is_poll = head.contains("sid=");
            if head.starts_with("POST") {
                read_body(&mut stream, &head);
                return stream.write_all(&response("ok")).unwrap();
            }
            let body = if is_poll {
                "40{\"sid\":\"a\"}"
            } else {
                &session
            };
            stream.write_all(&response(body)).unwrap();
            if is_poll {
                return ignore(&stream);
            }
        }
    });
    let workload = json!({"kind": "connect", "phases": {"window_s": 0.3}});
    let settings = json!({"protocol": {"kind": "socket-io", "transport": "polling"}});
    let result = load(&format!("http://{address}/"), &workload, &settings);
    assert_fields(&result, &json!({"connections": 1, "failures": []}));
}

#[test]
fn a_thread_that_waits_for_others_reads_its_frames() {
    let both = Barrier::new(2);
    let address = accept_all(move |number, stream| {
        if number == 0 {
            let mut peer = Peer::handshake(stream);
            for ping in [b"there?", b"still?"] {
                peer.write(&frame(Opcode::Ping, ping));
                assert_eq!(peer.read_pong(), ping);
            }
            both.wait();
            return ignore(&peer.stream);
        }
        both.wait();
        let mut peer = Peer::handshake(stream);
        peer.write(&[]);
        ignore(&peer.stream);
    });
    let workload = json!({"kind": "connect", "phases": {"window_s": 0.1, "opening_s": 20}});
    let settings = json!({"connections": 2, "threads": 2});
    let result = load(&format!("ws://{address}/"), &workload, &settings);
    assert_fields(&result, &json!({"connections": 2, "failures": []}));
}
