//! A byte stream over TCP or TLS.

use std::io;

use mio::{Registry, Token};

use crate::tcp::{Stream, Transfer};
use crate::tls::TlsStream;

/// The byte stream of a connection.
#[derive(Debug)]
pub enum Transport {
    /// TCP.
    Plain(Stream),
    /// TLS over TCP; boxed to keep plain connections small.
    Tls(Box<TlsStream>),
}

impl Transport {
    /// Reads once into `buffer`, which must not be empty.
    #[inline]
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<Transfer> {
        match self {
            Self::Plain(stream) => stream.read(buffer),
            Self::Tls(stream) => stream.read(buffer),
        }
    }

    /// Writes once from `bytes`, which must not be empty.
    #[inline]
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<Transfer> {
        match self {
            Self::Plain(stream) => stream.write(bytes),
            Self::Tls(stream) => stream.write(bytes),
        }
    }

    /// Continues the TLS handshake; returns whether it is complete. Without TLS, it always is.
    pub fn handshake(&mut self) -> io::Result<bool> {
        match self {
            Self::Plain(_) => Ok(true),
            Self::Tls(stream) => stream.handshake(),
        }
    }

    /// Sends buffered TLS records; returns whether nothing is left.
    pub fn flush(&mut self) -> io::Result<bool> {
        match self {
            Self::Plain(_) => Ok(true),
            Self::Tls(stream) => stream.flush(),
        }
    }

    /// Ends this side of the stream.
    pub fn shutdown_write(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(stream) => stream.shutdown_write(),
            Self::Tls(stream) => stream.shutdown_write(),
        }
    }

    /// Returns whether the stream is encrypted by TLS.
    pub fn is_encrypted(&self) -> bool {
        matches!(self, Self::Tls(_))
    }

    /// Returns the underlying socket.
    pub fn stream(&self) -> &Stream {
        match self {
            Self::Plain(stream) => stream,
            Self::Tls(stream) => stream.stream(),
        }
    }

    /// Returns the underlying socket, for what precedes TLS.
    pub fn stream_mut(&mut self) -> &mut Stream {
        match self {
            Self::Plain(stream) => stream,
            Self::Tls(stream) => stream.stream_mut(),
        }
    }

    /// Registers the socket, so that changes of its readiness are reported as `token`
    /// (edge-triggered).
    pub fn register(&mut self, registry: &Registry, token: Token) -> io::Result<()> {
        self.stream_mut().register(registry, token)
    }

    /// Changes the token of a registered socket.
    pub fn reregister(&mut self, registry: &Registry, token: Token) -> io::Result<()> {
        self.stream_mut().reregister(registry, token)
    }
}
