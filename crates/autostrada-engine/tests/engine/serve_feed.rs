//! `serve` with a feed: subscribers, messages, start and end.

use std::net::SocketAddr;

use autostrada_net::clock;
use autostrada_proto::deflate::DeflateOffer;
use autostrada_proto::feed::{FeedEncoding, FeedKind, read_heading};
use autostrada_proto::frame::Opcode;
use serde_json::{Value, json};

use crate::process::{Engine, push, with, words};
use crate::raw_client::{Incoming, RawClient};

fn serve(feed: &Value, settings: &Value) -> (Engine, SocketAddr) {
    Engine::serve(&with(push(&json!({"feed": feed})), settings))
}

/// Reads a feed to its end; returns its messages and its close code.
pub fn listen(client: &mut RawClient) -> (Vec<Vec<u8>>, Option<u16>) {
    let mut messages = Vec::new();
    loop {
        match client.receive() {
            Incoming::Text(payload) | Incoming::Binary(payload) => messages.push(payload),
            Incoming::Close(code) => {
                client.close(1000);
                assert_eq!(client.receive(), Incoming::End);
                return (messages, code);
            }
            other => panic!("not a feed message: {other:?}"),
        }
    }
}

fn numbers(messages: &[Vec<u8>]) -> Vec<u64> {
    let number = |message: &Vec<u8>| {
        read_heading(FeedKind::Sequence, FeedEncoding::Json, message)
            .unwrap()
            .number
            .unwrap()
    };
    messages.iter().map(number).collect()
}

#[test]
fn all_subscribers_receive_the_same_messages_and_a_close_frame() {
    let feed = json!({"kind": "sequence", "subscribers": 3, "every_ms": 1, "messages": 20});
    let (_server, address) = serve(&feed, &json!({}));
    let mut clients: Vec<_> = (0..3).map(|_| RawClient::open(address, "/feed")).collect();
    for client in &mut clients {
        let (messages, code) = listen(client);
        assert_eq!(numbers(&messages), (0..20).collect::<Vec<_>>());
        assert_eq!(code, Some(1000));
    }
}

#[test]
fn the_feed_closes_one_interval_after_the_last_message() {
    let feed = json!({"kind": "sequence", "every_ms": 40, "messages": 3});
    let (_server, address) = serve(&feed, &json!({}));
    let began_at = clock::now();
    let (messages, _) = listen(&mut RawClient::open(address, "/feed"));
    assert_eq!(numbers(&messages), [0, 1, 2]);
    assert!(clock::now() >= began_at + 3 * 40_000_000);
}

#[test]
fn nothing_is_sent_before_all_subscribers_have_joined() {
    let feed = json!({"kind": "sequence", "subscribers": 2, "messages": 2});
    let (_server, address) = serve(&feed, &json!({}));
    // A client that leaves before the feed begins is not a subscriber.
    let mut leaving = RawClient::open(address, "/feed");
    leaving.close(1000);
    assert_eq!(leaving.receive(), Incoming::Close(Some(1000)));
    let mut first = RawClient::open(address, "/feed");
    first.send(Opcode::Ping, b"waiting");
    assert_eq!(first.receive(), Incoming::Pong(b"waiting".to_vec()));
    let mut second = RawClient::open(address, "/feed");
    for client in [&mut first, &mut second] {
        assert_eq!(numbers(&listen(client).0), [0, 1]);
    }
}

#[test]
fn messages_contain_their_due_time() {
    let feed = json!({"kind": "clock", "messages": 3, "every_ms": 0.5});
    let (_server, address) = serve(&feed, &json!({}));
    let (messages, _) = listen(&mut RawClient::open(address, "/feed"));
    let times = messages.iter().map(|message| {
        let heading = read_heading(FeedKind::Clock, FeedEncoding::Json, message);
        heading.unwrap().time_ns.unwrap()
    });
    let times: Vec<_> = times.collect();
    assert_eq!(times, [0, 1, 2].map(|number| times[0] + number * 500_000));
}

#[test]
fn a_feed_without_an_interval_is_delivered_completely_and_counted() {
    let feed = json!({"kind": "stocks", "stocks": 3, "subscribers": 2, "messages": 20_000});
    let (mut server, address) = serve(&feed, &json!({"connections": 2}));
    let clients: Vec<_> = (0..2).map(|_| RawClient::open(address, "/feed")).collect();
    let readers = clients.into_iter().map(|mut client| {
        std::thread::spawn(move || {
            let (messages, code) = listen(&mut client);
            for (number, message) in messages.iter().enumerate() {
                let read = read_heading(FeedKind::Stocks, FeedEncoding::Json, message).unwrap();
                assert_eq!(read.number, Some(number as u64));
            }
            (
                messages.len(),
                messages.iter().map(Vec::len).sum::<usize>(),
                code,
            )
        })
    });
    let readers: Vec<_> = readers.collect();
    for reader in readers {
        let (messages, bytes, code) = reader.join().unwrap();
        assert_eq!((messages, code), (20_000, Some(1000)));
        let result = server.result();
        assert_eq!(result["messages"], 20_000, "{result}");
        assert_eq!(result["bytes"], bytes);
        assert_eq!(result["ended"], "complete");
        assert_eq!(result["close_code"], 1000);
        assert_eq!(result["acknowledged_bytes"], result["wire_bytes"]);
    }
    assert_eq!(server.finish().status, Some(0));
}

#[test]
fn a_feed_without_an_interval_waits_for_its_slowest_subscriber() {
    let feed = json!({"kind": "stocks", "stocks": 50, "subscribers": 2, "messages": 10_000});
    let (mut server, address) = serve(&feed, &json!({}));
    let slow = RawClient::open(address, "/feed");
    let mut fast = RawClient::open(address, "/feed");
    let reader = std::thread::spawn(move || listen(&mut fast));
    // After one second only the messages that fit into the sockets of the slow one were sent.
    let second = server.line();
    assert_eq!(second["event"], "second");
    assert!(second["messages"].as_u64() < Some(20_000), "{second}");
    drop(slow);
    let (messages, code) = reader.join().unwrap();
    assert_eq!((messages.len(), code), (10_000, Some(1000)));
}

#[test]
fn a_subscriber_that_closes_or_resets_does_not_stop_the_feed() {
    let feed = json!({"kind": "sequence", "subscribers": 3, "every_ms": 1, "seconds": 3600});
    let (mut server, address) = serve(&feed, &json!({"connections": 3}));
    let mut clients: Vec<_> = (0..3).map(|_| RawClient::open(address, "/feed")).collect();
    assert_eq!(clients[2].receive_text(), "0");
    let mut closing = clients.remove(0);
    closing.close(1001);
    closing.receive_until(&Incoming::End);
    assert_eq!(server.result()["ended"], "closed");
    // Closing a socket with unread messages resets the connection.
    drop(clients.remove(0));
    assert_eq!(server.result()["ended"], "reset");
    // Messages after the pong were sent when both had left.
    clients[0].send(Opcode::Ping, b"left");
    let mut number = 0;
    loop {
        match clients[0].receive() {
            Incoming::Text(text) => number = numbers(&[text])[0],
            Incoming::Pong(_) => break,
            other => panic!("the feed has stopped: {other:?}"),
        }
    }
    for next in number + 1..number + 10 {
        assert_eq!(clients[0].receive_text(), next.to_string());
    }
}

#[test]
fn a_feed_restarts_after_all_subscribers_have_left() {
    let feed = json!({"kind": "sequence", "every_ms": 1, "seconds": 3600});
    let (_server, address) = serve(&feed, &json!({}));
    for _ in 0..2 {
        let mut client = RawClient::open(address, "/feed");
        assert_eq!(
            (client.receive_text(), client.receive_text()),
            ("0".into(), "1".into())
        );
        client.close(1000);
        client.receive_until(&Incoming::End);
    }
}

#[test]
fn a_subscriber_that_never_reads_is_closed_when_its_queue_is_full() {
    let feed = json!({
        "kind": "stocks", "encoding": "binary", "stocks": 10_000, "subscribers": 2,
        "every_ms": 5, "seconds": 3600,
    });
    let (server, address) = serve(&feed, &json!({"connections": 1}));
    let silent = RawClient::open(address, "/feed");
    let mut reading = RawClient::open(address, "/feed");
    let reader = std::thread::spawn(move || {
        while !matches!(reading.receive(), Incoming::Close(_) | Incoming::End) {}
    });
    let mut silent = silent;
    let mut code = None;
    // It reads only after the server has closed it, as logged on stderr.
    server.wait_for_log("reads too slowly");
    loop {
        match silent.receive() {
            Incoming::Binary(_) => {}
            Incoming::Close(closed) => code = closed,
            Incoming::End => break,
            other => panic!("{other:?}"),
        }
        if code.is_some() {
            silent.close(1013);
            break;
        }
    }
    assert_eq!(code, Some(1013));
    drop(silent);
    assert_eq!(server.finish().status, Some(0));
    reader.join().unwrap();
}

#[test]
fn subscribers_with_compression_receive_the_same_messages() {
    let feed = json!({"kind": "sequence", "subscribers": 3, "every_ms": 1, "messages": 50});
    let (_server, address) = serve(&feed, &json!({"compression": {}}));
    let own = DeflateOffer::default();
    let shared = DeflateOffer {
        server_no_context_takeover: true,
        ..own
    };
    let mut clients = [
        RawClient::open(address, "/feed"),
        RawClient::open_compressed(address, "/feed", own),
        RawClient::open_compressed(address, "/feed", shared),
    ];
    for client in &mut clients {
        let (messages, code) = listen(client);
        assert_eq!(numbers(&messages), (0..50).collect::<Vec<_>>());
        assert_eq!(code, Some(1000));
    }
}

#[test]
fn a_feed_can_be_configured_by_flags() {
    let mut server = Engine::start(&words(
        "serve --listen 127.0.0.1:0 --feed sequence --feed-encoding binary --feed-every-ms 1 --feed-messages 2 --threads 2",
    ));
    let address = server.ready();
    let (messages, _) = listen(&mut RawClient::open(address, "/feed"));
    let expected = [0_u64, 1].map(|number| number.to_be_bytes().to_vec());
    assert_eq!(messages, expected);
}
