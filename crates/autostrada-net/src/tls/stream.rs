//! TLS over a non-blocking TCP stream, for clients and servers.

use std::io::{self, Read, Write};
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{
    ClientConfig, ClientConnection, Connection, ProtocolVersion, ServerConfig, ServerConnection,
};

use super::setup::{TlsSetupError, iana_name};
use crate::tcp::{Stream, Transfer};

/// Maximum number of unsent plain-text bytes of a connection.
const BUFFER_BYTES: usize = 64 * 1024;

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
#[derive(Debug)]
pub struct TlsStream {
    stream: Stream,
    session: Connection,
    has_ended: bool,
}

impl TlsStream {
    /// Begins a client's handshake; the certificate must be valid for `server_name`.
    ///
    /// # Errors
    ///
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
        let session =
            ClientConnection::new(Arc::clone(config), name).map_err(|error| wrong(&error))?;
        Ok(Self::new(stream, session.into()))
    }

    /// Begins a server's handshake.
    ///
    /// # Errors
    ///
    /// Returns an error if the configuration cannot be used.
    pub fn accept(stream: Stream, config: &Arc<ServerConfig>) -> Result<Self, TlsSetupError> {
        let session = ServerConnection::new(Arc::clone(config))
            .map_err(|error| TlsSetupError(error.to_string()))?;
        Ok(Self::new(stream, session.into()))
    }

    fn new(stream: Stream, mut session: Connection) -> Self {
        session.set_buffer_limit(Some(BUFFER_BYTES));
        Self {
            stream,
            session,
            has_ended: false,
        }
    }

    /// Returns the negotiated parameters; `None` before the end of the handshake.
    #[must_use]
    pub fn negotiated(&self) -> Option<Negotiated> {
        Some(Negotiated {
            version: version_number(self.session.protocol_version()?),
            cipher_suite: iana_name(self.session.negotiated_cipher_suite()?),
            is_resumed: self.session.handshake_kind() == Some(rustls::HandshakeKind::Resumed),
        })
    }

    /// Returns the underlying socket.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Returns the underlying socket, to register it.
    pub fn stream_mut(&mut self) -> &mut Stream {
        &mut self.stream
    }

    pub(crate) fn handshake(&mut self) -> io::Result<bool> {
        while self.session.is_handshaking() {
            self.flush()?;
            if self.session.is_handshaking() && !self.receive()? {
                return Ok(false);
            }
        }
        self.flush()?;
        Ok(true)
    }

    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> io::Result<Transfer> {
        loop {
            match self.session.reader().read(buffer) {
                Ok(0) => return Ok(Transfer::Ended),
                Ok(bytes) => return Ok(Transfer::Bytes(bytes)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    return Ok(Transfer::Ended);
                }
                Err(error) => return Err(error),
            }
            if self.has_ended {
                return Ok(Transfer::Ended);
            }
            if !self.receive()? {
                return Ok(Transfer::WouldBlock);
            }
        }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<Transfer> {
        let taken = self.session.writer().write(bytes)?;
        let is_sent = self.flush()?;
        match taken {
            0 if !is_sent => Ok(Transfer::WouldBlock),
            0 => self.write(bytes),
            taken => Ok(Transfer::Bytes(taken)),
        }
    }

    pub(crate) fn flush(&mut self) -> io::Result<bool> {
        while self.session.wants_write() {
            match self.session.write_tls(&mut Socket(&mut self.stream)) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    pub(crate) fn shutdown_write(&mut self) -> io::Result<()> {
        self.session.send_close_notify();
        self.flush()?;
        self.stream.shutdown_write()
    }

    /// Reads from the socket; returns whether there was anything to read.
    fn receive(&mut self) -> io::Result<bool> {
        match self.session.read_tls(&mut Socket(&mut self.stream)) {
            Ok(0) => {
                self.has_ended = true;
                if self.session.is_handshaking() {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            Err(error) => return Err(error),
        }
        if let Err(error) = self.session.process_new_packets() {
            // Sends the alert with the reason, if the socket has room.
            let _ = self.flush();
            return Err(io::Error::new(io::ErrorKind::InvalidData, error));
        }
        Ok(true)
    }
}

fn version_number(version: ProtocolVersion) -> String {
    match version {
        ProtocolVersion::TLSv1_2 => "1.2".to_owned(),
        ProtocolVersion::TLSv1_3 => "1.3".to_owned(),
        other => format!("{other:?}"),
    }
}

/// Adapts the stream to the standard library's traits, which rustls uses.
struct Socket<'a>(&'a mut Stream);

impl Read for Socket<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        in_bytes(self.0.read(buffer)?)
    }
}

impl Write for Socket<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        in_bytes(self.0.write(bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn in_bytes(transfer: Transfer) -> io::Result<usize> {
    match transfer {
        Transfer::Bytes(bytes) => Ok(bytes),
        Transfer::WouldBlock => Err(io::ErrorKind::WouldBlock.into()),
        Transfer::Ended => Ok(0),
    }
}
