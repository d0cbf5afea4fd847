//! Tests of `stream.rs`.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;

use mio::{Events, Poll};

use super::*;
use crate::tcp::loopback::{WAIT_MAX, await_input, pair};

#[test]
fn bytes_go_from_one_end_to_the_other() {
    let (mut near, mut far) = pair();
    let mut buffer = [0; 16];
    assert_eq!(near.read(&mut buffer).unwrap(), Transfer::WouldBlock);
    far.write_all(b"hello").unwrap();
    await_input(&near);
    assert_eq!(near.read(&mut buffer).unwrap(), Transfer::Bytes(5));
    assert_eq!(&buffer[..5], b"hello");
}

#[test]
fn writing_blocks_while_the_peer_does_not_read_and_continues_later() {
    let (mut near, mut far) = pair();
    let block = vec![7; 64 * 1024];
    let mut sent = 0;
    while let Transfer::Bytes(moved) = near.write(&block).unwrap() {
        sent += moved;
    }
    let mut received = vec![0; sent];
    far.read_exact(&mut received).unwrap();
    assert_eq!(received, vec![7; sent]);
    assert_eq!(near.write(b"x").unwrap(), Transfer::Bytes(1));
}

#[test]
fn the_end_of_a_stream_is_reported_after_its_last_byte() {
    let (mut near, mut far) = pair();
    far.write_all(b"bye").unwrap();
    far.shutdown(Shutdown::Write).unwrap();
    let mut buffer = [0; 16];
    await_input(&near);
    assert_eq!(near.read(&mut buffer).unwrap(), Transfer::Bytes(3));
    for _ in 0..2 {
        await_input(&near);
        assert_eq!(near.read(&mut buffer).unwrap(), Transfer::Ended);
    }
    // The other direction is still open.
    near.write(b"x").unwrap();
    near.shutdown_write().unwrap();
    far.read_to_end(&mut Vec::new()).unwrap();
}

#[test]
fn a_reset_is_an_error_and_no_end() {
    let (mut near, mut far) = pair();
    // Closing a socket with unread bytes resets the connection.
    near.write(b"xy").unwrap();
    far.read_exact(&mut [0]).unwrap();
    drop(far);
    await_input(&near);
    let error = near.read(&mut [0; 16]).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
}

#[test]
fn the_reason_of_a_failed_connect_is_reported() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = Endpoint::Tcp(listener.local_addr().unwrap());
    drop(listener);
    let mut stream = Stream::connect(&endpoint, None, &SocketOptions::default()).unwrap();
    let mut poll = Poll::new().unwrap();
    stream.register(poll.registry(), Token(7)).unwrap();
    let mut events = Events::with_capacity(4);
    poll.poll(&mut events, Some(WAIT_MAX)).unwrap();
    assert!(events.iter().any(|event| event.token() == Token(7)));
    let error = stream.connect_error().unwrap().unwrap();
    assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
}

#[test]
fn a_connection_has_the_given_source_address() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let source = "127.0.0.7".parse().unwrap();
    let endpoint = Endpoint::Tcp(listener.local_addr().unwrap());
    let options = SocketOptions::default();
    let stream = Stream::connect(&endpoint, Some(source), &options).unwrap();
    let (_, peer) = listener.accept().unwrap();
    assert_eq!(peer.ip(), source);
    assert!(stream.connect_error().unwrap().is_none());
    let foreign = Some("192.0.2.1".parse().unwrap());
    assert!(Stream::connect(&endpoint, foreign, &options).is_err());
}

#[test]
fn the_kernel_describes_a_connection() {
    let (near, mut far) = pair();
    // Since Linux 4.10 it includes the busy time and the limits.
    assert!(near.tcp_info().unwrap().len() >= 192);
    assert_eq!(near.unread_bytes().unwrap(), 0);
    far.write_all(&[7; 5_000]).unwrap();
    while near.unread_bytes().unwrap() < 5_000 {
        std::thread::yield_now();
    }
    assert_eq!(near.unread_bytes().unwrap(), 5_000);
}

#[test]
fn a_unix_socket_has_no_tcp_info() {
    let name = format!("autostrada-net-{}", std::process::id());
    let path = std::env::temp_dir().join(name);
    let _listener = UnixListener::bind(&path).unwrap();
    let endpoint = Endpoint::Unix(path.clone());
    let stream = Stream::connect(&endpoint, None, &SocketOptions::default()).unwrap();
    std::fs::remove_file(path).unwrap();
    assert!(stream.tcp_info().is_err());
}
