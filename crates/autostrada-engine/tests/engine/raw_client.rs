//! A scripted client that sends arbitrary bytes.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use autostrada_proto::deflate::{DeflateOffer, Deflater, Inflater};
use autostrada_proto::frame::{Opcode, encode_frame};
use autostrada_proto::message::{Decoded, Event, MessageDecoder, MessageEncoder, Role};

use crate::process::LIMIT;

const MASKING_KEY: [u8; 4] = *b"mask";

/// A connection to a server, with or without a handshake.
pub struct RawClient {
    pub stream: TcpStream,
    decoder: MessageDecoder,
    encoder: MessageEncoder,
    input: Vec<u8>,
    /// Number of bytes that `receive` has consumed from the front of the input.
    consumed_bytes: usize,
}

impl RawClient {
    /// Connects without sending a request.
    pub fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        Self {
            stream,
            decoder: MessageDecoder::new(Role::Client, 1 << 24),
            encoder: MessageEncoder::new(),
            input: Vec::new(),
            consumed_bytes: 0,
        }
    }

    /// Connects and requests `path` without waiting for the response.
    pub fn request(address: SocketAddr, path: &str) -> Self {
        Self::request_with(address, path, "")
    }

    /// Connects and requests `path` with additional header fields, each with its line end.
    pub fn request_with(address: SocketAddr, path: &str, fields: &str) -> Self {
        let mut client = Self::connect(address);
        client.write(
            format!(
                "GET {path} HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\n\
                 Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
                 Sec-WebSocket-Version: 13\r\n{fields}\r\n"
            )
            .as_bytes(),
        );
        client
    }

    /// Opens a connection with compression, which must be granted.
    pub fn open_compressed(address: SocketAddr, path: &str, offer: DeflateOffer) -> Self {
        let fields = format!("Sec-WebSocket-Extensions: {offer}\r\n");
        let mut client = Self::request_with(address, path, &fields);
        let head = client.read_head();
        let (_, granted) = head.split_once("Sec-WebSocket-Extensions: ").expect(&head);
        let granted = granted.lines().next().unwrap();
        let parameters = offer.check_answer(&[granted]).unwrap().unwrap();
        let inflater = Inflater::new(parameters, Role::Client);
        client.decoder = MessageDecoder::new(Role::Client, 1 << 24).with_inflater(inflater);
        let deflater = Deflater::new(parameters, Role::Client, 6);
        client.encoder = MessageEncoder::new().with_deflater(deflater, 0);
        client
    }

    /// Connects, requests `path`, and waits until the connection is open.
    pub fn open(address: SocketAddr, path: &str) -> Self {
        let mut client = Self::request(address, path);
        let head = client.read_head();
        assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
        assert!(head.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{head}");
        client
    }

    pub fn write(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    pub fn send(&mut self, opcode: Opcode, payload: &[u8]) {
        let mut frame = Vec::new();
        if opcode.is_control() {
            encode_frame(opcode, Some(MASKING_KEY), payload, &mut frame);
        } else {
            let key = || Some(MASKING_KEY);
            self.encoder.encode(opcode, payload, key, &mut frame);
        }
        self.write(&frame);
    }

    /// Reads the next frame or the end of the stream.
    pub fn receive(&mut self) -> Incoming {
        loop {
            let rest = &mut self.input[self.consumed_bytes..];
            if let Decoded::Event {
                consumed_bytes,
                event,
            } = self.decoder.decode(rest).unwrap()
            {
                let incoming = match event {
                    Event::Text(payload) => Some(Incoming::Text(payload.to_vec())),
                    Event::Binary(payload) => Some(Incoming::Binary(payload.to_vec())),
                    Event::Pong(payload) => Some(Incoming::Pong(payload.to_vec())),
                    Event::Close(close) => Some(Incoming::Close(close.map(|close| close.code))),
                    Event::Ping(_) | Event::Fragment => None,
                };
                self.consumed_bytes += consumed_bytes;
                if let Some(incoming) = incoming {
                    return incoming;
                }
            } else if self.read() == 0 {
                return Incoming::End;
            }
        }
    }

    /// Reads until `awaited`, skipping everything before it.
    pub fn receive_until(&mut self, awaited: &Incoming) {
        loop {
            let incoming = self.receive();
            if incoming == *awaited {
                return;
            }
            assert_ne!(incoming, Incoming::End, "instead of {awaited:?}");
        }
    }

    /// Reads the next frame, which must be a text.
    pub fn receive_text(&mut self) -> String {
        match self.receive() {
            Incoming::Text(text) => String::from_utf8(text).unwrap(),
            other => panic!("not a text: {other:?}"),
        }
    }

    pub fn close(&mut self, code: u16) {
        self.send(Opcode::Close, &code.to_be_bytes());
    }

    /// Reads the head of a response.
    pub fn read_head(&mut self) -> String {
        loop {
            if let Some(end) = self.input.windows(4).position(|four| four == b"\r\n\r\n") {
                let head = self.input.drain(..end + 4).collect();
                return String::from_utf8(head).unwrap();
            }
            assert_ne!(self.read(), 0, "the stream ended inside the head");
        }
    }

    /// Reads all bytes until the end of the stream.
    pub fn read_to_end(&mut self) -> Vec<u8> {
        while self.read() > 0 {}
        std::mem::take(&mut self.input)
    }

    /// Reads messages until a pong, a close frame or the end of the stream.
    pub fn read_messages(&mut self) -> Received {
        let mut received = Received::default();
        loop {
            match self.receive() {
                Incoming::Text(payload) => {
                    received.texts += 1;
                    received.bytes += payload.len();
                    continue;
                }
                Incoming::Pong(payload) => received.pong = Some(payload),
                Incoming::Close(code) => received.close_code = code,
                Incoming::End => {}
                Incoming::Binary(payload) => panic!("not sent by a push server: {payload:?}"),
            }
            return received;
        }
    }

    fn read(&mut self) -> usize {
        self.input.drain(..self.consumed_bytes);
        self.consumed_bytes = 0;
        let mut buffer = vec![0; 64 * 1024];
        let bytes = self.stream.read(&mut buffer).unwrap();
        self.input.extend_from_slice(&buffer[..bytes]);
        bytes
    }
}

/// A frame from the server, or the end of the stream.
#[derive(Debug, PartialEq, Eq)]
pub enum Incoming {
    Text(Vec<u8>),
    Binary(Vec<u8>),
    Pong(Vec<u8>),
    Close(Option<u16>),
    /// The end of the stream.
    End,
}

/// The messages that a server has pushed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Received {
    pub texts: usize,
    pub bytes: usize,
    pub pong: Option<Vec<u8>>,
    pub close_code: Option<u16>,
}
