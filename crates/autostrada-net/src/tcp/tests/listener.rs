//! Tests of `listener.rs`.

use super::*;
use crate::tcp::loopback::WAIT_MAX;
use mio::{Events, Poll};
use std::net::TcpStream;

fn listen(options: &SocketOptions) -> Listener {
    Listener::bind("127.0.0.1:0".parse().unwrap(), options).unwrap()
}

/// Connects to a listener, and returns the accepted end and its peer.
fn accept(listener: &Listener) -> (Stream, TcpStream) {
    let peer = TcpStream::connect(listener.local_address().unwrap()).unwrap();
    (
        listener.accept().unwrap().expect("a client has connected"),
        peer,
    )
}

#[test]
fn no_connection_waits_at_first() {
    let listener = listen(&SocketOptions::default());
    assert_ne!(listener.local_address().unwrap().port(), 0);
    assert!(listener.accept().unwrap().is_none());
}

#[test]
fn an_address_can_be_used_once() {
    let first = listen(&SocketOptions::default());
    let address = first.local_address().unwrap();
    let error = Listener::bind(address, &SocketOptions::default()).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
}

#[test]
fn accepted_connections_are_set_as_asked_for() {
    let listener = listen(&SocketOptions {
        congestion_control: Some("reno".to_owned()),
        no_delay: false,
        send_buffer_bytes: Some(5_000),
        receive_buffer_bytes: Some(6_000),
    });
    let (stream, _peer) = accept(&listener);
    assert_eq!(stream.congestion_control().unwrap(), "reno");
    let socket = SockRef::from(&stream);
    assert!(!socket.tcp_nodelay().unwrap());
    // The kernel doubles the sizes for its own overhead.
    assert_eq!(socket.send_buffer_size().unwrap(), 10_000);
    assert_eq!(socket.recv_buffer_size().unwrap(), 12_000);
    let (stream, _peer) = accept(&listen(&SocketOptions::default()));
    assert!(SockRef::from(&stream).tcp_nodelay().unwrap());
}

#[test]
fn the_error_of_an_unknown_congestion_control_lists_the_available_ones() {
    let listening = SocketOptions {
        congestion_control: Some("none".to_owned()),
        ..SocketOptions::default()
    };
    let address = "127.0.0.1:0".parse().unwrap();
    let error = Listener::bind(address, &listening).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("\"none\"") && text.contains("reno"), "{text}");
}

#[test]
fn one_poller_after_another_waits_for_the_same_connections() {
    let mut first = listen(&SocketOptions::default());
    let mut second = first.try_clone().unwrap();
    let mut polls = [Poll::new().unwrap(), Poll::new().unwrap()];
    first.register(polls[0].registry(), Token(0)).unwrap();
    first.deregister(polls[0].registry()).unwrap();
    let _peer = TcpStream::connect(first.local_address().unwrap()).unwrap();
    second.register(polls[1].registry(), Token(0)).unwrap();
    let mut events = Events::with_capacity(4);
    polls[1].poll(&mut events, Some(WAIT_MAX)).unwrap();
    assert_eq!(events.iter().count(), 1);
    assert!(second.accept().unwrap().is_some());
    polls[0]
        .poll(&mut events, Some(std::time::Duration::ZERO))
        .unwrap();
    assert_eq!(events.iter().count(), 0);
}
