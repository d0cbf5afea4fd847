//! `load` over Socket.IO against hostile servers, over WebSocket and long-polling.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use autostrada_proto::frame::Opcode;
use serde_json::{Value, json};

use crate::hostile::load;
use crate::process::assert_fields;
use crate::raw_server::{Peer, accept_all, flood, frame, ignore, read_head};

pub const SESSION: &str = r#"{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#;

fn text(packet: &str) -> Vec<u8> {
    frame(Opcode::Text, packet.as_bytes())
}

/// The failure of one connection to this server, and whether the connection was opened.
fn failure(url: &str, address: SocketAddr, settings: &Value, workload: &Value) -> (Value, bool) {
    let result = load(&format!("http://{address}{url}"), workload, settings);
    let failures = result["failures"].as_array().unwrap();
    assert_eq!(failures.len(), 1, "{result}");
    assert_eq!(failures[0]["count"], 1, "{result}");
    (failures[0].clone(), result["connections"] == 1)
}

fn idle() -> Value {
    json!({"kind": "connect", "phases": {"window_s": 0.2, "opening_s": 0.5}})
}

fn by_web_socket(frames: Vec<u8>) -> (Value, bool) {
    let address = accept_all(move |_, stream| {
        let mut peer = Peer::handshake(stream);
        peer.write(&frames);
        ignore(&peer.stream);
    });
    failure(
        "/",
        address,
        &json!({"protocol": {"kind": "socket-io"}}),
        &idle(),
    )
}

#[test]
fn invalid_packets_fail_the_connection() {
    let open = text(&format!("0{SESSION}"));
    let joined = [open.clone(), text("40{\"sid\":\"a\"}")].concat();
    let long = "x".repeat(3_000_000);
    for (frames, kind, is_open) in [
        (text("no packet"), "protocol", false),
        (text("0{}"), "protocol", false),
        ([open.clone(), open.clone()].concat(), "protocol", false),
        (text(&format!("4{long}")), "protocol", false),
        (
            [open.clone(), text("44{\"message\":\"no\"}")].concat(),
            "handshake",
            false,
        ),
        (
            [open.clone(), text("40/other,{\"sid\":\"a\"}")].concat(),
            "timeout",
            false,
        ),
        (open.clone(), "timeout", false),
        ([joined.clone(), text("437[]")].concat(), "mismatch", true),
        (
            [
                joined.clone(),
                text("451-[\"message\",{}]"),
                text("42[\"a\"]"),
            ]
            .concat(),
            "protocol",
            true,
        ),
        ([joined.clone(), text("41")].concat(), "close", true),
        ([joined.clone(), text("1")].concat(), "close", true),
        ([joined.clone(), open].concat(), "protocol", true),
        ([joined, text("42[\"message\"")].concat(), "protocol", true),
    ] {
        let excerpt = String::from_utf8_lossy(&frames[..frames.len().min(200)]).into_owned();
        let (failure, was_open) = by_web_socket(frames);
        assert_eq!(
            (&failure["kind"], was_open),
            (&json!(kind), is_open),
            "{excerpt}: {failure}"
        );
        assert!(
            failure["example"].as_str().unwrap().len() < 100,
            "{failure}"
        );
    }
}

#[test]
fn events_for_another_namespace_are_ignored() {
    let address = accept_all(move |_, stream| {
        let mut peer = Peer::handshake(stream);
        peer.write(&text(&format!("0{SESSION}")));
        peer.write(&text("40{\"sid\":\"a\"}"));
        peer.write(&text("42/other,[\"message\",\"hello world\"]"));
        ignore(&peer.stream);
    });
    let settings = json!({"protocol": {"kind": "socket-io"}});
    let result = load(&format!("http://{address}"), &idle(), &settings);
    assert_fields(&result, &json!({"messages": 0, "failures": []}));
}

/// An HTTP response.
pub fn response(body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// A long-polling server that answers polls with `poll` and other requests correctly.
pub fn polling(poll: impl Fn(&mut TcpStream, usize) + Send + Sync + 'static) -> SocketAddr {
    accept_all(move |_, mut stream| {
        let mut polls = 0;
        loop {
            let head = read_head(&stream);
            if head.is_empty() {
                return;
            }
            if head.starts_with("POST") {
                read_body(&mut stream, &head);
                let _ = stream.write_all(&response("ok"));
            } else if head.contains("sid=") {
                poll(&mut stream, polls);
                polls += 1;
            } else {
                let _ = stream.write_all(&response(&format!("0{SESSION}")));
            }
        }
    })
}

pub fn read_body(stream: &mut TcpStream, head: &str) {
    let name = "Content-Length: ";
    let line = head
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .unwrap();
    stream
        .read_exact(&mut vec![0; line.parse().unwrap()])
        .unwrap();
}

fn by_polling(
    workload: &Value,
    poll: impl Fn(&mut TcpStream, usize) + Send + Sync + 'static,
) -> (Value, bool) {
    let settings = json!({"protocol": {"kind": "socket-io", "transport": "polling"}});
    failure("/", polling(poll), &settings, workload)
}

#[test]
fn invalid_http_responses_fail_the_connection() {
    for (answer, kind) in [
        (&b"\x00\xff\xff"[..], "protocol"),
        (b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n", "handshake"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n1", "timeout"),
    ] {
        let (failure, _) = by_polling(&idle(), move |stream, _| {
            stream.write_all(answer).unwrap();
        });
        assert_eq!(
            failure["kind"],
            kind,
            "{}: {failure}",
            answer.escape_ascii()
        );
    }
}

#[test]
fn endless_interim_responses_do_not_delay_the_trial() {
    let (failure, _) = by_polling(&idle(), |stream, _| {
        flood(stream, &b"HTTP/1.1 100 Continue\r\n\r\n".repeat(1000));
    });
    assert_eq!(failure["kind"], "timeout", "{failure}");
}

#[test]
fn an_unrequested_response_is_a_violation() {
    let (failure, _) = by_polling(&idle(), |stream, polls| {
        let joined = response("40{\"sid\":\"a\"}");
        if polls == 0 {
            stream
                .write_all(&[joined, response("6"), response("6")].concat())
                .unwrap();
        }
    });
    assert_eq!(failure["kind"], "protocol", "{failure}");
    let early = accept_all(|_, mut stream| {
        let _ = stream.write_all(&response(&format!("0{SESSION}")).repeat(2));
        ignore(&stream);
    });
    let settings = json!({"protocol": {"kind": "socket-io", "transport": "polling"}});
    let workload = idle();
    let (failure, is_open) = self::failure("/", early, &settings, &workload);
    assert_eq!(
        (&failure["kind"], is_open),
        (&json!("protocol"), false),
        "{failure}"
    );
}

#[test]
fn not_all_pings_of_a_long_body_are_answered() {
    let workload = json!({"kind": "connect", "phases": {"window_s": 5, "opening_s": 5}});
    let pings = response(&format!(
        "40{{\"sid\":\"a\"}}\x1e2{}",
        "\x1e2".repeat(6_000_000)
    ));
    let (failure, _) = by_polling(&workload, move |stream, polls| {
        if polls == 0 {
            stream.write_all(&pings).unwrap();
        }
    });
    assert_eq!(failure["kind"], "write", "{failure}");
}
