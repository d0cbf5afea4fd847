//! `load` through an HTTP proxy.

use std::io::Write;
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::thread::JoinHandle;

use serde_json::{Value, json};

use crate::process::Engine;
use crate::raw_server::{accept_one, read_head};

/// Serves one connection as a proxy: answers its request, and if it opens a tunnel, passes bytes on
/// to the server. Returns the request.
fn proxy(answer: &'static str, server: SocketAddr) -> (SocketAddr, JoinHandle<String>) {
    accept_one(move |mut client| {
        let request = read_head(&client);
        client.write_all(answer.as_bytes()).unwrap();
        if answer.contains(" 200 ") {
            let server = TcpStream::connect(server).unwrap();
            let (up, down) = (pass(&client, &server), pass(&server, &client));
            up.join().unwrap();
            down.join().unwrap();
        }
        request
    })
}

/// Passes bytes on until the stream ends.
fn pass(from: &TcpStream, to: &TcpStream) -> JoinHandle<()> {
    let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Write);
    })
}

/// Loads a server that only the proxy knows; returns the proxy's request and the result.
fn load_through(answer: &'static str) -> (String, Value) {
    let (_server, address) = Engine::echo();
    let (proxy, served) = proxy(answer, address);
    let mut engine = Engine::load(&json!({
        "format": 2, "url": "ws://nowhere.test/echo",
        "proxy": format!("http://ann:secret@{proxy}"),
        "workload": {"kind": "echo", "messages": 3, "phases": {"window_s": 60}},
    }));
    assert_eq!(engine.line()["event"], "ready");
    let result = engine.result();
    (served.join().unwrap(), result)
}

#[test]
fn a_connection_goes_through_the_tunnel() {
    let (request, result) = load_through("HTTP/1.0 200 Connection established\r\n\r\n");
    assert_eq!(
        request,
        "CONNECT nowhere.test:80 HTTP/1.1\r\nHost: nowhere.test:80\r\n\
         Proxy-Authorization: Basic YW5uOnNlY3JldA==\r\n\r\n"
    );
    assert_eq!(result["failures"], json!([]));
    assert_eq!(result["exchange"]["echoed"], 3);
}

#[test]
fn a_proxy_that_refuses_is_named() {
    let (_, result) = load_through("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(result["connections"], 0);
    let failure = &result["failures"][0];
    assert_eq!(failure["kind"], "connect");
    assert_eq!(failure["example"], "the proxy answered 403 Forbidden");
}
