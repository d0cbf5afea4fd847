//! Two endpoints in memory, client and server, connected by byte vectors.

use autostrada_proto::close::{Close, NORMAL};
use autostrada_proto::frame::{Opcode, encode_frame};
use autostrada_proto::handshake::client::ClientHandshake;
use autostrada_proto::handshake::server::Request;
use autostrada_proto::message::{Decoded, Event, MessageDecoder, Role};
use autostrada_proto::repeat::RepeatedFrame;

const HANDSHAKE_KEY: [u8; 16] = *b"0123456789abcdef";

/// One side of a connection: received bytes and bytes to send.
struct Endpoint {
    role: Role,
    decoder: MessageDecoder,
    received: Vec<u8>,
    to_send: Vec<u8>,
    /// `Debug` texts of the received events.
    events: Vec<String>,
    has_sent_close: bool,
    /// Counter for masking keys, which differ for each frame and are deterministic here.
    masking_key: u32,
}

impl Endpoint {
    fn new(role: Role) -> Self {
        Self {
            role,
            decoder: MessageDecoder::new(role, 1 << 20),
            received: Vec::new(),
            to_send: Vec::new(),
            events: Vec::new(),
            has_sent_close: false,
            masking_key: 0,
        }
    }

    fn send(&mut self, opcode: Opcode, payload: &[u8]) {
        self.masking_key += 0x0107_0d1f;
        self.has_sent_close |= opcode == Opcode::Close;
        let masking_key = (self.role == Role::Client).then(|| self.masking_key.to_le_bytes());
        encode_frame(opcode, masking_key, payload, &mut self.to_send);
    }

    fn send_close(&mut self, close: Close<'_>) {
        let mut payload = Vec::new();
        close.encode(&mut payload);
        self.send(Opcode::Close, &payload);
    }

    /// Decodes the received bytes, and answers pings and the close frame.
    fn handle_received(&mut self) {
        let mut received = std::mem::take(&mut self.received);
        let mut decoder = std::mem::replace(&mut self.decoder, MessageDecoder::new(self.role, 0));
        let mut start = 0;
        while let Decoded::Event {
            consumed_bytes,
            event,
        } = decoder.decode(&mut received[start..]).unwrap()
        {
            start += consumed_bytes;
            self.events.push(format!("{event:?}"));
            match event {
                Event::Ping(payload) => self.send(Opcode::Pong, payload),
                Event::Close(Some(close)) if !self.has_sent_close => self.send_close(close),
                _ => {}
            }
        }
        self.decoder = decoder;
        self.received = received.split_off(start);
    }
}

fn exchange_one_way(from: &mut Endpoint, to: &mut Endpoint, step_bytes: usize) {
    let moved = from.to_send.drain(..step_bytes.min(from.to_send.len()));
    to.received.extend(moved);
    to.handle_received();
}

/// Moves `step_bytes` at a time in both directions until neither side has bytes to send.
fn exchange(client: &mut Endpoint, server: &mut Endpoint, step_bytes: usize) {
    while !(client.to_send.is_empty() && server.to_send.is_empty()) {
        exchange_one_way(client, server, step_bytes);
        exchange_one_way(server, client, step_bytes);
    }
}

/// Opens a connection byte by byte; the server's first frame directly follows its response.
fn open() -> (Endpoint, Endpoint) {
    let handshake = ClientHandshake::new("localhost:8000", "/", &[]).unwrap();
    let mut to_server = Vec::new();
    handshake.encode_request(HANDSHAKE_KEY, &mut to_server);
    let mut client = Endpoint::new(Role::Client);
    let mut server = Endpoint::new(Role::Server);

    let request = (0..=to_server.len())
        .find_map(|end| Request::decode(&to_server[..end]).unwrap())
        .unwrap();
    assert_eq!(request.consumed_bytes, to_server.len());
    request.encode_response(&mut server.to_send);
    server.send(Opcode::Text, b"welcome");

    let to_client = std::mem::take(&mut server.to_send);
    let response = (0..=to_client.len())
        .find_map(|end| {
            handshake
                .decode_response(HANDSHAKE_KEY, &to_client[..end])
                .unwrap()
        })
        .unwrap();
    client
        .received
        .extend_from_slice(&to_client[response.consumed_bytes..]);
    client.handle_received();
    (client, server)
}

#[test]
fn a_connection_opens_exchanges_messages_and_closes() {
    for step_bytes in [1, 7, 1 << 20] {
        let (mut client, mut server) = open();
        client.send(Opcode::Text, "grüezi".as_bytes());
        client.send(Opcode::Ping, b"are you there?");
        client.send(Opcode::Binary, &[0xff; 700]);
        server.send(Opcode::Text, b"");
        server.send(Opcode::Ping, b"");
        exchange(&mut client, &mut server, step_bytes);

        let close = Close {
            code: NORMAL,
            reason: "fertig, tschüss",
        };
        client.send_close(close);
        exchange(&mut client, &mut server, step_bytes);

        let client_expects = [
            Event::Text(b"welcome"),
            Event::Text(b""),
            Event::Ping(b""),
            Event::Pong(b"are you there?"),
            Event::Close(Some(close)),
        ];
        assert_eq!(
            client.events,
            client_expects.map(|event| format!("{event:?}"))
        );
        let server_expects = [
            Event::Text("grüezi".as_bytes()),
            Event::Ping(b"are you there?"),
            Event::Binary(&[0xff; 700]),
            Event::Pong(b""),
            Event::Close(Some(close)),
        ];
        assert_eq!(
            server.events,
            server_expects.map(|event| format!("{event:?}"))
        );
        assert!(client.received.is_empty() && server.received.is_empty());
        assert!(client.has_sent_close && server.has_sent_close);
    }
}

#[test]
fn counting_and_decoding_can_alternate_in_a_stream() {
    let frame = RepeatedFrame::new(Opcode::Text, b"Hello World");
    let mut stream = frame.repeat_to_about(40_000);
    let repeated = stream.len() / frame.frame().len();
    encode_frame(Opcode::Text, None, b"Hello Worle", &mut stream);
    stream.extend(frame.repeat_to_about(26));

    let mut decoder = MessageDecoder::new(Role::Client, 1 << 20);
    let mut input = stream.as_mut_slice();
    let mut counted = Vec::new();
    while !input.is_empty() {
        let count = frame.count_at_front(input);
        counted.push(count);
        input = &mut input[count * frame.frame().len()..];
        if let Decoded::Event {
            consumed_bytes,
            event,
        } = decoder.decode(input).unwrap()
        {
            assert_eq!(event, Event::Text(b"Hello Worle"));
            input = &mut input[consumed_bytes..];
        }
    }
    assert_eq!(counted, [repeated, 2]);
}
