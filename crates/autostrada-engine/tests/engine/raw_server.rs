//! A scripted server that sends arbitrary bytes.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread::JoinHandle;

use autostrada_proto::frame::{FrameHeader, Opcode, encode_frame};
use autostrada_proto::handshake::server::Request;
use autostrada_proto::message::{Decoded, Event, MessageDecoder, Role};

use crate::process::LIMIT;

/// Serves one connection in a thread; `script` continues after the handshake.
pub fn serve_one<T: Send + 'static>(
    script: impl FnOnce(Peer) -> T + Send + 'static,
) -> (SocketAddr, JoinHandle<T>) {
    accept_one(|stream| script(Peer::handshake(stream)))
}

/// Accepts one connection in a thread and runs `script` with it.
pub fn accept_one<T: Send + 'static>(
    script: impl FnOnce(TcpStream) -> T + Send + 'static,
) -> (SocketAddr, JoinHandle<T>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let thread = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        stream.set_nodelay(true).unwrap();
        script(stream)
    });
    (address, thread)
}

/// The server's end of an open connection.
pub struct Peer {
    pub stream: TcpStream,
    /// The path that the client asked for.
    pub path: String,
    input: Vec<u8>,
    decoder: MessageDecoder,
    /// The response, sent together with the first bytes.
    pending: Vec<u8>,
}

impl Peer {
    pub fn handshake(mut stream: TcpStream) -> Self {
        let mut input = Vec::new();
        let request = loop {
            if let Some(request) = Request::decode(&input).unwrap() {
                break request;
            }
            read_more(&mut stream, &mut input);
        };
        let mut pending = Vec::new();
        request.encode_response(&mut pending);
        input.drain(..request.consumed_bytes);
        Self {
            stream,
            path: request.path,
            input,
            decoder: MessageDecoder::new(Role::Server, 1 << 20),
            pending,
        }
    }

    pub fn write(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
        let pending = std::mem::take(&mut self.pending);
        self.stream.write_all(&pending).unwrap();
    }

    pub fn send(&mut self, opcode: Opcode, payload: &[u8]) {
        self.write(&frame(opcode, payload));
    }

    /// Reads frames until `pick` returns what it makes of one.
    fn read<T>(&mut self, pick: impl Fn(Event<'_>) -> Option<T>) -> T {
        loop {
            if let Decoded::Event {
                consumed_bytes,
                event,
            } = self.decoder.decode(&mut self.input).unwrap()
            {
                let picked = pick(event);
                self.input.drain(..consumed_bytes);
                if let Some(picked) = picked {
                    return picked;
                }
            } else {
                read_more(&mut self.stream, &mut self.input);
            }
        }
    }

    /// Reads up to the client's close frame; returns its code.
    pub fn read_close(&mut self) -> Option<u16> {
        self.read(|event| match event {
            Event::Close(close) => Some(close.map(|close| close.code)),
            _ => None,
        })
    }

    /// Reads the next message, which must be a text, and returns it.
    pub fn read_text(&mut self) -> String {
        self.read_text_or_close().expect("the client has closed")
    }

    /// Reads the next message, which must be a text, and returns it, or `None` for a close frame.
    pub fn read_text_or_close(&mut self) -> Option<String> {
        self.read(|event| match event {
            Event::Text(text) => Some(Some(String::from_utf8(text.to_vec()).unwrap())),
            Event::Close(_) => Some(None),
            other => panic!("not a text: {other:?}"),
        })
    }

    /// Reads a ping and returns its payload, or `None` for a close frame.
    pub fn read_ping(&mut self) -> Option<Vec<u8>> {
        self.read(|event| match event {
            Event::Ping(payload) => Some(Some(payload.to_vec())),
            Event::Close(_) => Some(None),
            other => panic!("neither a ping nor a close frame: {other:?}"),
        })
    }

    /// Reads a pong and returns its payload.
    pub fn read_pong(&mut self) -> Vec<u8> {
        self.read(|event| match event {
            Event::Pong(payload) => Some(payload.to_vec()),
            other => panic!("not a pong: {other:?}"),
        })
    }

    /// Completes the closing handshake correctly.
    pub fn close_with(&mut self, code: u16) {
        self.send(Opcode::Close, &code.to_be_bytes());
    }
}

/// A server's frame.
pub fn frame(opcode: Opcode, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode_frame(opcode, None, payload, &mut bytes);
    bytes
}

/// A server's frame that is a fragment of a message.
pub fn fragment(opcode: Opcode, payload: &[u8], fin: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    FrameHeader {
        fin,
        rsv: 0,
        opcode,
        masking_key: None,
        payload_length: payload.len() as u64,
    }
    .encode(&mut bytes);
    bytes.extend_from_slice(payload);
    bytes
}

fn read_more(stream: &mut TcpStream, input: &mut Vec<u8>) {
    let mut buffer = [0; 4096];
    let bytes = stream.read(&mut buffer).unwrap();
    assert_ne!(bytes, 0, "the client has ended the stream");
    input.extend_from_slice(&buffer[..bytes]);
}

/// Accepts any number of connections; `script` runs in a thread for each, with the number of
/// the connection.
pub fn accept_all(script: impl Fn(usize, TcpStream) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let script = std::sync::Arc::new(script);
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let stream = stream.unwrap();
            stream.set_read_timeout(Some(LIMIT)).unwrap();
            stream.set_nodelay(true).unwrap();
            let script = std::sync::Arc::clone(&script);
            std::thread::spawn(move || script(number, stream));
        }
    });
    address
}

/// Reads until the client closes or resets the connection.
pub fn ignore(mut stream: &TcpStream) {
    let _ = std::io::copy(&mut stream, &mut std::io::sink());
}

/// Writes the same bytes repeatedly until the client closes or resets the connection.
pub fn flood(mut stream: &TcpStream, bytes: &[u8]) {
    while stream.write_all(bytes).is_ok() {}
}

/// Reads the head of a request, but not its body.
pub fn read_head(mut stream: &TcpStream) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && matches!(stream.read(&mut byte), Ok(1)) {
        head.push(byte[0]);
    }
    String::from_utf8(head).unwrap()
}
