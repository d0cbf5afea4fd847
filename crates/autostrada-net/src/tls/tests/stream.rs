//! Streams and the buffered connections of rustls as their peers, over loopback.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{
    ClientConfig, ClientConnection, Connection, RootCertStore, ServerConfig, ServerConnection,
    SupportedProtocolVersion, version,
};

use super::TlsStream;
use crate::tcp::loopback::pair;
use crate::tcp::{Stream, Transfer};

const NAME: &str = "localhost";

/// A stream and its peer, which never wait for each other.
struct Pair {
    stream: TlsStream,
    peer: Connection,
    socket: TcpStream,
}

impl Pair {
    /// Connects a client's stream to a server.
    fn client(version: &'static SupportedProtocolVersion) -> Self {
        let (client, server) = configurations(version);
        let (stream, socket) = sockets();
        Self {
            stream: TlsStream::connect(stream, &client, NAME).unwrap(),
            peer: ServerConnection::new(server).unwrap().into(),
            socket,
        }
    }

    /// Accepts a client on a server's stream.
    fn server(version: &'static SupportedProtocolVersion) -> Self {
        let (client, server) = configurations(version);
        let (stream, socket) = sockets();
        let name = ServerName::try_from(NAME).unwrap();
        Self {
            stream: TlsStream::accept(stream, &server).unwrap(),
            peer: ClientConnection::new(client, name).unwrap().into(),
            socket,
        }
    }

    /// Completes the handshake of both sides.
    fn open(mut self) -> Self {
        while !self.stream.handshake().unwrap() || self.peer.is_handshaking() {
            self.pump().unwrap();
        }
        self.pump().unwrap();
        self
    }

    /// Lets the peer process what has arrived, and send what it has to send.
    fn pump(&mut self) -> Result<(), rustls::Error> {
        while self
            .peer
            .read_tls(&mut self.socket)
            .is_ok_and(|bytes| bytes > 0)
        {
            let result = self.peer.process_new_packets();
            while self.peer.wants_write() && self.peer.write_tls(&mut self.socket).is_ok() {}
            result?;
        }
        while self.peer.wants_write() && self.peer.write_tls(&mut self.socket).is_ok() {}
        Ok(())
    }

    fn peer_writes(&mut self, bytes: &[u8]) {
        self.peer.writer().write_all(bytes).unwrap();
        self.pump().unwrap();
    }

    /// Returns the next bytes that the peer reads.
    fn peer_reads(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        let mut filled = 0;
        while filled < length {
            if let Ok(moved) = self.peer.reader().read(&mut bytes[filled..]) {
                filled += moved;
            } else {
                let moved = self.peer.read_tls(&mut self.socket);
                assert_ne!(moved.unwrap_or(1), 0, "the stream has ended");
                self.peer.process_new_packets().unwrap();
                self.stream.flush().unwrap();
            }
        }
        bytes
    }

    /// Returns the next bytes of the stream, read into a buffer of this size.
    fn reads(&mut self, length: usize, buffer_bytes: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut buffer = vec![0; buffer_bytes];
        while bytes.len() < length {
            match self.stream.read(&mut buffer).unwrap() {
                Transfer::Bytes(moved) => bytes.extend_from_slice(&buffer[..moved]),
                Transfer::WouldBlock => self.pump().unwrap(),
                Transfer::Ended => panic!("ended after {} bytes", bytes.len()),
            }
        }
        bytes
    }

    /// Returns what follows the bytes that have been read.
    fn end(&mut self) -> io::Result<Transfer> {
        loop {
            match self.stream.read(&mut [0; 64])? {
                Transfer::WouldBlock => {}
                transfer => return Ok(transfer),
            }
        }
    }

    fn assert_is_open(&mut self) {
        assert_eq!(self.stream.write(b"ping").unwrap(), Transfer::Bytes(4));
        assert_eq!(self.peer_reads(4), b"ping");
        self.peer_writes(b"pong");
        assert_eq!(self.reads(4, 64), b"pong");
    }

    fn kept_bytes(&self) -> usize {
        self.stream.kept_bytes()
    }
}

fn sockets() -> (Stream, TcpStream) {
    let (stream, socket) = pair();
    socket.set_nonblocking(true).unwrap();
    (stream, socket)
}

fn configurations(
    version: &'static SupportedProtocolVersion,
) -> (Arc<ClientConfig>, Arc<ServerConfig>) {
    let rcgen::CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed([NAME.to_owned()]).unwrap();
    let certificate = CertificateDer::from(cert);
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let client = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(&[version])
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let server = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[version])
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    (Arc::new(client), Arc::new(server))
}

fn text(length: usize) -> Vec<u8> {
    (0..=250).cycle().take(length).collect()
}

#[test]
fn bytes_go_both_ways_in_both_roles_and_versions() {
    for version in [&version::TLS13, &version::TLS12] {
        for pair in [Pair::client(version), Pair::server(version)] {
            let mut pair = pair.open();
            pair.assert_is_open();
            let negotiated = pair.stream.negotiated().unwrap();
            assert!(!negotiated.is_resumed);
            assert_eq!(
                negotiated.version == "1.3",
                version.version == version::TLS13.version
            );
        }
    }
}

#[test]
fn many_records_arrive_in_order_and_an_idle_connection_keeps_no_bytes() {
    for buffer_bytes in [100, 5000, 70_000] {
        let mut pair = Pair::client(&version::TLS13).open();
        assert_eq!(pair.kept_bytes(), 0);
        for _ in 0..8 {
            pair.peer_writes(&text(60_000));
            assert_eq!(pair.reads(60_000, buffer_bytes), text(60_000));
        }
        assert_eq!(pair.kept_bytes(), 0);
    }
}

#[test]
fn a_record_may_arrive_byte_by_byte_while_others_are_sent() {
    let mut pair = Pair::client(&version::TLS13).open();
    pair.peer.writer().write_all(b"hello").unwrap();
    let mut record = Vec::new();
    pair.peer.write_tls(&mut record).unwrap();
    let (last, first) = record.split_last().unwrap();
    for byte in first {
        pair.socket.write_all(&[*byte]).unwrap();
        assert_eq!(
            pair.stream.read(&mut [0; 64]).unwrap(),
            Transfer::WouldBlock
        );
        pair.stream.write(b"x").unwrap();
        assert_eq!(pair.peer_reads(1), b"x");
    }
    pair.socket.write_all(&[*last]).unwrap();
    assert_eq!(pair.reads(5, 64), b"hello");
    assert_eq!(pair.kept_bytes(), 0);
}

#[test]
fn writing_blocks_while_the_peer_does_not_read_and_continues_later() {
    let mut pair = Pair::client(&version::TLS13).open();
    let block = text(100_000);
    let mut sent = Vec::new();
    while let Transfer::Bytes(moved) = pair.stream.write(&block).unwrap() {
        sent.extend_from_slice(&block[..moved]);
    }
    assert!(pair.kept_bytes() > 0);
    assert!(!pair.stream.flush().unwrap());
    assert_eq!(pair.peer_reads(sent.len()), sent);
    assert!(pair.stream.flush().unwrap());
    assert_eq!(pair.kept_bytes(), 0);
    pair.assert_is_open();
}

#[test]
fn keys_may_change_at_any_time() {
    for pair in [Pair::client(&version::TLS13), Pair::server(&version::TLS13)] {
        let mut pair = pair.open();
        for _ in 0..3 {
            pair.peer.refresh_traffic_keys().unwrap();
            pair.assert_is_open();
        }
    }
}

#[test]
fn the_peer_ends_the_stream_after_its_last_byte() {
    let mut pair = Pair::client(&version::TLS13).open();
    pair.peer.writer().write_all(b"bye").unwrap();
    pair.peer.send_close_notify();
    pair.pump().unwrap();
    assert_eq!(pair.reads(3, 2), b"bye");
    assert_eq!(pair.end().unwrap(), Transfer::Ended);
    assert_eq!(pair.end().unwrap(), Transfer::Ended);
    assert_eq!(pair.stream.write(b"x").unwrap(), Transfer::Bytes(1));
    assert_eq!(pair.peer_reads(1), b"x");
    pair.stream.shutdown_write().unwrap();
    assert!(pair.stream.write(b"x").is_err());
}

#[test]
fn the_end_of_the_stream_is_told_to_the_peer() {
    let mut pair = Pair::client(&version::TLS13).open();
    pair.stream.write(b"bye").unwrap();
    pair.stream.shutdown_write().unwrap();
    assert_eq!(pair.peer_reads(3), b"bye");
    pair.pump().unwrap();
    // Without the alert, this would be an error.
    assert_eq!(pair.peer.reader().read(&mut [0]).unwrap(), 0);
    pair.peer_writes(b"still here");
    assert_eq!(pair.reads(10, 64), b"still here");
}

#[test]
fn a_violation_is_an_error_after_what_preceded_it_and_told_to_the_peer() {
    let mut pair = Pair::client(&version::TLS13).open();
    pair.peer.writer().write_all(b"before").unwrap();
    let mut bytes = Vec::new();
    pair.peer.write_tls(&mut bytes).unwrap();
    bytes.extend_from_slice(b"\x17\x03\x03\x00\x20 this record is not encrypted at all");
    pair.socket.write_all(&bytes).unwrap();
    assert_eq!(pair.reads(6, 64), b"before");
    for _ in 0..2 {
        let error = pair.end().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }
    assert!(pair.stream.write(b"x").is_err());
    assert!(pair.stream.shutdown_write().is_err());
    let told = pair.pump().unwrap_err();
    assert_eq!(
        told,
        rustls::Error::AlertReceived(rustls::AlertDescription::BadRecordMac)
    );
}

#[test]
fn an_end_during_the_handshake_is_an_error() {
    let mut pair = Pair::client(&version::TLS13);
    assert!(!pair.stream.handshake().unwrap());
    pair.socket.shutdown(std::net::Shutdown::Write).unwrap();
    let error = loop {
        match pair.stream.handshake() {
            Ok(is_complete) => assert!(!is_complete),
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
}

#[test]
fn a_handshake_message_without_end_is_refused() {
    let mut pair = Pair::client(&version::TLS13);
    assert!(!pair.stream.handshake().unwrap());
    // A message of 60,000 bytes in records of one byte each, which take six times as much.
    let mut message = b"\x02\x00\xea\x60".to_vec();
    message.resize(60_000, 0);
    let records: Vec<u8> = message
        .iter()
        .flat_map(|byte| [0x16, 3, 3, 0, 1, *byte])
        .collect();
    let mut rest = &records[..];
    let error = loop {
        rest = &rest[pair
            .socket
            .write(&rest[..rest.len().min(16_000)])
            .unwrap_or(0)..];
        match pair.stream.handshake() {
            Ok(is_complete) => assert!(!is_complete),
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
}
