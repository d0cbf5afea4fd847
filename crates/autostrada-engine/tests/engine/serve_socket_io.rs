//! `serve` with Socket.IO, byte by byte: by WebSocket, and by polling.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use autostrada_proto::frame::Opcode;
use serde_json::{Value, json};

use crate::process::{Engine, LIMIT};
use crate::raw_client::{Heard, RawClient};

const BY_WEB_SOCKET: &str = "/socket.io/?EIO=4&transport=websocket";
const BY_POLLING: &str = "/socket.io/?EIO=4&transport=polling";

fn serve(settings: &Value) -> (Engine, SocketAddr) {
    let mut plan = json!({
        "format": 2, "listen": "127.0.0.1:0", "workload": {"kind": "push"},
        "protocol": {"kind": "socket-io"},
    });
    for (key, value) in settings.as_object().unwrap() {
        plan[key] = value.clone();
    }
    Engine::serve(&plan)
}

/// Opens a session by WebSocket, and uses a namespace.
fn open(address: SocketAddr, namespace: &str) -> RawClient {
    let mut client = RawClient::open(address, BY_WEB_SOCKET);
    let opened = client.hear_text();
    let session: Value = serde_json::from_str(opened.strip_prefix('0').unwrap()).unwrap();
    assert_eq!(session["upgrades"], json!([]));
    client.send(Opcode::Text, format!("40{namespace},").as_bytes());
    let answer = client.hear_text();
    let start = format!("40{namespace},{{\"sid\":");
    assert!(answer.starts_with(&start), "{answer}");
    client
}

#[test]
fn an_event_comes_back_as_an_event() {
    let (_server, address) = serve(&json!({"protocol": {"kind": "socket-io", "event": "said"}}));
    let mut client = open(address, "/echo");
    client.send(Opcode::Text, br#"42/echo,["other",1]"#);
    client.send(Opcode::Text, br#"42/echo,["said",{"a":[1]},"b"]"#);
    assert_eq!(client.hear_text(), r#"42/echo,["said",{"a":[1]},"b"]"#);
}

#[test]
fn an_event_that_asks_for_an_acknowledgement_gets_its_arguments_in_it() {
    let (_server, address) = serve(&json!({}));
    let mut client = open(address, "/echo");
    client.send(Opcode::Text, br#"42/echo,17["message","a",{"b":2}]"#);
    assert_eq!(client.hear_text(), r#"43/echo,17["a",{"b":2}]"#);
}

#[test]
fn bytes_come_back_as_attachments() {
    let (_server, address) = serve(&json!({}));
    let mut client = open(address, "/echo");
    let event = r#"451-/echo,["message",{"_placeholder":true,"num":0}]"#;
    client.send(Opcode::Text, event.as_bytes());
    client.send(Opcode::Binary, &[0, 255]);
    assert_eq!(client.hear_text(), event);
    assert_eq!(client.hear(), Heard::Binary(vec![0, 255]));
}

#[test]
fn messages_are_pushed_as_events_and_measured() {
    let payload = json!({"base64": "AP8="});
    let (mut server, address) = serve(&json!({"workload": {"kind": "push", "payload": payload}}));
    let mut client = open(address, "/2");
    for _ in 0..2 {
        let event = r#"451-/2,["message",{"_placeholder":true,"num":0}]"#;
        assert_eq!(client.hear_text(), event);
        assert_eq!(client.hear(), Heard::Binary(vec![0, 255]));
    }
    client.close(1000);
    let result = server.result();
    assert_eq!(
        (&result["messages"], &result["bytes"]),
        (&json!(2), &json!(4))
    );
    assert_eq!(result["ended"], "complete");
    assert_eq!(result["acknowledged_bytes"], result["wire_bytes"]);
}

#[test]
fn a_feed_ends_with_all_farewells_of_its_protocols() {
    let feed = json!({"kind": "sequence", "messages": 2});
    let (_server, address) = serve(&json!({"feed": feed}));
    let mut client = open(address, "/feed");
    for expected in [
        r#"42/feed,["message","0"]"#,
        r#"42/feed,["message","1"]"#,
        "41/feed,",
        "1",
    ] {
        assert_eq!(client.hear_text(), expected);
    }
    assert_eq!(client.hear(), Heard::Close(Some(1000)));
}

#[test]
fn another_namespace_is_refused_with_the_remedy() {
    let (_server, address) = serve(&json!({}));
    let mut client = RawClient::open(address, BY_WEB_SOCKET);
    client.hear_text();
    for namespace in ["/", "/hello", "/feed"] {
        client.send(Opcode::Text, format!("40{namespace},").as_bytes());
        let answer = client.hear_text();
        assert!(
            answer.starts_with("44") && answer.contains("connect to /N"),
            "{answer}"
        );
    }
    client.send(Opcode::Text, b"40/echo,");
    assert!(client.hear_text().starts_with("40/echo,"));
    client.send(Opcode::Text, b"40/1,");
    assert!(client.hear_text().starts_with("44/1,"));
}

#[test]
fn who_is_silent_is_asked_and_then_let_go() {
    let protocol = json!({"kind": "socket-io", "ping_interval_ms": 20});
    let (_server, address) = serve(&json!({"protocol": protocol}));
    let mut client = open(address, "/echo");
    assert_eq!(client.hear_text(), "2");
    client.send(Opcode::Text, b"3");
    while client.hear() != Heard::End {}
}

#[test]
fn what_is_no_packet_ends_the_session_only() {
    let (_server, address) = serve(&json!({}));
    for garbage in [&b"x"[..], b"4", b"42[", b"42/echo,{}", b"451-/echo,[]"] {
        let mut client = open(address, "/echo");
        client.send(Opcode::Text, garbage);
        // An attachment that is due and does not come.
        client.send(Opcode::Text, b"40");
        loop {
            match client.hear() {
                Heard::Close(code) => break assert_eq!(code, Some(1002)),
                Heard::Text(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn a_request_that_is_for_no_session_is_refused() {
    let (_server, address) = serve(&json!({}));
    for path in [
        "/echo",
        "/socket.io/",
        "/socket.io/?EIO=3&transport=websocket",
        "/socket.io/?EIO=4&transport=websocket&sid=0-1",
        BY_POLLING,
    ] {
        let head = RawClient::ask(address, path).read_head();
        assert!(head.starts_with("HTTP/1.1 404 "), "{path}: {head}");
    }
}

/// A connection for requests by polling.
struct Poller {
    stream: TcpStream,
    address: SocketAddr,
}

impl Poller {
    fn new(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        Self { stream, address }
    }

    fn ask(&mut self, target: &str, body: Option<&str>) {
        let head = match body {
            None => format!("GET {target} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address),
            Some(body) => format!(
                "POST {target} HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n\r\n{body}",
                self.address,
                body.len()
            ),
        };
        self.stream.write_all(head.as_bytes()).unwrap();
    }

    /// The status and the body of the next response.
    fn response(&mut self) -> (u16, String) {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            self.stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap();
        let (_, length) = head.split_once("Content-Length: ").unwrap();
        let length = length.lines().next().unwrap().parse().unwrap();
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).unwrap();
        (
            head[9..12].parse().unwrap(),
            String::from_utf8(body).unwrap(),
        )
    }

    fn get(&mut self, target: &str) -> (u16, String) {
        self.ask(target, None);
        self.response()
    }

    fn post(&mut self, target: &str, body: &str) -> (u16, String) {
        self.ask(target, Some(body));
        self.response()
    }
}

/// Opens a session by polling, and uses a namespace; returns the target of its requests.
fn open_polled(get: &mut Poller, post: &mut Poller, namespace: &str) -> String {
    let (status, body) = get.get(BY_POLLING);
    assert_eq!(status, 200);
    let session: Value = serde_json::from_str(body.strip_prefix('0').unwrap()).unwrap();
    let target = format!("{BY_POLLING}&sid={}", session["sid"].as_str().unwrap());
    assert_eq!(
        post.post(&target, &format!("40{namespace},")),
        (200, "ok".into())
    );
    target
}

#[test]
fn a_poll_waits_until_something_is_said_on_another_connection() {
    let (_server, address) = serve(&json!({}));
    let (mut get, mut post) = (Poller::new(address), Poller::new(address));
    let target = open_polled(&mut get, &mut post, "/echo");
    assert!(get.get(&target).1.starts_with("40/echo,{\"sid\":"));
    get.ask(&target, None);
    let events = "42/echo,[\"message\",\"a\"]\x1e42/echo,7[\"message\",\"b\"]";
    assert_eq!(post.post(&target, events), (200, "ok".into()));
    let expected = "42/echo,[\"message\",\"a\"]\x1e43/echo,7[\"b\"]";
    assert_eq!(get.response(), (200, expected.into()));
}

#[test]
fn messages_by_polling_are_measured_too() {
    let (mut server, address) = serve(&json!({}));
    let (mut get, mut post) = (Poller::new(address), Poller::new(address));
    let target = open_polled(&mut get, &mut post, "/100");
    let mut events = 0;
    while events < 100 {
        let (_, body) = get.get(&target);
        let packets: Vec<_> = body.split('\x1e').collect();
        assert!(packets.len() <= 16);
        let event = r#"42/100,["message","hello world"]"#;
        events += packets.iter().filter(|&&packet| packet == event).count();
    }
    get.ask(&target, None);
    post.post(&target, "41/100,");
    assert_eq!(get.response(), (200, "6".into()));
    assert_eq!(get.get(&target).0, 400);
    let result = server.result();
    assert_eq!(
        (&result["messages"], &result["bytes"]),
        (&json!(100), &json!(1_100))
    );
    assert_eq!(
        (&result["ended"], &result["acknowledged_bytes"]),
        (&json!("complete"), &Value::Null)
    );
}

#[test]
fn who_polls_hears_the_same_feed_as_others() {
    let feed = json!({"kind": "sequence", "audience": 2, "every_ms": 1, "messages": 30});
    let (_server, address) = serve(&json!({"feed": feed}));
    let mut socket = open(address, "/feed");
    let (mut get, mut post) = (Poller::new(address), Poller::new(address));
    let target = open_polled(&mut get, &mut post, "/feed");
    let mut heard = Vec::new();
    while heard.last() != Some(&"1".to_owned()) {
        let (status, body) = get.get(&target);
        assert_eq!(status, 200);
        heard.extend(body.split('\x1e').map(str::to_owned));
    }
    assert!(heard.remove(0).starts_with("40/feed,"));
    for expected in heard {
        assert_eq!(socket.hear_text(), expected);
    }
    assert_eq!(get.get(&target).0, 400);
}

#[test]
fn who_polls_and_answers_no_ping_is_let_go() {
    let protocol = json!({"kind": "socket-io", "ping_interval_ms": 20});
    let (_server, address) = serve(&json!({"protocol": protocol}));
    let (mut get, mut post) = (Poller::new(address), Poller::new(address));
    let target = open_polled(&mut get, &mut post, "/echo");
    let mut said = String::new();
    let status = loop {
        let (status, body) = get.get(&target);
        if status != 200 {
            break status;
        }
        said += &body;
    };
    assert_eq!(status, 400);
    assert!(said.ends_with("26"), "a ping, and nothing more: {said}");
}

#[test]
fn requests_that_are_none_of_a_session_cost_nobody_else() {
    let (_server, address) = serve(&json!({}));
    let (mut get, mut post) = (Poller::new(address), Poller::new(address));
    let target = open_polled(&mut get, &mut post, "/echo");
    let mut other = Poller::new(address);
    for target in [
        "/",
        "/socket.io/",
        "/socket.io/?EIO=4&transport=polling&sid=0-0",
    ] {
        assert_eq!(other.get(target).0, 400, "{target}");
    }
    assert_eq!(other.post(BY_POLLING, "40").0, 400);
    other
        .stream
        .write_all(b"DELETE / HTTP/1.1\r\n\r\n")
        .unwrap();
    assert_eq!(other.response().0, 405);
    let mut rest = Vec::new();
    assert_eq!(other.stream.read_to_end(&mut rest).unwrap(), 0);
    assert!(get.get(&target).1.starts_with("40/echo,"));
    // Garbage of its own ends the session.
    assert_eq!(post.post(&target, "garbage").0, 400);
    assert_eq!(get.get(&target).0, 400);
}

#[test]
fn several_threads_serve_no_polls() {
    let (server, address) = serve(&json!({"threads": 2}));
    let mut client = open(address, "/echo");
    client.send(Opcode::Text, br#"42/echo,["message","a"]"#);
    assert_eq!(client.hear_text(), r#"42/echo,["message","a"]"#);
    let (status, body) = Poller::new(address).get(BY_POLLING);
    assert_eq!(status, 400);
    assert!(body.contains("one thread"), "{body}");
    server.wait_for_log("one thread");
}
