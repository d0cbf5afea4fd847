//! `serve` with compression, binary messages and framed TCP.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use autostrada_proto::deflate::{ClientWindow, DeflateOffer, WindowBits};
use autostrada_proto::frame::Opcode;
use serde_json::{Value, json};

use crate::process::{Engine, LIMIT, assert_fields, push, with};
use crate::raw_client::{Incoming, RawClient};

fn serve(settings: &Value) -> (Engine, SocketAddr) {
    Engine::serve(&with(push(&json!({"connections": 1})), settings))
}

fn offers() -> [DeflateOffer; 3] {
    let plain = DeflateOffer::default();
    [
        plain,
        DeflateOffer {
            server_no_context_takeover: true,
            client_no_context_takeover: true,
            ..plain
        },
        DeflateOffer {
            server_max_window_bits: WindowBits::new(9),
            client_max_window_bits: ClientWindow::Limitable,
            ..plain
        },
    ]
}

#[test]
fn compressed_messages_are_echoed_compressed() {
    for offer in offers() {
        let (_server, address) = serve(&json!({"compression": {"level": 9}}));
        let mut client = RawClient::open_compressed(address, "/echo", offer);
        for text in ["", "hello", &"hello world ".repeat(10_000)] {
            client.send(Opcode::Text, text.as_bytes());
            assert_eq!(client.receive_text(), text);
            client.send(Opcode::Binary, text.as_bytes());
            assert_eq!(client.receive(), Incoming::Binary(text.as_bytes().to_vec()));
        }
    }
}

#[test]
fn compressed_pushes_are_counted_by_decompressed_bytes() {
    for offer in offers() {
        let payload = json!({"text": "hello world ".repeat(20)});
        let workload = json!({"kind": "push", "payload": payload});
        let settings = json!({"compression": {}, "workload": workload});
        let (mut server, address) = serve(&settings);
        let mut client = RawClient::open_compressed(address, "/1000", offer);
        for _ in 0..1_000 {
            assert_eq!(client.receive_text(), "hello world ".repeat(20));
        }
        client.close(1000);
        assert_eq!(client.receive(), Incoming::Close(Some(1000)));
        assert_eq!(client.receive(), Incoming::End);
        let result = server.result();
        assert_fields(&result, &json!({"messages": 1_000, "bytes": 240_000}));
        assert!(result["wire_bytes"].as_u64() < Some(100_000), "{result}");
        assert_eq!(result["acknowledged_bytes"], result["wire_bytes"]);
        assert_eq!(result["ended"], "complete");
    }
}

#[test]
fn a_compressed_push_that_is_closed_early_ends_with_a_complete_message() {
    // Hardly compressible, so that few messages fit into a small socket buffer.
    let text: String = (0..20_000_u32)
        .map(|n| char::from(b'a' + (n.wrapping_mul(2_654_435_761) >> 28) as u8))
        .collect();
    let workload = json!({"kind": "push", "payload": {"text": text}});
    let tcp = json!({"send_buffer_bytes": 10_000});
    let settings = json!({"compression": {"level": 1}, "workload": workload, "tcp": tcp});
    let (mut server, address) = serve(&settings);
    let offer = offers()[1];
    let mut client = RawClient::open_compressed(address, "/100000000", offer);
    assert_eq!(client.receive_text(), text);
    client.close(1001);
    let code = loop {
        match client.receive() {
            Incoming::Text(incoming) => assert!(incoming == text.as_bytes()),
            Incoming::Close(code) => break code,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(code, Some(1001));
    assert_eq!(server.result()["ended"], "closed");
}

#[test]
fn bytes_are_pushed_as_binary_messages() {
    let payload = json!({"base64": "AP8Q"});
    let (mut server, address) = serve(&json!({"workload": {"kind": "push", "payload": payload}}));
    let mut client = RawClient::open(address, "/2");
    for _ in 0..2 {
        assert_eq!(client.receive(), Incoming::Binary(vec![0, 255, 16]));
    }
    client.close(1000);
    assert_eq!(server.result()["bytes"], 6);
}

fn frame(payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[..], payload].concat()
}

/// Connects with framed TCP and requests a path.
fn request_framed(address: SocketAddr, path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    stream.write_all(&frame(path.as_bytes())).unwrap();
    stream
}

fn read_to_end(mut stream: &TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    bytes
}

fn framed() -> Value {
    json!({"protocol": {"kind": "framed-tcp"}})
}

#[test]
fn framed_messages_are_echoed() {
    let (_server, address) = serve(&framed());
    let mut stream = request_framed(address, "/echo");
    let sent = [frame(b""), frame(b"hello"), frame(&vec![7; 300_000])].concat();
    stream.write_all(&sent).unwrap();
    let mut received = vec![0; sent.len()];
    stream.read_exact(&mut received).unwrap();
    assert!(received == sent);
}

#[test]
fn framed_messages_are_pushed_until_the_client_ends_its_stream() {
    let (mut server, address) = serve(&framed());
    let mut stream = request_framed(address, "/3");
    let expected = frame(b"hello world").repeat(3);
    let mut received = vec![0; expected.len()];
    stream.read_exact(&mut received).unwrap();
    assert_eq!(received, expected);
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    assert_eq!(read_to_end(&stream), b"");
    let result = server.result();
    assert_fields(&result, &json!({"ended": "complete", "close_code": null}));
    assert_eq!(result["wire_bytes"], 45);
    drop(stream);
    assert_eq!(server.finish().status, Some(0));
}

#[test]
fn a_framed_feed_ends_with_the_stream() {
    let mut settings = framed();
    settings["feed"] = json!({"kind": "sequence", "messages": 2});
    let (server, address) = serve(&settings);
    let stream = request_framed(address, "/feed");
    let received = read_to_end(&stream);
    assert_eq!(received, [frame(b"0"), frame(b"1")].concat());
    drop(stream);
    let finished = server.finish();
    assert_eq!(finished.status, Some(0));
    assert_eq!(finished.lines.last().unwrap()["messages"], 2);
}

#[test]
fn an_invalid_framed_message_fails_only_its_connection() {
    let (_server, address) = serve(&framed());
    let mut web = RawClient::request(address, "/echo");
    assert_eq!(web.read_to_end(), b"");
    let mut stream = request_framed(address, "/echo");
    stream.write_all(&frame(b"hi")).unwrap();
    let mut received = [0; 6];
    stream.read_exact(&mut received).unwrap();
    stream.write_all(&u32::MAX.to_be_bytes()).unwrap();
    assert_eq!(read_to_end(&stream), b"");
}
