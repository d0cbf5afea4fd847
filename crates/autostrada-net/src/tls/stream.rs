//! TLS over a non-blocking TCP stream, for clients and servers.

use std::io;
use std::sync::Arc;

use rustls::client::UnbufferedClientConnection;
use rustls::pki_types::ServerName;
use rustls::server::UnbufferedServerConnection;
use rustls::{ClientConfig, Error, ProtocolVersion, ServerConfig};

use super::buffers::{Backlog, INCOMING_BYTES, Outgoing, Plaintext, SCRATCH, Scratch};
use super::session::{Intent, Session};
use super::setup::{TlsSetupError, iana_name};
use crate::tcp::{Stream, Transfer};

/// Maximum number of plain-text bytes that one call encrypts.
const WRITE_BYTES_MAX: usize = 64 * 1024;

/// Minimum room for bytes from the socket, even if the reader has less.
const READ_BYTES_MIN: usize = 4096;

/// The negotiated parameters of a TLS connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Negotiated {
    /// The TLS version, such as `1.3`.
    pub version: String,
    /// The IANA name of the cipher suite, such as `TLS_AES_256_GCM_SHA384`.
    pub cipher_suite: String,
    /// Whether an earlier session was resumed.
    pub is_resumed: bool,
}

/// A TLS connection of a client or a server.
///
/// While it is idle, it has no buffers: what is received and sent passes through those of the
/// thread, and only what is incomplete is kept.
#[derive(Debug)]
pub struct TlsStream {
    stream: Stream,
    session: Session,
    /// Received bytes that the session has not processed: the beginning of a record.
    unprocessed: Vec<u8>,
    /// Received plain text that the reader had no room for.
    unread: Backlog,
    /// Records that the socket had no room for.
    unsent: Backlog,
    has_ended: bool,
    /// The reason why the session cannot be used any more.
    failure: Option<Box<Error>>,
}

impl TlsStream {
    /// Begins a client's handshake; the certificate must be valid for `server_name`.
    /// Returns an error if the name is neither a host name nor an IP address.
    pub fn connect(
        stream: Stream,
        config: &Arc<ClientConfig>,
        server_name: &str,
    ) -> Result<Self, TlsSetupError> {
        let wrong = |error: &dyn std::fmt::Display| {
            TlsSetupError(format!(
                "{server_name:?} is not a valid server name: {error}"
            ))
        };
        let name = ServerName::try_from(server_name.to_owned()).map_err(|error| wrong(&error))?;
        let session = UnbufferedClientConnection::new(Arc::clone(config), name)
            .map_err(|error| wrong(&error))?;
        Ok(Self::new(stream, Session::Client(Box::new(session))))
    }

    /// Begins a server's handshake.
    pub fn accept(stream: Stream, config: &Arc<ServerConfig>) -> Result<Self, TlsSetupError> {
        let session = UnbufferedServerConnection::new(Arc::clone(config))
            .map_err(|error| TlsSetupError(error.to_string()))?;
        Ok(Self::new(stream, Session::Server(Box::new(session))))
    }

    fn new(stream: Stream, session: Session) -> Self {
        Self {
            stream,
            session,
            unprocessed: Vec::new(),
            unread: Backlog::default(),
            unsent: Backlog::default(),
            has_ended: false,
            failure: None,
        }
    }

    /// Returns the negotiated parameters; `None` before the end of the handshake.
    pub fn negotiated(&self) -> Option<Negotiated> {
        Some(Negotiated {
            version: version_number(self.session.protocol_version()?),
            cipher_suite: iana_name(self.session.negotiated_cipher_suite()?),
            is_resumed: self.session.handshake_kind() == Some(rustls::HandshakeKind::Resumed),
        })
    }

    /// Returns the underlying socket.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Returns the underlying socket, to register it.
    pub fn stream_mut(&mut self) -> &mut Stream {
        &mut self.stream
    }

    pub(crate) fn handshake(&mut self) -> io::Result<bool> {
        // A client's first message waits in the session.
        self.transmit(Intent::Receive)?;
        while self.session.is_handshaking() {
            self.flush()?;
            if self.receive(&mut [])?.is_none() {
                return Ok(false);
            }
            self.check()?;
        }
        self.flush()?;
        Ok(true)
    }

    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> io::Result<Transfer> {
        loop {
            if !self.unread.is_empty() {
                return Ok(Transfer::Bytes(self.unread.move_into(buffer)));
            }
            self.check()?;
            if self.has_ended {
                return Ok(Transfer::Ended);
            }
            match self.receive(buffer)? {
                Some(0) => {}
                Some(bytes) => return Ok(Transfer::Bytes(bytes)),
                None => return Ok(Transfer::WouldBlock),
            }
        }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<Transfer> {
        if !self.flush()? {
            return Ok(Transfer::WouldBlock);
        }
        let taken = bytes.len().min(WRITE_BYTES_MAX);
        self.transmit(Intent::Send(&bytes[..taken]))?;
        Ok(Transfer::Bytes(taken))
    }

    pub(crate) fn flush(&mut self) -> io::Result<bool> {
        while !self.unsent.is_empty() {
            match self.stream.write(self.unsent.rest())? {
                Transfer::Bytes(bytes) => self.unsent.advance(bytes),
                Transfer::WouldBlock => return Ok(false),
                Transfer::Ended => return Err(io::ErrorKind::WriteZero.into()),
            }
        }
        Ok(true)
    }

    pub(crate) fn shutdown_write(&mut self) -> io::Result<()> {
        self.transmit(Intent::Close)?;
        self.flush()?;
        self.stream.shutdown_write()
    }

    /// Reads from the socket; returns the number of plain-text bytes in the buffer, or `None` if
    /// there was nothing to read. Plain text that does not fit is kept.
    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        SCRATCH.with_borrow_mut(|Scratch { incoming, outgoing }| {
            let kept = self.unprocessed.len();
            if kept == INCOMING_BYTES {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "a TLS handshake message is too long",
                ));
            }
            // Plain text is shorter than its records, so that it fits if they would.
            let wanted = buffer.len().saturating_sub(kept).max(READ_BYTES_MIN);
            let until = INCOMING_BYTES.min(kept + wanted);
            let length = match self.stream.read(&mut incoming[kept..until])? {
                Transfer::Bytes(bytes) => kept + bytes,
                Transfer::WouldBlock => return Ok(None),
                Transfer::Ended if self.session.is_handshaking() => {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                Transfer::Ended => {
                    self.has_ended = true;
                    return Ok(Some(0));
                }
            };
            incoming[..kept].copy_from_slice(&self.unprocessed);
            let incoming = &mut incoming[..length];
            let mut received = Plaintext::new(buffer, &mut self.unread);
            let result = self
                .session
                .process(incoming, Intent::Receive, &mut received, outgoing);
            let filled = received.filled;
            self.has_ended |= received.has_ended;
            let rest = match result {
                Ok(processed) if !self.has_ended => &incoming[processed..],
                _ => &[],
            };
            self.keep(rest);
            self.finish(result, outgoing)?;
            Ok(Some(filled))
        })
    }

    /// Carries out the intent, and sends the records.
    fn transmit(&mut self, intent: Intent<'_>) -> io::Result<()> {
        self.check()?;
        SCRATCH.with_borrow_mut(|Scratch { outgoing, .. }| {
            // Nothing is received: the session has all bytes but the beginning of a record.
            let mut received = Plaintext::new(&mut [], &mut self.unread);
            let incoming = &mut self.unprocessed;
            let result = self
                .session
                .process(incoming, intent, &mut received, outgoing);
            debug_assert!(matches!(result, Ok(0) | Err(_)), "no record is complete");
            self.finish(result, outgoing)
        })?;
        self.check()
    }

    /// Keeps the beginning of a record until the next call, or nothing.
    fn keep(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            self.unprocessed = Vec::new();
        } else {
            self.unprocessed.clear();
            self.unprocessed.extend_from_slice(bytes);
        }
    }

    /// Sends records; what the socket does not accept is kept. If the session has failed, they end
    /// with an alert, which is sent if the socket has room.
    fn finish(&mut self, result: Result<usize, Error>, outgoing: &mut Outgoing) -> io::Result<()> {
        let records = outgoing.take();
        let sent = self.send(records);
        match result {
            Ok(_) => sent,
            Err(error) => {
                self.failure = Some(Box::new(error));
                Ok(())
            }
        }
    }

    fn send(&mut self, mut records: &[u8]) -> io::Result<()> {
        if self.unsent.is_empty() {
            while !records.is_empty() {
                match self.stream.write(records)? {
                    Transfer::Bytes(bytes) => records = &records[bytes..],
                    Transfer::WouldBlock => break,
                    Transfer::Ended => return Err(io::ErrorKind::WriteZero.into()),
                }
            }
        }
        self.unsent.append(records);
        Ok(())
    }

    /// Returns the capacity of the buffers that the connection has for itself.
    #[cfg(test)]
    pub(super) fn kept_bytes(&self) -> usize {
        self.unprocessed.capacity() + self.unread.capacity() + self.unsent.capacity()
    }

    /// Returns an error if the session has failed.
    fn check(&self) -> io::Result<()> {
        match &self.failure {
            None => Ok(()),
            Some(error) => Err(io::Error::new(
                io::ErrorKind::InvalidData,
                Error::clone(error),
            )),
        }
    }
}

fn version_number(version: ProtocolVersion) -> String {
    match version {
        ProtocolVersion::TLSv1_2 => "1.2".to_owned(),
        ProtocolVersion::TLSv1_3 => "1.3".to_owned(),
        other => format!("{other:?}"),
    }
}
